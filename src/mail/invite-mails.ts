import { bytesKey } from '../lib/ids.ts';
import { selectDeliveries } from '../outbox/read-deliveries.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { mailTarget } from '../waitlist/sending/state.ts';
import { type MailSummary, summarizeMail } from './mail-log.ts';

export type InviteMail = Pick<MailSummary, 'id' | 'state' | 'error' | 'createdAt'>;

/** The last email of each of these invites, by the `bytesKey` of the invite's id. Reminders do not count. */
export async function lastInviteMails(
  { db }: Pick<Context, 'db'>,
  queue: Queue,
  inviteIds: readonly Uint8Array[],
): Promise<Map<string, InviteMail>> {
  if (inviteIds.length === 0) return new Map();
  const { queueId, channel } = mailTarget(queue.id);
  const rows = await selectDeliveries(db.query, queueId, channel)
    .innerJoin('event_subject as s', (join) =>
      join.onRef('s.queue_id', '=', 'd.queue_id').onRef('s.event_id', '=', 'd.event_id'),
    )
    .select('s.subject')
    .where('s.queue_id', '=', queueId)
    .where((e) => db.in(e.ref('s.subject'), inviteIds))
    .where('e.kind', '=', 'email.invite')
    .orderBy('s.event_id')
    .execute();
  return new Map(rows.map((row) => [bytesKey(row.subject), summarizeMail(row, 'invite', null)]));
}

/** Whether a mail server took an email with an open invite of this person. */
export async function wasInviteSent(
  { db }: Pick<Context, 'db'>,
  queue: Queue,
  entry: number,
): Promise<boolean> {
  const { queueId, channel } = mailTarget(queue.id);
  const sent = await selectDeliveries(db.query, queueId, channel)
    .innerJoin('event_subject as s', (join) =>
      join.onRef('s.queue_id', '=', 'd.queue_id').onRef('s.event_id', '=', 'd.event_id'),
    )
    .innerJoin('invite as i', (join) =>
      join.onRef('i.queue_id', '=', 's.queue_id').onRef('i.id', '=', 's.subject'),
    )
    .innerJoin('entry as p', (join) =>
      join.onRef('p.queue_id', '=', 'i.queue_id').onRef('p.email_hash', '=', 'i.email_hash'),
    )
    .where('p.queue_id', '=', queueId)
    .where('p.seq', '=', entry)
    .where('i.accepted_at', 'is', null)
    .where('i.revoked_at', 'is', null)
    .where('i.expired_at', 'is', null)
    .where('e.kind', '=', 'email.invite')
    .where('d.due_at', 'is', null)
    .where('d.failed_at', 'is', null)
    .where('a.status', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return sent !== undefined;
}
