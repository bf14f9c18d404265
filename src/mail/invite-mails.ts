import { selectDeliveries } from '../outbox/read-deliveries.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { type MailSummary, summarizeMail } from './mail-log.ts';
import { mailTarget } from './target.ts';

export type InviteMail = Pick<MailSummary, 'id' | 'state' | 'error' | 'createdAt'>;

/** The last email of each of these invites, by the invite's id in hexadecimal. Reminders do not count. */
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
  return new Map(rows.map((row) => [hexOf(row.subject), summarizeMail(row, 'invite', null)]));
}

export function hexOf(id: Uint8Array): string {
  return Buffer.from(id).toString('hex');
}
