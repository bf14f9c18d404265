import { sharedNow } from '../db/shared-clock.ts';
import { statement } from '../db/statement.ts';
import type { Status } from '../db/tables.ts';
import { parseId } from '../lib/ids.ts';
import { inviteState } from '../waitlist/invites/invites.ts';
import { OWN_DATA_LINK_MS } from '../waitlist/links/links.ts';
import { hashOf } from '../waitlist/links/suppression.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import type { MailRow } from './mail-log.ts';
import { openMail } from './mailbox.ts';
import type { StoredMail } from './stored-mail.ts';
import { isOn, isOptional, type MailKind } from './templates/kinds.ts';

/** Why an email that was not sent in its time should not be sent any more. */
export const OUTDATED = {
  'invite ended': 'the invite was accepted, was revoked or has expired',
  'former address': 'the person has another address now',
  removed: 'the person was removed from the waitlist',
  declined: 'the person was declined',
  'taken back': 'the decline was taken back',
  'no longer needed': 'the person has moved on since',
  'newer email': 'there is a newer email of this kind for the person',
  'turned off': 'this kind of email was turned off',
  'link expired': 'its link has expired, and the person can ask for another one',
  test: 'it is a test',
} as const;
export type OutdatedReason = keyof typeof OUTDATED;
type UselessReason = 'invite ended' | 'former address' | 'removed' | 'taken back' | 'link expired';

/** Somebody who used the form could not go on without these. */
const REQUESTED: readonly MailKind[] = ['confirm', 'welcome'];

interface InviteEnds {
  email_hash: Uint8Array;
  accepted_at: number | null;
  revoked_at: number | null;
  expires_at: number | null;
  expired_at: number | null;
}

const findInvite = statement<{ queueId: number; id: Uint8Array }, InviteEnds>((db, parameter) =>
  db.query
    .selectFrom('invite')
    .select(['email_hash', 'accepted_at', 'revoked_at', 'expires_at', 'expired_at'])
    .where('queue_id', '=', parameter('queueId'))
    .where('id', '=', parameter('id')),
);

interface CurrentPerson {
  email_hash: Uint8Array | null;
  status: Status;
  declined_at: number | null;
}

const findPerson = statement<{ queueId: number; id: Uint8Array }, CurrentPerson>((db, parameter) =>
  db.query
    .selectFrom('entry')
    .select(['email_hash', 'status', 'declined_at'])
    .where('queue_id', '=', parameter('queueId'))
    .where('id', '=', parameter('id')),
);

/** Why nobody can do anything with the email any more, or should not, whoever sends it again. */
export async function whyUseless(
  context: Context,
  queue: Queue,
  stored: StoredMail,
): Promise<UselessReason | undefined> {
  const { db } = context;
  const { invite, entry, to, test } = stored;
  const now = await sharedNow(context);
  const inviteId = invite?.code ? parseId('inv', invite.id) : undefined;
  const [sent] = inviteId ? await db.run(findInvite, { queueId: queue.id, id: inviteId }) : [];
  if (sent && inviteState(sent, now) !== 'live') return 'invite ended';
  if (test) return undefined;
  const entryId = entry ? parseId('ent', entry.id) : undefined;
  const [person] = entryId ? await db.run(findPerson, { queueId: queue.id, id: entryId }) : [];
  const current = person?.email_hash ?? sent?.email_hash;
  if (current && !hashOf(queue, to).equals(current)) return 'former address';
  const undone = stored.mail === 'declined' ? whyNotDeclined(stored, person) : undefined;
  if (undone) return undone;
  return !isOptional(stored.mail) && now - stored.at > OWN_DATA_LINK_MS ? 'link expired' : undefined;
}

/** Not of an earlier one, which was taken back: nobody may have wanted an email about the next one. */
function whyNotDeclined(
  { at }: StoredMail,
  person: CurrentPerson | undefined,
): 'removed' | 'taken back' | undefined {
  if (!person || person.status === 'removed') return 'removed';
  return person.status === 'declined' && person.declined_at === at ? undefined : 'taken back';
}

/** For emails that are sent long after they were recorded, many at once. `kinds`: those that are on. */
export async function whyOutdated(
  context: Context,
  queue: Queue,
  row: MailRow,
  stored: StoredMail,
  kinds: readonly MailKind[],
): Promise<OutdatedReason | undefined> {
  const { mail: kind, entry } = stored;
  if (stored.test) return 'test';
  const useless = await whyUseless(context, queue, stored);
  if (useless) return useless;
  if (!isOn(kind, kinds) && !(stored.bare && REQUESTED.includes(kind))) return 'turned off';
  const status = entry && (await statusOf(context, queue, entry.id));
  if (status === 'removed' && isOptional(kind)) return status;
  if (status === 'declined' && isOptional(kind) && kind !== 'declined') return status;
  if (status && !isStillTrue(kind, status)) return 'no longer needed';
  return (await hasNewer(context, queue, row, stored)) ? 'newer email' : undefined;
}

function isStillTrue(kind: MailKind, status: string): boolean {
  if (kind === 'confirm') return status === 'pending';
  return (kind !== 'welcome' && kind !== 'moved-up') || status === 'waiting';
}

async function statusOf({ db }: Context, queue: Queue, entryId: string): Promise<string | undefined> {
  const id = parseId('ent', entryId);
  if (!id) return undefined;
  const row = await db.query
    .selectFrom('entry')
    .select('status')
    .where('queue_id', '=', queue.id)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.status;
}

/** Of the same kind, to the same person, about the same invite: only the last one should reach them. */
async function hasNewer(
  context: Context,
  queue: Queue,
  { event_id, kind }: MailRow,
  { entry, invite }: StoredMail,
): Promise<boolean> {
  const subject = invite?.code ? parseId('inv', invite.id) : entry && parseId('ent', entry.id);
  if (!subject) return false;
  const newer = await context.db.query
    .selectFrom('event_subject as s')
    .innerJoin('event as e', (join) =>
      join.onRef('e.queue_id', '=', 's.queue_id').onRef('e.id', '=', 's.event_id'),
    )
    .select(['e.id as event_id', 'e.body'])
    .where('s.queue_id', '=', queue.id)
    .where('s.subject', '=', subject)
    .where('s.event_id', '>', event_id)
    .where('e.kind', '=', kind)
    .execute();
  const opened = await Promise.all(newer.map((one) => openMail(context, queue, one)));
  return opened.some((mail) => mail !== null && !mail.test);
}
