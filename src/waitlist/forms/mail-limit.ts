import { statement } from '../../db/statement.ts';
import { utcDay } from '../../lib/time.ts';
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
export async function takeMail(change: QueueChange, mailbox: Uint8Array): Promise<boolean> {
  const { trx, queue, now } = change;
  const day = utcDay(now);
  const [row] = await trx.run(countMails, { queueId: queue.id, day, mailbox });
  if ((row?.mails ?? 0) >= MAILS_PER_DAY_MAX) return false;
  noteMail(change, day, mailbox);
  return true;
}
