import type { Config } from '../config/config.ts';
import { sharedNow } from '../db/shared-clock.ts';
import { formatId } from '../lib/ids.ts';
import { leftToday, mailableFrom, mailableTo, notEmailed } from '../mail/mailable.ts';
import { readParts } from '../mail/parts.ts';
import { hasMailServer, sendingOf } from '../mail/sending.ts';
import { listInvites } from '../waitlist/invites/browse-invites.ts';
import { createInvite } from '../waitlist/invites/create-invites.ts';
import { revokeInvite } from '../waitlist/invites/end-invites.ts';
import {
  type RunProgress,
  type RunResult,
  resumeInviteRun,
  startInviteRun,
} from '../waitlist/invites/invite-run.ts';
import { type NotInvited, whyNotInvited } from '../waitlist/invites/preview-invites.ts';
import { countOpen, revokeMany, type WhichInvites } from '../waitlist/invites/revoke-many.ts';
import { joinLink } from '../waitlist/links/links.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { findWave } from '../waitlist/waves/waves.ts';
import { presentCreatedInvite, presentInviteDetails } from '../wire/invite.ts';
import {
  type Command,
  EXPIRY_FLAGS,
  type Flag,
  type Flags,
  type Outcome,
  parseExpiry,
  parseSince,
  parseWhole,
  parseWholeText,
  requireText,
  table,
  textOr,
  UsageProblem,
} from './command.ts';
import { parseSegment, SEGMENT_FLAGS } from './entries.ts';
import { progressLine } from './progress.ts';
import { commandOn, QUEUE_FLAGS, queueOf } from './queue.ts';

const INVITE_EXPIRY_FLAGS: Record<string, Flag> = {
  ...EXPIRY_FLAGS,
  'no-expiry': { about: "Create invites that never expire, whatever the waitlist's default." },
};

export const invites: Command[] = [
  {
    name: 'invite create',
    once: true,
    about: 'Invite an email address, whether or not it is on the waitlist.',
    flags: {
      ...QUEUE_FLAGS,
      email: { value: 'EMAIL', about: 'Email address to invite.', required: true },
      ...INVITE_EXPIRY_FLAGS,
    },
    run: async (context, _, flags, config) => {
      const queue = await queueOf(context, flags);
      const expiresAt = parseExpiry(flags, await sharedNow(context));
      const email = requireText(flags, 'email');
      const hasServer = await hasMailServer(context, config);
      const mailable = await mailableTo(context, queue, 'invite', email, hasServer);
      const invite = presentCreatedInvite(await createInvite(context, queue, { email, expiresAt }));
      const { settings } = await readParts(context, queue.waitlist.internalId);
      const { publicUrl } = await sendingOf(context, config);
      const url = joinLink(settings.joinUrl, publicUrl, invite.code);
      const note = notEmailed(mailable);
      const expiry = invite.expiresAt ? `expires ${invite.expiresAt}` : 'never expires';
      return {
        json: { ...invite, url, mailable },
        text: `${invite.code}\n\n${invite.id}, ${expiry}${note && `\n${note}`}`,
      };
    },
  },
  {
    name: 'invite first',
    once: 'job',
    about: 'Invite the first COUNT people in the queue. Entries without an email are skipped.',
    operands: ['COUNT'],
    flags: { ...QUEUE_FLAGS, ...INVITE_EXPIRY_FLAGS },
    run: async (context, [count = ''], flags, config) => {
      const first = parseWholeText(count, 'COUNT', { from: 1, to: 999_999_999 });
      const queue = await queueOf(context, flags);
      const expiresAt = parseExpiry(flags, await sharedNow(context));
      const mail = await mailBefore(context, queue, config);
      const result = await startInviteRun(context, queue, { first }, expiresAt, showProgress);
      return outcomeOf(context, queue, result, mail);
    },
  },
  {
    name: 'invite segment',
    once: 'job',
    about: 'Invite every waiting entry that matches the conditions.',
    flags: { ...QUEUE_FLAGS, ...SEGMENT_FLAGS, ...INVITE_EXPIRY_FLAGS },
    run: async (context, _, flags, config) => {
      const queue = await queueOf(context, flags);
      const segment = await parseSegment(context, queue, flags, 'waiting');
      if (Object.keys(segment).length === 0)
        throw new UsageProblem('at least one condition is required, such as --where plan=pro');
      const expiresAt = parseExpiry(flags, await sharedNow(context));
      const mail = await mailBefore(context, queue, config);
      const result = await startInviteRun(context, queue, { segment }, expiresAt, showProgress);
      return outcomeOf(context, queue, result, mail);
    },
  },
  {
    name: 'invite resume',
    about: 'Resume an interrupted invite run.',
    flags: { ...QUEUE_FLAGS, job: { value: 'JOB_ID', about: 'Job to resume (default: the newest).' } },
    run: async (context, _, flags, config) => {
      const queue = await queueOf(context, flags);
      const job = textOr(flags, 'job', undefined);
      const mail = await mailBefore(context, queue, config);
      return outcomeOf(context, queue, await resumeInviteRun(context, queue, job, showProgress), mail);
    },
  },
  {
    name: 'invite list',
    about: 'List invites with their codes.',
    flags: {
      ...QUEUE_FLAGS,
      limit: { value: 'N', about: 'Invites per page, up to 1000 (default: 100).' },
      after: { value: 'INVITE_ID', about: 'Start after this invite.' },
    },
    run: async (context, _, flags) => {
      const limit = parseWhole(flags, 'limit', { from: 1, to: 1_000 }) ?? 100;
      const after = textOr(flags, 'after', undefined);
      const page = await listInvites(context, await queueOf(context, flags), { limit, after });
      const list = page.map(presentInviteDetails);
      const rows = list.map(({ id, state, email, code, expiresAt }) => [id, state, email, code, expiresAt]);
      return { json: list, text: table(['ID', 'STATE', 'EMAIL', 'CODE', 'EXPIRES'], rows) };
    },
  },
  {
    name: 'invite revoke',
    about: 'Revoke an invite. Its entry goes back to the queue.',
    operands: ['CODE_OR_ID'],
    run: async (context, [codeOrId = '']) => {
      const revoked = await revokeInvite(context, codeOrId);
      const id = formatId('inv', revoked.id);
      return { json: { id, revoked: true }, text: `Revoked ${id}.` };
    },
  },
  {
    name: 'invite revoke-all',
    about: 'Revoke all open invites, or those of a wave or since a time.',
    flags: {
      ...QUEUE_FLAGS,
      wave: { value: 'WAVE_ID', about: 'Only invites of this wave.' },
      since: {
        value: 'TIME',
        about: 'Only invites created since: an ISO 8601 time, or a duration such as 24h.',
      },
      'dry-run': { about: 'Only count them.' },
    },
    run: async (context, _, flags) => {
      const queue = await queueOf(context, flags);
      const which = await whichInvites(context, queue, flags);
      if (flags['dry-run'] === true) {
        const open = await countOpen(context, queue, which);
        return { json: { open }, text: `Would revoke ${people(open, 'invite', 'invites')}.` };
      }
      const revoked = await revokeMany(context, queue, which, (count) => {
        progressLine(`${count} revoked`);
      });
      return { json: { revoked }, text: `Revoked ${people(revoked, 'invite', 'invites')}.` };
    },
  },
];

