import type { Config } from '../config/config.ts';
import type { Database } from '../db/database.ts';
import { explainPostgres } from '../db/postgres/explain.ts';
import { openPostgres } from '../db/postgres/open.ts';
import type { PostgresLimits } from '../db/postgres/pool.ts';
import { ReplicaUnusable } from '../db/postgres/replica.ts';
import type { Log } from '../lib/log.ts';
import { reportState } from '../lib/state-log.ts';

/** How many connections to PostgreSQL a thread may have. */
export interface ConnectionShare {
  pool: number;
  replica: number;
}

export interface PostgresOptions {
  limits?: Partial<PostgresLimits> | undefined;
  /** If the thread does not have all of them. */
  connections?: ConnectionShare | undefined;
  /** Whether another thread says what everybody finds at the start. */
  isQuiet?: boolean;
}

/** Opens the database at `url`, and says in the log what becomes of its servers. */
export function openPostgresOf(
  config: Config,
  url: string,
  log: Log,
  { limits, connections, isQuiet = false }: PostgresOptions,
): Promise<Database> {
  return openPostgres({
    url,
    poolSize: connections?.pool ?? config.databasePool,
    replicaPoolSize: connections?.replica,
    listenUrl: config.databaseListenUrl,
    replicaUrl: config.databaseReplicaUrl,
    onReplicaState: (state, error) => reportReplica(log, config.databaseReplicaUrl, state, error),
    limits,
    onState: (state, error) =>
      reportState(
        log,
        'database',
        state,
        error ? { reason: explainPostgres(error, url) ?? error.message } : {},
      ),
    onWorkers: (workers) =>
      reportState(log, 'cluster', workers.length === 0 ? 'ok' : 'a worker does not answer', { workers }),
    onServer: (server) => {
      if (!isQuiet) log.info({ server }, 'found the PostgreSQL server that accepts writes');
    },
    onListenState: (state, error) => reportListening(log, config.databaseListenUrl, state, error),
    onPlainText: (address) => {
      if (isQuiet) return;
      log.warn(
        { address },
        'the connection to PostgreSQL crosses a public network without TLS: add sslmode=verify-full to DATABASE_URL',
      );
    },
  });
}

/** Reads go to the primary meanwhile. */
function reportReplica(log: Log, url = '', state: string, error: Error | undefined): void {
  const words =
    error &&
    (error instanceof ReplicaUnusable ? error.message : (explainPostgres(error, url) ?? error.message));
  const reason = words?.replaceAll('DATABASE_URL', 'DATABASE_REPLICA_URL');
  reportState(log, 'read replica', state, reason === undefined ? {} : { reason });
}

/** Only for a URL of its own: otherwise everything says that the database is not available. */
function reportListening(log: Log, url: string | undefined, state: string, error: Error | undefined): void {
  if (url === undefined) return;
  const words = error && (explainPostgres(error, url) ?? error.message);
  const reason = words?.replaceAll('DATABASE_URL', 'DATABASE_LISTEN_URL');
  reportState(log, 'notifications', state, reason === undefined ? {} : { reason });
}
