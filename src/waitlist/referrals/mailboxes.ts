import { sql } from 'kysely';
import type { Database, Trx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { bytesKey } from '../../lib/ids.ts';
import type { Queue } from '../queue/queue.ts';

/** Why a mailbox gives no credit: it is the referrer's own, or somebody was already credited for it. */
export const SHARED_MAILBOXES = ['referrer', 'credited'] as const;
export type SharedMailbox = (typeof SHARED_MAILBOXES)[number];

/**
 * One row for each mailbox, however many addresses it has: a subquery for each, because a planner may answer `exists`
 * by reading everyone who was ever credited.
 */
const findCredited = statement<
  { queueId: number; mailboxes: readonly Uint8Array[] },
  { mailbox: Uint8Array; credited: number | null }
>((db, parameter) => {
  const creditedBy = (column: 'email_hash' | 'mailbox_hash') =>
    db.query
      .selectFrom('entry as e')
      .select('e.seq')
      .where('e.queue_id', '=', parameter('queueId'))
      .where(`e.${column}`, '=', sql.ref<Uint8Array>('m.value'))
      .where('e.credited', '=', 1)
      .limit(1);
  return db.query
    .selectFrom(db.bytes(parameter('mailboxes')).as('m'))
    .select('m.value as mailbox')
    .select(
      sql<number | null>`coalesce(${creditedBy('email_hash')}, ${creditedBy('mailbox_hash')})`.as('credited'),
    );
});

/** Which of these mailboxes somebody was credited for. */
export async function findCreditedMailboxes(
  db: Pick<Database, 'run'> | Pick<Trx, 'run'>,
  queue: Queue,
  mailboxes: readonly Uint8Array[],
): Promise<Set<string>> {
  if (mailboxes.length === 0) return new Set();
  const rows = await db.run(findCredited, { queueId: queue.id, mailboxes });
  return new Set(rows.flatMap(({ mailbox, credited }) => (credited === null ? [] : [bytesKey(mailbox)])));
}

/** One mailbox is one person: nobody is credited for themselves, or for the same person twice. */
export function sharedMailbox(
  { creditedMailboxes }: { readonly creditedMailboxes: ReadonlySet<string> },
  referrer: { readonly mailbox: string | null },
  mailbox: string | null,
): SharedMailbox | null {
  if (mailbox === null) return null;
  if (referrer.mailbox === mailbox) return 'referrer';
  return creditedMailboxes.has(mailbox) ? 'credited' : null;
}
