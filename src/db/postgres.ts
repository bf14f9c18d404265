import { CompiledQuery, sql } from 'kysely';
import type { ColumnType } from './column.ts';
import type { BulkInsert, BulkUpdate, Database } from './database.ts';
import { claimDeliveries } from './postgres-claims.ts';
import { PostgresConnection, queriesOver, type Runner } from './postgres-dialect.ts';
import { rethrow } from './postgres-errors.ts';
import { freezeDatabase } from './postgres-freeze.ts';
import { CHANNEL, listenForNotifications } from './postgres-listen.ts';
import { LIMITS, openPool, type Pool, type PoolOptions, type PostgresLimits } from './postgres-pool.ts';
import { tryToWrite } from './postgres-probe.ts';
import { type Answer, arrayOf, type Command } from './postgres-session.ts';
import { CLOCK_MS, postgresSpelling } from './postgres-spelling.ts';
import { analyzeGrownTables } from './postgres-statistics.ts';
import { inTransaction } from './postgres-transaction.ts';
import { refuseOldServer } from './postgres-trouble.ts';
import { type NamedQuery, named } from './statement.ts';
import type { Tables } from './tables.ts';

/** Any number, as long as every Doorlist uses the same one. */
export const SCHEMA_LOCK = 7_362_015_001;
/** Likewise; the second number is the queue's. */
const DELIVERIES_LOCK = 736_201_500;

export interface PostgresOptions extends Pick<PoolOptions, 'url' | 'poolSize' | 'onState'> {
  /** Where notifications are listened for; by default where everything else happens. */
  listenUrl?: string | undefined;
  limits?: Partial<PostgresLimits> | undefined;
}

export async function openPostgres({
  url,
  listenUrl = url,
  limits,
  ...rest
}: PostgresOptions): Promise<Database> {
  const pool = openPool({ url, limits: { ...LIMITS, ...limits }, ...rest });
  const patient = database(pool, listenUrl, { long: true });
  const db = database(pool, listenUrl, { long: false }, patient);
  try {
    const { rows } = await sql<{
      version: number;
    }>`select current_setting('server_version_num')::bigint as version`.execute(db.query);
    refuseOldServer(rows[0]?.version ?? 0, url);
  } catch (error) {
    await pool.close();
    throw error;
  }
  return db;
}

function database(pool: Pool, listenUrl: string, time: { long: boolean }, patient?: Database): Database {
  const run: Runner = time.long
    ? (command) => inTransaction(pool, (_, session) => session.run(command).catch(rethrow), time)
    : (command) => runAlone(pool, command);
  const connection = new PostgresConnection(run);
  const query = queriesOver(connection);
  const db: Database = {
    ...postgresSpelling,
    engine: 'postgres',
    describe: () => 'postgres',
    pollMs: 5_000, // Other instances notify.
    query,
    read: async ({ name, sql: text, parameters }) =>
      (await run({ name, text, values: parameters })).rows as never[],
    run: async (statement, values) => {
      const { name, sql: text, parameters } = statement.bind(postgresSpelling, values);
      return (await run({ name, text, values: parameters })).rows as never[];
    },
    transaction: (work) => inTransaction(pool, work, time),
    snapshot: (work) => inTransaction(pool, work, { ...time, snapshot: true }),
    lockSchema: async (trx) => {
      await sql`select pg_advisory_xact_lock(${SCHEMA_LOCK})`.execute(trx);
    },
    hasTable: async (executor, name) => {
      // Not to_regclass: it may still remember that there was no table when another process has just made it.
      const found = await sql`select 1 from information_schema.tables
        where table_schema = current_schema() and table_name = ${name}`.execute(executor);
      return found.rows.length > 0;
    },
    spell: (statement) =>
      statement
        .replace(/\bbytes\b/g, 'bytea')
        .replace(/\bserial_key\b/g, 'bigint generated always as identity primary key')
        .replace(/\) clustered$/, ')'),
    insertRows: async (trx, bulk) => {
      if (bulk.rows.length > 0) await trx.send(bulkQuery(insertSql(bulk), bulk));
    },
    updateRows: async (trx, bulk) => {
      if (bulk.rows.length > 0) await trx.send(bulkQuery(updateSql(bulk), bulk));
    },
    freeze: freezeDatabase,
    continueNumbers: async (trx, table) => {
      await sql`select setval(pg_get_serial_sequence(${table}, 'id'), max(id)) from ${sql.table(table)}`.execute(
        trx,
      );
    },
    now: async (trx) => {
      const [row] = trx
        ? await trx.send<{ now: number }>(CLOCK)
        : (await connection.executeQuery<{ now: number }>(CLOCK)).rows;
      return row?.now ?? Date.now();
    },
    claimDeliveries,
    lockDeliveries: async (trx, queueIds, how) => {
      if (queueIds.length > 0) await trx.send(lockQuery(queueIds, how));
    },
    markErased: async () => {},
    wipeErased: async () => true, // Vacuuming is the server's own business.
    notify: async () => {
      await run({ text: `notify ${CHANNEL}` });
    },
    listen: (notified) => listenForNotifications({ url: listenUrl, limits: pool.limits, notified }),
    refreshStatistics: () => analyzeGrownTables(pool),
    shrinkLog: async () => {}, // The server does.
    usage: async () => {
      const { rows } = await sql<{ bytes: number; connections: number }>`select
        pg_database_size(current_database()) as bytes,
        (select count(*) from pg_stat_activity where datname = current_database()
          and application_name = 'doorlist' and pid <> pg_backend_pid()) as connections`.execute(query);
      return { bytes: 0, connections: 0, ...rows[0], logBytes: null, freeBytes: null };
    },
    probe: () => tryToWrite(pool),
    close: () => pool.close(),
    get patient() {
      return patient ?? db;
    },
  };
  return db;
}

