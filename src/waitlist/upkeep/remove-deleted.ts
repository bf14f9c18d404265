import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { sharedNow } from '../../db/shared-clock.ts';
import { COPIED_TABLES, type CopiedTable, TABLE_KEYS } from '../../db/table-keys.ts';
import type { Context } from '../queue/context.ts';
import { endQueues } from '../settings/delete-waitlist.ts';

/** Keeps each transaction to a few milliseconds, so that other work can run in between. */
const STEP = 500;
const PAUSE_BETWEEN_STEPS_MS = 20;
/** An attempt that was under way is recorded when it ends: a mail server has 10 minutes to respond. */
export const LATE_ROWS_MS = 15 * 60_000;

/** What belongs to a queue or a waitlist begins its key with it. What refers to others comes first. */
const ownedBy = (owner: string) =>
  COPIED_TABLES.filter((table) => TABLE_KEYS[table][0] === owner).toReversed();
const OF_QUEUE = ownedBy('queue_id');
const OF_WAITLIST = ownedBy('waitlist_id');

/**
 * Removes the rows of deleted waitlists, which nobody can read any more. It can stop anywhere, and several
 * instances can do it at once.
 */
export async function removeDeleted(context: Context, enough: () => boolean = () => false): Promise<void> {
  const { db } = context;
  const now = await sharedNow(context);
  const deleted = await db.query
    .selectFrom('waitlist')
    .select(['id', 'deleted_at'])
    .where('deleted_at', 'is not', null)
    .orderBy('id')
    .execute();
  for (const { id } of deleted) await endQueues(context, id);
  for (const { id, deleted_at } of deleted) {
    const queues = await db.query.selectFrom('queue').select('id').where('waitlist_id', '=', id).execute();
    for (const queue of queues) {
      for (const table of OF_QUEUE) await removeRows(context, table, queue.id, enough);
    }
    for (const table of OF_WAITLIST) await removeRows(context, table, id, enough);
    if (enough()) return;
    if (now - (deleted_at ?? now) >= LATE_ROWS_MS) await removeEmpty(context, id);
  }
}

/** Continues after the last removed row: PostgreSQL would step over the removed ones again and again. */
async function removeRows(
  { db }: Context,
  table: CopiedTable,
  owner: number,
  enough: () => boolean,
): Promise<void> {
  const [ownerColumn, ...rest] = TABLE_KEYS[table].map((column) => sql.ref(column));
  const key = sql.join(rest.length === 0 ? [ownerColumn] : rest);
  const columns = TABLE_KEYS[table].slice(rest.length === 0 ? 0 : 1);
  const ours = sql`${ownerColumn} = ${owner}`;
  let after = sql`true`;
  while (!enough()) {
    const { rows } = await sql<Record<string, unknown>>`select ${key} from ${sql.table(table)}
      where ${ours} and ${after} order by ${key} limit 1 offset ${STEP - 1}`.execute(db.query);
    const [last] = rows;
    const upTo = last && sql.join(columns.map((column) => last[column]));
    await sql`delete from ${sql.table(table)}
      where ${ours} and ${after} ${upTo ? sql`and (${key}) <= (${upTo})` : sql``}`.execute(db.query);
    if (!upTo) return;
    after = sql`(${key}) > (${upTo})`;
    await pause(PAUSE_BETWEEN_STEPS_MS);
  }
}

async function removeEmpty({ db }: Context, waitlistId: number): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.deleteFrom('queue').where('waitlist_id', '=', waitlistId).execute();
    await trx.deleteFrom('waitlist').where('id', '=', waitlistId).execute();
  });
}
