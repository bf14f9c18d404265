import { type RawBuilder, sql } from 'kysely';
import type { Trx } from '../../db/database.ts';
import type { Queue } from '../queue/queue.ts';

/** What the codes are worth that the entry in the row named `entry` came with. Of several, after a merge, the best counts. */
const WORTH: RawBuilder<number> = sql`coalesce((select max(c.places) from code_use as u
  inner join code as c on c.queue_id = u.queue_id and c.id = u.code_id
  where u.queue_id = entry.queue_id and u.seq = entry.seq), 0)`;

/** Few came with a code, so nobody else is looked up. */
function wrong(queue: Queue): RawBuilder<boolean> {
  return sql`queue_id = ${queue.id}
    and (advanced <> 0 or seq in (select seq from code_use where queue_id = ${queue.id}))
    and advanced <> ${WORTH}`;
}

/** How many entries count as having joined earlier by another number than their codes say. */
export async function countMisadvanced(trx: Trx, queue: Queue): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from entry where ${wrong(queue)}`.execute(trx);
  return rows[0]?.count ?? 0;
}

export async function recountAdvanced(trx: Trx, queue: Queue): Promise<void> {
  await sql`update entry set advanced = ${WORTH} where ${wrong(queue)}`.execute(trx);
}
