import { sql } from 'kysely';
import type { Trx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { HOUR_MS, utcDay } from '../../lib/time.ts';
import type { QueueChange } from '../queue/queue-change.ts';

/** Per waitlist, mailbox and day, however often somebody types an address of it. */
export const MAILS_PER_DAY_MAX = 3;

/** How many mails a mailbox got on a day because of the form. */
export const countMails = statement<{ queueId: number; day: number; mailbox: Uint8Array }, { mails: number }>(
  (db, parameter) =>
    db.query
      .selectFrom('form_mail')
      .select('mails')
      .where('queue_id', '=', parameter('queueId'))
      .where('day', '=', parameter('day'))
      .where('email_hash', '=', parameter('mailbox')),
);

export function noteMail({ trx, queue }: QueueChange, day: number, mailbox: Uint8Array): void {
  const row = { queue_id: queue.id, day, email_hash: mailbox, mails: 1 };
  trx.insert('form_mail', [row], { onConflict: { add: ['mails'] } });
}

/** Whether one more may be sent. If so, it is counted. */
export async function countIfAllowed(change: QueueChange, mailbox: Uint8Array): Promise<boolean> {
  const { trx, queue, now } = change;
  const day = utcDay(now);
  const [row] = await trx.run(countMails, { queueId: queue.id, day, mailbox });
  if ((row?.mails ?? 0) >= MAILS_PER_DAY_MAX) return false;
  noteMail(change, day, mailbox);
  return true;
}

/** Friends share a network, but rarely more than these in a day. */
export const SOURCE_SIGNUPS_MAX = 5;
const SLOT_MS = HOUR_MS;
const SOURCE_WINDOW_MS = 24 * SLOT_MS;

const countSignups = statement<
  { queueId: number; since: number; referrerSeq: number; network: Uint8Array },
  { signups: number }
>((db, parameter) =>
  db.query
    .selectFrom('referral_source')
    .select(sql<number>`cast(coalesce(sum(signups), 0) as bigint)`.as('signups'))
    .where('queue_id', '=', parameter('queueId'))
    .where('slot', '>', parameter('since'))
    .where('referrer_seq', '=', parameter('referrerSeq'))
    .where('network_hash', '=', parameter('network')),
);

/** Whether this network already named this referrer as often as one may. */
export async function isSuspicious(
  { trx, queue, now }: QueueChange,
  referrerSeq: number,
  network: Uint8Array,
): Promise<boolean> {
  const since = now - SOURCE_WINDOW_MS;
  const [row] = await trx.run(countSignups, { queueId: queue.id, since, referrerSeq, network });
  return (row?.signups ?? 0) >= SOURCE_SIGNUPS_MAX;
}

export function noteSource({ trx, queue, now }: QueueChange, referrerSeq: number, network: Uint8Array): void {
  const slot = now - (now % SLOT_MS);
  const row = { queue_id: queue.id, slot, referrer_seq: referrerSeq, network_hash: network, signups: 1 };
  trx.insert('referral_source', [row], { onConflict: { add: ['signups'] } });
}

/** Networks are remembered no longer than they count. */
export async function forgetSources(trx: Trx, queueId: number, now: number): Promise<void> {
  await trx
    .deleteFrom('referral_source')
    .where('queue_id', '=', queueId)
    .where('slot', '<=', now - SOURCE_WINDOW_MS)
    .execute();
}
