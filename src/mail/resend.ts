import { parseEmail } from '../lib/email.ts';
import { invalid } from '../lib/errors.ts';
import { isoTime } from '../lib/time.ts';
import { resendDeliveries } from '../outbox/resend.ts';
import { whySuppressed } from '../waitlist/links/suppression.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { mailTarget } from '../waitlist/sending/state.ts';
import { type MailRow, newestKept, stateOf } from './mail-log.ts';
import { findMail, openMail, selectMails, whereState } from './mailbox.ts';
import { OUTDATED, type OutdatedReason, whyOutdated, whyUseless } from './outdated.ts';
import { isEssential, type MailKind, type MailState } from './templates/kinds.ts';
import { requireWaitlist } from './update-settings.ts';

const STEP = 200;

/** Why a mail is not resent. */
type SkipReason = 'pending' | 'erased' | 'suppressed' | 'invalid address' | OutdatedReason;

export interface MailSelection {
  kind?: MailKind | undefined;
  /** Empty means every state except pending. */
  states: readonly Exclude<MailState, 'pending'>[];
  /** Recorded then or later. */
  since?: number | undefined;
}

export interface Resent {
  resent: number;
  skipped: Partial<Record<SkipReason, number>>;
}

/** Resends one mail, whatever its outcome was. Throws the reason if that is not allowed. */
export async function resendMail(
  context: Context,
  queue: Queue,
  mailId: string,
  { states = [], dryRun = false }: { states?: MailSelection['states']; dryRun?: boolean },
): Promise<Resent> {
  requireProduction(queue);
  const row = await findMail(context, queue, mailId);
  const state = stateOf(row);
  if (state !== 'pending' && states.length > 0 && !states.includes(state))
    throw invalid(`${mailId} is ${state}, not ${states.join(' or ')}`);
  const reason = await whyNot(context, queue, row);
  if (reason) throw invalid(`${mailId} was not resent: ${SKIP_REASONS[reason]}`);
  const recorded = { id: mailId, after: {} };
  return { resent: dryRun ? 1 : await resendChosen(context, queue, [row.event_id], recorded), skipped: {} };
}

export const SKIP_REASONS: Readonly<Record<SkipReason, string>> = {
  pending: 'it is still waiting to be sent',
  erased: 'the person was erased',
  suppressed: 'the address bounced or unsubscribed',
  'invalid address': 'the address contains characters that are no longer accepted',
  ...OUTDATED,
};

/** Resends all selected mails in steps, oldest first. */
export async function resendMails(
  context: Context,
  queue: Queue,
  selection: MailSelection,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<Resent> {
  requireProduction(queue);
  const result: Resent = { resent: 0, skipped: {} };
  let after: Uint8Array | undefined;
  for (;;) {
    const { chosen, skipped, last, more } = await chooseMails(context, queue, selection, after);
    addSkipped(result.skipped, skipped);
    const recorded = result.resent === 0 ? recordOf(queue, selection) : undefined;
    result.resent += dryRun ? chosen.length : await resendChosen(context, queue, chosen, recorded);
    after = last;
    if (!more) return result;
  }
}

export interface ChosenMails {
  chosen: Uint8Array[];
  skipped: Resent['skipped'];
  /** Which ones were skipped. */
  left: { id: Uint8Array; reason: SkipReason }[];
  /** The last one that was looked at. */
  last: Uint8Array | undefined;
  more: boolean;
}

/** The next mails of a selection that may be resent. */
export async function chooseMails(
  context: Context,
  queue: Queue,
  { kind, states, since }: MailSelection,
  after: Uint8Array | undefined,
): Promise<ChosenMails> {
  let query = selectMails(context, queue).where('d.due_at', 'is', null).orderBy('d.event_id').limit(STEP);
  if (after) query = query.where('d.event_id', '>', after);
  if (kind) query = query.where('e.kind', '=', `email.${kind}`);
  if (since !== undefined) query = query.where('e.created_at', '>=', since);
  if (states.length > 0) query = query.where((e) => e.or(states.map((state) => whereState(e, state))));
  if (states.length === 1 && states[0] === 'kept') {
    const before = await newestKept(context.db, mailTarget(queue.id));
    if (!before) return { chosen: [], skipped: {}, left: [], last: undefined, more: false };
    query = query.where('d.event_id', '<', before);
  }
  const rows = await query.execute();
  const { kinds } = await requireWaitlist(context, queue.waitlist.id);
  const chosen: Uint8Array[] = [];
  const left: ChosenMails['left'] = [];
  for (const row of rows) {
    const reason = await whyNot(context, queue, row, kinds);
    if (reason) left.push({ id: row.event_id, reason });
    else chosen.push(row.event_id);
  }
  const skipped: Resent['skipped'] = {};
  for (const { reason } of left) addSkipped(skipped, { [reason]: 1 });
  return { chosen, skipped, left, last: rows.at(-1)?.event_id, more: rows.length === STEP };
}

export function addSkipped(to: Resent['skipped'], more: Resent['skipped']): void {
  for (const [reason, count] of Object.entries(more) as [SkipReason, number][])
    to[reason] = (to[reason] ?? 0) + count;
}

export function requireProduction({ environment }: Queue): void {
  if (environment !== 'production')
    throw invalid(`emails in ${environment} are never sent: only emails in production can be resent`);
}

/** `kinds`: those that are on, for emails that nobody chose one by one. */
async function whyNot(
  context: Context,
  queue: Queue,
  row: MailRow,
  kinds?: readonly MailKind[],
): Promise<SkipReason | undefined> {
  if (row.due_at !== null) return 'pending';
  const stored = await openMail(context, queue, row);
  if (!stored) return 'erased';
  if (!parseEmail(stored.to)) return 'invalid address';
  if (await whySuppressed(context, queue, stored.to, isEssential(stored.mail))) return 'suppressed';
  if (kinds) return whyOutdated(context, queue, row, stored, kinds);
  return whyUseless(context, queue, stored);
}

/** What the audit trail says: one record for each thing that an operator does. */
interface Recorded {
  id: string;
  after: Record<string, unknown>;
}

export function recordOf({ waitlist }: Queue, { kind, states, since }: MailSelection): Recorded {
  const after = {
    ...(kind ? { kind } : {}),
    ...(states.length > 0 ? { states } : {}),
    ...(since === undefined ? {} : { since: isoTime(since) }),
  };
  return { id: waitlist.id, after };
}

/** Deliveries that were claimed or scheduled in the meantime stay as they are. */
function resendChosen(
  context: Context,
  queue: Queue,
  ids: readonly Uint8Array[],
  recorded: Recorded | undefined,
): Promise<number> {
  const { audit } = context;
  return resendDeliveries(context, mailTarget(queue.id), ids, {
    onlyEnded: true,
    record:
      audit &&
      recorded &&
      ((trx) =>
        audit(trx, {
          action: 'mail.resent',
          object: { kind: 'mail', id: recorded.id },
          after: recorded.after,
        })),
  });
}
