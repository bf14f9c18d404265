import { setTimeout as pause } from 'node:timers/promises';
import { type Database, DatabaseUnavailable } from '../database.ts';
import { PostgresConnection, queriesOver, type Runner } from './kysely.ts';
import type { Pool, PoolOptions } from './pool.ts';
import { runAlone } from './transaction.ts';

/** A replica that is further behind is not worth waiting for. */
const CATCH_UP_MS = 1_000;
const LOOK_EVERY_MS = 20;
/** After a failure, so that not every read waits for a replica that is switched off. */
const REST_MS = 10_000;

export class ReplicaUnusable extends Error {
  override name = 'ReplicaUnusable';
}

/**
 * Returns a function that resolves to the replica once it has everything that was committed before the call. What it
 * cannot answer, now or later, the primary does.
 */
export function openReplica(
  pool: Pool,
  primary: Database,
  { askPrimary, onState }: { askPrimary: Runner; onState: PoolOptions['onState'] },
): () => Promise<Database> {
  let restUntil = Number.NEGATIVE_INFINITY;
  const rest = (error: Error) => {
    restUntil = performance.now() + REST_MS;
    onState?.('unavailable', error);
  };
  const run: Runner = async (command) => {
    if (performance.now() < restUntil) return askPrimary(command);
    return runAlone(pool, command).catch((error: Error) => {
      rest(error);
      return askPrimary(command);
    });
  };
  const replica: Database = {
    ...primary,
    query: queriesOver(new PostgresConnection(run)),
    run: async (statement, values) => {
      const { name, sql: text, parameters } = statement.bind(pool.flavor.dialect, values);
      return (await run({ name, text, values: parameters })).rows as never[];
    },
  };
  return async () => {
    if (performance.now() < restUntil) return primary;
    const position = await positionOf(askPrimary);
    try {
      await catchUp(pool, position);
      onState?.('ok');
      return replica;
    } catch (error) {
      rest(error as Error);
      return primary;
    }
  };
}

/** How far the primary's log is. undefined from an engine that has no such thing. */
async function positionOf(askPrimary: Runner): Promise<string | undefined> {
  try {
    const { rows } = await askPrimary({ text: 'select pg_current_wal_lsn()::text as position' });
    return rows[0]?.position as string;
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    return undefined;
  }
}

async function catchUp(pool: Pool, position: string | undefined): Promise<void> {
  if (position === undefined) throw new ReplicaUnusable('the primary cannot tell how far its log is');
  const question = {
    text: 'select pg_last_wal_replay_lsn() >= $1::pg_lsn as there',
    values: [position],
  };
  for (const giveUpAt = performance.now() + CATCH_UP_MS; ; ) {
    const { rows } = await runAlone(pool, question);
    if (rows[0]?.there === true) return;
    if (performance.now() >= giveUpAt) throw new ReplicaUnusable('it is too far behind the primary');
    await pause(LOOK_EVERY_MS);
  }
}
