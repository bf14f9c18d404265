import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Status } from '../../db/tables.ts';

/** How many entries a queue has in each status, and how many there ever were, without undone imports. */
export interface Counters extends Record<Status, number> {
  signups: number;
  /** Invites that are neither accepted nor ended. */
  openInvites: number;
}

const readQueue = statement<{ queueId: number }, Counters>((db, parameter) =>
  db.query
    .selectFrom('queue_state')
    .select(['pending', 'waiting', 'invited', 'joined', 'removed'])
    .select([sql<number>`last_seq - undone`.as('signups'), 'open_invites as openInvites'])
    .where('queue_id', '=', parameter('queueId')),
);

/** Returns undefined if the queue no longer exists. */
export async function readCounters(db: Database, queueId: number): Promise<Counters | undefined> {
  const [row] = await db.run(readQueue, { queueId });
  return row;
}
