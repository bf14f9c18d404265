import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { MessagePort } from 'node:worker_threads';
import { Kysely, sql } from 'kysely';
import { invalid } from '../../lib/errors.ts';
import { type Database, SchemaSuperseded } from '../database.ts';
import { SCHEMA_VERSION } from '../migrate.ts';
import { WIDENING } from '../schema/schema.ts';
import type { Lookup, NamedQuery } from '../statement.ts';
import type { Tables } from '../tables.ts';
import { type OpenTrx, openTrx } from '../trx.ts';
import { insertOf, updateOf } from './bulk.ts';
import { claimDeliveries } from './claims.ts';
import { SnapshotConnection, type SqlConnection, SqliteConnection, WriterConnection } from './connections.ts';
import { kyselyDialect, sqliteDialect } from './dialect.ts';
import { widenList } from './known-schema.ts';
import { openReader } from './reader.ts';
import { closeToEarlier } from './schema-gate.ts';
import { watchForChanges } from './watch.ts';
import { countErasure, wipeErased } from './wipe.ts';
import { joinWriter, LOG_LIMIT_BYTES, startWriter, type Writer } from './writer.ts';

/** A commit this recent proves that the database is writable. */
const COMMIT_PROVES_MS = 1_000;

interface SqliteOptions {
  /** From `share`, of the writer of another thread. */
  port?: MessagePort | undefined;
  /** Called before a read fails because the file is damaged. */
  onDamage?: (error: Error) => void;
}

/**
 * Embedded SQLite. Reads run directly on this thread, because in WAL mode they never wait. Everything else
 * goes to the writer's thread, so that neither an fsync nor another process's lock blocks the event loop.
 */
export async function openSqlite(
  file: string,
  { port, onDamage = () => {} }: SqliteOptions = {},
): Promise<Database> {
  const superseding = new AbortController();
  const onSuperseded = () => superseding.abort();
  const writer = await (port
    ? joinWriter(port, file, onSuperseded)
    : startWriter(file, SCHEMA_VERSION, onSuperseded));
  const reader = openReader(file, onDamage);
  const { read } = reader;
  const query = new Kysely<Tables>({ dialect: kyselyDialect(new SqliteConnection(read, writer)) });
  const { trx, begin, failure } = openOver(new WriterConnection(writer));
  const watch = watchForChanges(reader.version, { looksForOthers: port === undefined });
  let committedAt = Number.NEGATIVE_INFINITY;

  const db: Database = {
    ...sqliteDialect,
    canReach: () => true,
    engine: 'sqlite',
    query,
    run: (statement, values) => read(statement.bind(sqliteDialect, values)),
    find: <P, O>(lookup: Lookup<P, O>, key: P) => read<O>(lookup.bind(sqliteDialect, key))[0],
    transaction: async (work) => {
      const release = await writer.lock();
      begin();
      try {
        const begun = writer.run({ sql: 'begin immediate' });
        begun.catch(() => {}); // The next statement fails for the same reason.
        const result = await work(trx);
        await writer.run({ sql: 'commit' });
        committedAt = performance.now();
        watch.check();
        return result;
      } catch (error) {
        const cause = failure() ?? error;
        await writer.run({ sql: 'rollback' }).catch(() => {});
        throw cause;
      } finally {
        release();
      }
    },
    repeat: (work) => work(), // There is only one writer, so no rival.
    locksAtServer: false,
    snapshot: async (work) => {
      const own = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
      try {
        own.exec('begin');
        return await work(openOver(new SnapshotConnection(own, file)).trx);
      } finally {
        own.close();
      }
    },
    replica: async () => db,
    get unlimited() {
      return db; // Its statements have no time limit.
    },
    lockSchema: async () => {}, // `begin immediate` already locks.
    closeToEarlier,
    superseded: superseding.signal,
    sessionOf: async () => 0,
    blockersOf: async () => [],
    schemaLockedSince: async () => undefined,
    hasTable: async (executor, name) => {
      const found = await sql`select 1 from sqlite_master where type = 'table' and name = ${name}`.execute(
        executor,
      );
      return found.rows.length > 0;
    },
    spell: (statement) =>
      statement
        .replace(/\bbytes\b/g, 'blob')
        .replace(/\bbigint\b/g, 'integer')
        .replace(/\bserial_key\b/g, 'integer primary key')
        .replace(WIDENING, (_, table, column, values, more) =>
          widenList(table, `${column} in (${values}`, `, ${more}`),
        )
        .replace(/^(create table [\s\S]*\))( clustered)?$/, (_, table, clustered) =>
          clustered ? `${table} strict, without rowid` : `${table} strict`,
        ),
    freeze: async () => {}, // `begin immediate` keeps other writers out, and reads see a snapshot.
    continueNumbers: async () => {}, // The next id always follows the highest one.
    now: async () => Date.now(), // There is only one machine.
    claimDeliveries,
    lockDeliveries: () => {}, // There is only one writer.
    markErased: (trx) => trx.write(countErasure, {}),
    wipeErased: () => wipeErased(writer),
    notify: async () => {},
    listen: async () => async () => {}, // `onChange` also notices other processes.
    onChange: watch.listen,
    noteChange: watch.note,
    share: writer.share,
    distribute: async () => {
      throw invalid('SQLite has no workers to spread queues over: use PostgreSQL with Citus');
    },
    clusterWorkers: async () => null,
    refreshStatistics: async () => {}, // Its plans depend only on the indexes.
    shrinkLog: () => shrinkLog(file, writer),
    usage: async () => {
      const { bavail, bsize } = await statfs(path.dirname(file));
      const bytes = statSync(file).size;
      return {
        bytes,
        logBytes: sizeOfLog(file),
        logLimitBytes: 4 * LOG_LIMIT_BYTES,
        freeBytes: bavail * bsize,
        connections: null,
      };
    },
    workers: async () => null, // The one server does everything.
    missingGrants: async () => undefined, // The file has no users.
    connectionLimit: async () => null,
    connections: () => null,
    probe: async () => {
      if (superseding.signal.aborted) throw new SchemaSuperseded();
      if (performance.now() - committedAt < COMMIT_PROVES_MS) return;
      // Writes a page although nothing changes, because only that detects a full disk.
      await watch.withoutTelling(() =>
        db.transaction((trx) => trx.updateTable('instance').set({ id: 1 }).execute()),
      );
    },
    close: async () => {
      watch.close();
      await query.destroy();
      reader.close();
      await writer.close();
    },
  };
  return db;
}

/**
 * Readers in other processes can block a checkpoint. The log then grows, and is truncated when they are gone.
 */
async function shrinkLog(file: string, writer: Writer): Promise<boolean> {
  if (sizeOfLog(file) <= LOG_LIMIT_BYTES) return true;
  const release = await writer.lock();
  try {
    await writer.run({ sql: 'pragma wal_checkpoint(truncate)' }); // Does not wait for readers. The next round tries again.
    return sizeOfLog(file) <= LOG_LIMIT_BYTES;
  } finally {
    release();
  }
}

function sizeOfLog(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

function openOver(connection: SqlConnection): OpenTrx {
  const builder = new Kysely<Tables>({ dialect: kyselyDialect(connection) });
  const execute = async <O>(query: NamedQuery<O>) => (await connection.executeQuery<O>(query)).rows;
  return openTrx(builder, { dialect: sqliteDialect, execute, insertOf, updateOf });
}
