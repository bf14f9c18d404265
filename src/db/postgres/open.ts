import { sql } from 'kysely';
import type { WorkersWatch } from '../cluster.ts';
import type { Database } from '../database.ts';
import { WIDENING } from '../schema/schema.ts';
import { type Statement, statement } from '../statement.ts';
import { TABLES } from '../tables.ts';
import { distributeTables } from './citus-distribute.ts';
import { isDistributed } from './citus-tables.ts';
import { createReach, type Reach, readWorkers } from './citus-workers.ts';
import { rethrow } from './errors.ts';
import { refuseOldServer } from './explain.ts';
import { DISTRIBUTED } from './flavor.ts';
import { freezeDatabase } from './freeze.ts';
import { PostgresConnection, queriesOver, type Runner } from './kysely.ts';
import { CHANNEL, LISTENER, type Notifications, shareNotifications } from './listen.ts';
import { openLookups } from './lookups.ts';
import { LIMITS, Pool, type PoolOptions, type PostgresLimits } from './pool.ts';
import { createProbe, grantsMissing, readConnectionLimit, selectDenied } from './probe.ts';
import { openReplica } from './replica.ts';
import { closeToEarlier } from './schema-gate.ts';
import { blockersOf, lockSchema, migratingSince } from './schema-lock.ts';
import { openServers } from './servers.ts';
import { analyzeGrownTables } from './statistics.ts';
import { inTransaction, repeatRolledBack, runAlone } from './transaction.ts';
import { connectTimeout } from './url.ts';

/** An arbitrary number that every Doorlist shares. The second key of the lock is the queue's id. */
const DELIVERIES_LOCK = 736_201_500;

const ALL_GRANTS = selectDenied(Object.keys(TABLES));

/** Reads of the admin API run a few statements at a time. */
export const REPLICA_POOL = 4;

interface PostgresOptions extends Pick<PoolOptions, 'poolSize' | 'onState' | 'onPlainText'> {
  /** May list several servers, of which the one is used that accepts writes. */
  url: string;
  /** Called if there are several, when another one than before is used. */
  onServer?: ((place: string) => void) | undefined;
  /** A standby for long reads. */
  replicaUrl?: string | undefined;
  replicaPoolSize?: number | undefined;
  onReplicaState?: PoolOptions['onState'];
  /** Where to listen for notifications. By default, the main URL. */
  listenUrl?: string | undefined;
  onListenState?: PoolOptions['onState'];
  onWorkers?: WorkersWatch | undefined;
  limits?: Partial<PostgresLimits> | undefined;
}

export async function openPostgres({
  url,
  listenUrl = url,
  replicaUrl,
  replicaPoolSize = REPLICA_POOL,
  onReplicaState,
  onListenState,
  onServer,
  onWorkers,
  limits: given,
  ...rest
}: PostgresOptions): Promise<Database> {
  const limits = { ...LIMITS, ...connectTimeout(url), ...given };
  const { connectMs } = limits;
  const servers = openServers(url, { connectMs, onFound: ({ place }) => onServer?.(place) });
  const pool = new Pool({ servers, limits, ...rest });
  const notifications = shareNotifications({
    servers: listenUrl === url ? servers : openServers(listenUrl, { connectMs }),
    ...{ limits, onState: onListenState, isDirect: listenUrl !== url },
  });
  const replicaPool =
    replicaUrl === undefined
      ? undefined
      : openReplicaPool(replicaUrl, replicaPoolSize, given, onReplicaState);
  const reach = createReach(queriesAlone(pool), { restored: pool.changes.tell, onWorkers });
  pool.onWorkerLoss = reach.doubt;
  const parts = { pool, notifications, replicaPool, onReplicaState, reach };
  try {
    if (await isDistributed(queriesAlone(pool))) pool.flavor = DISTRIBUTED;
    if (replicaPool) replicaPool.flavor = pool.flavor;
  } catch (error) {
    await pool.close();
    throw error;
  }
  const unlimited = database(parts, { long: true });
  const db = database(parts, { long: false }, unlimited);
  try {
    const { rows } = await sql<{
      version: number;
    }>`select current_setting('server_version_num')::bigint as version`.execute(db.query);
    refuseOldServer(rows[0]?.version ?? 0, url);
  } catch (error) {
    await db.close();
    throw error;
  }
  return db;
}

function queriesAlone(pool: Pool): Database['query'] {
  return queriesOver(new PostgresConnection((command) => runAlone(pool, command)));
}

function openReplicaPool(
  url: string,
  poolSize: number,
  given: Partial<PostgresLimits> | undefined,
  onState: PoolOptions['onState'],
): Pool {
  const limits = { ...LIMITS, ...connectTimeout(url), ...given };
  return new Pool({ servers: openServers(url, limits), poolSize, limits, onState });
}

interface Parts {
  readonly pool: Pool;
  readonly replicaPool: Pool | undefined;
  readonly onReplicaState: PoolOptions['onState'];
  readonly notifications: Notifications;
  readonly reach: Reach;
}

