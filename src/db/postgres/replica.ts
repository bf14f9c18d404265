import type { Database } from '../database.ts';
import { postgresDialect } from './dialect.ts';
import { PostgresConnection, queriesOver, type Runner } from './kysely.ts';
import type { Pool, PoolOptions } from './pool.ts';
import { runAlone } from './transaction.ts';

/** A replica that is further behind is not worth waiting for. */
const CATCH_UP_MS = 1_000;
const LOOK_EVERY_MS = 20;
export class ReplicaBehind extends Error {
  override name = 'ReplicaBehind';
}

/** After a failure, so that not every read waits for a replica that is switched off. */
const REST_MS = 10_000;

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
      const { name, sql: text, parameters } = statement.bind(postgresDialect, values);
      return (await run({ name, text, values: parameters })).rows as never[];
    },
  };
  return async () => {
    if (performance.now() < restUntil) return primary;
    const { rows } = await askPrimary({ text: 'select pg_current_wal_lsn()::text as position' });
    try {
      await catchUp(pool, String(rows[0]?.position));
      onState?.('ok');
      return replica;
    } catch (error) {
      rest(error as Error);
      return primary;
    }
  };
}

async function catchUp(pool: Pool, position: string): Promise<void> {
  const question = {
    text: 'select pg_last_wal_replay_lsn() >= $1::pg_lsn as there',
    values: [position],
  };
  for (const giveUpAt = performance.now() + CATCH_UP_MS; ; ) {
    const { rows } = await runAlone(pool, question);
    if (rows[0]?.there === true) return;
    if (performance.now() >= giveUpAt) throw new ReplicaBehind('it is too far behind the primary');
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