async function runAlone(pool: Pool, { text, name, values }: Command): Promise<Answer> {
  const keptAs = name === undefined || pool.throughPooler ? {} : { name };
  const { rows, command, rowCount } = await pool.query({ text, values: values as unknown[], ...keptAs });
  return { rows, command, count: rowCount ?? 0 };
}

const CLOCK = named(CompiledQuery.raw(`select ${CLOCK_MS} as now`)) as NamedQuery<{ now: number }>;

/** Advisory, in shared memory: rows would have to be written to be locked, and in the same order by everybody. */
function lockQuery(queueIds: readonly number[], how: 'shared' | 'exclusive'): NamedQuery {
  const lock = how === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  const text = `select ${lock}(${DELIVERIES_LOCK}, id::integer) from unnest($1::bigint[]) as q (id)`;
  return named(CompiledQuery.raw(text, [arrayOf(queueIds)]));
}

const ARRAY_TYPE: Record<ColumnType, string> = { bigint: 'bigint[]', text: 'text[]', bytes: 'bytea[]' };

/** Rows travel as one array for each column, so that the statement stays the same however many there are. */
function unnest(columns: object): string {
  const arrays = Object.values(columns).map(
    (type: ColumnType, index) => `$${index + 1}::${ARRAY_TYPE[type]}`,
  );
  return `unnest(${arrays.join(', ')}) as v (${Object.keys(columns).join(', ')})`;
}

function insertSql<T extends keyof Tables & string>({ table, columns, suffix = '' }: BulkInsert<T>): string {
  // Ids that the server would hand out are taken as they are: only a copy brings any.
  return `insert into ${table} (${Object.keys(columns).join(', ')}) overriding system value
    select * from ${unnest(columns)} ${suffix}`;
}

function updateSql<T extends keyof Tables & string>({ table, columns, key }: BulkUpdate<T>): string {
  const isKey = (name: string) => (key as readonly string[]).includes(name);
  const set = Object.keys(columns).filter((name) => !isKey(name));
  const assignments = set.map((name) => `${name} = v.${name}`).join(', ');
  const match = key.map((name) => `t.${name} = v.${name}`).join(' and ');
  return `update ${table} as t set ${assignments} from ${unnest(columns)} where ${match}`;
}

function bulkQuery(text: string, { columns, rows }: { columns: object; rows: unknown[][] }): NamedQuery {
  const arrays = Object.keys(columns).map((_, index) => arrayOf(rows.map((row) => row[index])));
  return named(CompiledQuery.raw(text, arrays));
}
