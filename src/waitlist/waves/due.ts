import { type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../../db/dialect.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';

const JOINED = sql`(q.accepted_invites - w.accepted_before)`;
const REACHED = sql`(w.until_joined is not null and ${JOINED} >= w.until_joined)`;
/** A wave that keeps invites open has nothing to do while enough are open. */
const HAS_ROOM = sql`(w.keep_open is null or (q.waiting > 0 and w.keep_open > q.open_invites
  and (w.until_joined is null or w.until_joined - ${JOINED} > q.open_invites)))`;
const ACTIVE = sql`wave as w join queue_state as q on q.queue_id = w.queue_id
  where w.state = 'active' and w.run_at is null`;

/** When the first wave is due: to run, or to end because enough people have joined. */
export function firstWaveAt(db: Dialect): RawBuilder<{ at: number | null }> {
  return sql`select min(case when ${REACHED} then 0 else w.next_at end) as at from ${ACTIVE}
    and (${REACHED} or ${HAS_ROOM}) and ${db.reachable(sql.ref('q.queue_id'))}`;
}

function due(now: number): RawBuilder<unknown> {
  return sql`${ACTIVE} and (${REACHED} or (w.next_at <= ${now} and ${HAS_ROOM}))`;
}

export async function findDueQueues({ db }: Context, now: number, limit: number): Promise<number[]> {
  const { rows } = await sql<{ queue_id: number }>`select distinct w.queue_id from ${due(now)}
    and ${db.reachable(sql.ref('q.queue_id'))} limit ${limit}`.execute(db.query);
  return rows.map(({ queue_id }) => queue_id);
}

/** The waves of a queue that are due, the one that was planned first at the front. */
export async function findDueWaves({ db }: Context, queue: Queue, now: number): Promise<Uint8Array[]> {
  const { rows } = await sql<{ id: Uint8Array }>`select w.id from ${due(now)} and w.queue_id = ${queue.id}
    order by w.next_at, w.id`.execute(db.query);
  return rows.map(({ id }) => id);
}