async function whichInvites(context: Context, queue: Queue, flags: Flags): Promise<WhichInvites> {
  const [wave, since] = [textOr(flags, 'wave', undefined), textOr(flags, 'since', undefined)];
  return {
    waveId: wave === undefined ? undefined : (await findWave(context.db.query, queue, wave)).id,
    since: since === undefined ? undefined : parseSince(since, 'since', await sharedNow(context)),
  };
}

function showProgress({ invited }: RunProgress): void {
  progressLine(`${invited} invited`);
}

/** Whether the emails of a run are sent. Afterwards, a warm-up may be used up by these very emails. */
async function mailBefore(context: Context, queue: Queue, config: Config) {
  const mailable = await mailableFrom(context, queue, 'invite', await hasMailServer(context, config));
  return { mailable, today: mailable.mailable ? await leftToday(context, queue) : null };
}

async function outcomeOf(
  context: Context,
  queue: Queue,
  result: RunResult,
  { mailable, today }: Awaited<ReturnType<typeof mailBefore>>,
): Promise<Outcome> {
  const { jobId, invited, requested, unreadable } = result;
  const fewer = requested !== null && invited < requested;
  const notInvited = fewer ? await whyNotInvited(context, queue, result) : undefined;
  const damaged = unreadable.length;
  const count = fewer ? `${invited} of ${requested}` : people(invited, 'person', 'people');
  const reasons = notInvited ? reasonsInWords(notInvited) : damaged > 0 ? [unreadableInWords(damaged)] : [];
  const why = fewer
    ? ` Nobody else could be invited${reasons.length > 0 ? `: ${reasons.join('; ')}` : ''}.`
    : '';
  const left = !fewer && damaged > 0 ? ` Skipped: ${reasons.join('; ')}.` : '';
  const codes = invited === 0 ? '' : ` Run \`${commandOn(queue, 'invite', 'list')}\` to see the codes.`;
  const isSplit = today !== null && today < invited;
  const note = isSplit
    ? `Emails that are sent today: ${today}. The others wait for the next days of the warm-up.`
    : invited === 0
      ? ''
      : notEmailed(mailable);
  return {
    json: { jobId, invited, requested, unreadable: damaged, mailable, ...(notInvited ? { notInvited } : {}) },
    text: `Invited ${count}.${why}${left}${codes}${note && `\n${note}`}`,
  };
}

function reasonsInWords({ withoutEmail, unreadable, alreadyInvited, pending }: NotInvited): string[] {
  return [
    withoutEmail > 0
      ? `${people(withoutEmail, 'waiting entry has', 'waiting entries have')} no email address`
      : '',
    unreadable > 0 ? unreadableInWords(unreadable) : '',
    alreadyInvited > 0 ? `${people(alreadyInvited, 'entry was', 'entries were')} already invited` : '',
    pending > 0 ? `${people(pending, 'entry has', 'entries have')} not confirmed their email yet` : '',
  ].filter(Boolean);
}

function unreadableInWords(count: number): string {
  return `${people(count, 'entry', 'entries')} cannot be decrypted (run \`doctor\`)`;
}

function people(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