function database(
  { pool, replicaPool, notifications, onReplicaState, reach }: Parts,
  time: { long: boolean },
  unlimited?: Database,
): Database {
  const runOnce: Runner = time.long
    ? (command) => inTransaction(pool, (_, session) => session.run(command).catch(rethrow), time)
    : (command) => runAlone(pool, command);
  const run: Runner = (command) => repeatRolledBack(() => runOnce(command));
  const connection = new PostgresConnection(run);
  const query = queriesOver(connection);
  const { dialect, isDistributed: isSpread } = pool.flavor;
  const db: Database = {
    ...dialect,
    reachable: (queueId) =>
      reach.queues ? dialect.in(queueId, [...reach.queues]) : dialect.reachable(queueId),
    canReach: (queueId) => reach.queues?.has(queueId) ?? true,
    engine: 'postgres',
    query,
    run: async (statement, values) => {
      const { name, sql: text, parameters } = statement.bind(dialect, values);
      return (await run({ name, text, values: parameters })).rows as never[];
    },
    find: isSpread ? async (lookup, key) => (await db.run(lookup, key))[0] : openLookups(run),
    transaction: (work, { repeatable = true } = {}) => {
      const attempt = () => inTransaction(pool, work, time);
      return repeatable ? repeatRolledBack(attempt) : attempt();
    },
    repeat: repeatRolledBack,
    locksAtServer: true,
    snapshot: (work) => inTransaction(pool, work, { ...time, snapshot: true }),
    lockSchema: (trx) => lockSchema(trx, pool.refusedSettings),
    closeToEarlier,
    superseded: pool.superseded,
    sessionOf: async (trx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
      return rows[0]?.pid ?? 0;
    },
    blockersOf: (session) => blockersOf(query, session),
    schemaLockedSince: () => migratingSince(query),
    hasTable: async (executor, name) => {
      // Not to_regclass, which can return a cached result from before another process created the table, and not the
      // information schema, which hides tables that this user may not use.
      const found = await sql`select 1 from pg_catalog.pg_tables
        where schemaname = current_schema() and tablename = ${name}`.execute(executor);
      return found.rows.length > 0;
    },
    spell: (statement) =>
      statement
        .replace(/\bbytes\b/g, 'bytea')
        .replace(/\bserial_key\b/g, 'bigint generated always as identity primary key')
        .replace(WIDENING, (_, table, column, values, more) => {
          const name = `${table}_${column}_check`;
          // What was allowed still is, so that no row needs to be checked.
          return `alter table ${table} drop constraint ${name},
            add constraint ${name} check (${column} in (${values}, ${more})) not valid`;
        })
        .replace(/\) clustered$/, ')'),
    freeze: (trx) => freezeDatabase(trx, pool.refusedSettings),
    continueNumbers: async (trx, table) => {
      await sql`select setval(pg_get_serial_sequence(${table}, 'id'), max(id)) from ${sql.table(table)}`.execute(
        trx,
      );
    },
    now: async (trx) => {
      const [row] = await (trx ?? db).run(readClock, {});
      return row?.now ?? Date.now();
    },
    claimDeliveries: pool.flavor.claimDeliveries,
    lockDeliveries: (trx, queueIds, how) => {
      if (queueIds.length > 0) trx.write(how === 'shared' ? shareDeliveries : lockDeliveries, { queueIds });
    },
    markErased: () => {},
    wipeErased: async () => true, // The server vacuums by itself.
    notify: async () => {
      await run({ text: `notify ${CHANNEL}` });
    },
    listen: notifications.listen,
    onChange: pool.changes.listen,
    noteChange: pool.changes.tell,
    share: () => undefined, // Each thread has its own connections.
    refreshStatistics: () => analyzeGrownTables(pool),
    shrinkLog: async () => true, // The server does this.
    usage: async () => {
      const { rows } = await sql<{ bytes: number; connections: number }>`select
        pg_database_size(current_database()) as bytes,
        (select count(*) from pg_stat_activity where datname = current_database()
          and application_name = 'doorlist' and pid <> pg_backend_pid()) as connections`.execute(query);
      return { bytes: 0, connections: 0, ...rows[0], logBytes: null, logLimitBytes: null, freeBytes: null };
    },
    workers: async () => {
      if (pool.throughPooler && !notifications.isDirect) return null; // Then nobody can listen.
      const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
        where datname = current_database() and application_name = ${LISTENER}`.execute(query);
      return rows[0]?.count ?? null;
    },
    missingGrants: async () => {
      const { rows } = await run({ text: ALL_GRANTS });
      return grantsMissing(rows[0]);
    },
    connectionLimit: () => (pool.throughPooler ? Promise.resolve(null) : readConnectionLimit(query)),
    connections: () => pool.connections(),
    distribute: distributeTables,
    clusterWorkers: () => readWorkers(query),
    probe: createProbe(pool),
    close: async () => {
      await reach.close();
      await Promise.all([pool.close(), replicaPool?.close()]);
    },
    replica: async () => db,
    get unlimited() {
      return unlimited ?? db;
    },
  };
  if (replicaPool) db.replica = openReplica(replicaPool, db, { askPrimary: run, onState: onReplicaState });
  return db;
}

const readClock = statement<object, { now: number }>((db) => ({
  compile: () => sql<{ now: number }>`select ${db.clock} as now`.compile(db.query),
}));

const lockDeliveries = lockedBy('pg_advisory_xact_lock');
const shareDeliveries = lockedBy('pg_advisory_xact_lock_shared');

/**
 * Advisory locks live in shared memory. Row locks would have to be written, and taken in the same order
 * everywhere.
 */
function lockedBy(lock: string): Statement<{ queueIds: readonly number[] }, unknown> {
  return statement((db, parameter) => ({
    compile: () =>
      sql`select ${sql.raw(lock)}(${sql.lit(DELIVERIES_LOCK)}, id::integer)
        from unnest(${parameter('queueIds')}::bigint[]) as q (id)`.compile(db.query),
  }));
}
