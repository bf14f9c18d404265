import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import type { Database, Engine, Trx } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { type CopiedTable, NUMBERED_TABLES } from '../../src/db/table-keys.ts';
import { openDatabase } from '../../src/installation/open.ts';
import { createLogger } from '../../src/lib/log.ts';
import { VERSION } from '../../src/lib/root.ts';
import { startPostgres } from '../support/postgres.ts';
import { createInstallation } from '../support/release-rows.ts';
import { createStorage, type Storage } from '../support/storage.ts';

// Writes the schema and rows of this release as SQL, for the tests of later ones: bin/node test/upgrades/write-release.ts
const directory = path.join(import.meta.dirname, VERSION);
const { installation, rows } = await createInstallation();
mkdirSync(directory, { recursive: true });
writeFileSync(path.join(directory, 'installation.json'), `${JSON.stringify(installation, null, 2)}\n`);
const server = await startPostgres({ durable: false });
try {
  await write('sqlite', await createStorage('sqlite'));
  await write('postgres', await createStorage('postgres', { serverUrl: server.url }));
} finally {
  await server.stop();
}

async function write(engine: Engine, storage: Storage): Promise<void> {
  const statements = await schemaStatements(storage);
  for (const [table, found] of rows) for (const row of found) statements.push(insertOf(engine, table, row));
  if (engine === 'postgres')
    for (const table of NUMBERED_TABLES)
      statements.push(`select setval(pg_get_serial_sequence('${table}', 'id'), max(id)) from ${table}`);
  writeFileSync(path.join(directory, `${engine}.sql`), `${statements.join(';\n\n')};\n`);
  await storage.remove();
}

/** What creates the schema of an empty database. */
async function schemaStatements(storage: Storage): Promise<string[]> {
  const db = await openDatabase(readConfig(storage.environment), createLogger('silent'));
  const statements: string[] = [];
  try {
    await migrate(recording(db, statements));
  } finally {
    await db.close();
  }
  return statements;
}

function recording(db: Database, statements: string[]): Database {
  const recorded = (trx: Trx): Trx =>
    new Proxy(trx, {
      get: (target, name) => {
        const member = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...given: [{ sql: string }]) => {
          if (name === 'executeQuery' && !given[0].sql.startsWith('select')) statements.push(given[0].sql);
          return member.apply(target, given);
        };
      },
    });
  return { ...db, transaction: (work, options) => db.transaction((trx) => work(recorded(trx)), options) };
}

function insertOf(engine: Engine, table: CopiedTable, row: Record<string, unknown>): string {
  const isNumbered = NUMBERED_TABLES.some((name) => name === table);
  const how = engine === 'postgres' && isNumbered ? ' overriding system value' : '';
  const values = Object.values(row).map((value) => literal(engine, value));
  return `insert into ${table} (${Object.keys(row).join(', ')})${how}\n  values (${values.join(', ')})`;
}

function literal(engine: Engine, value: unknown): string {
  if (value === null || typeof value === 'number') return String(value);
  if (value instanceof Uint8Array) {
    const hex = Buffer.from(value).toString('hex');
    return engine === 'postgres' ? `'\\x${hex}'` : `x'${hex}'`;
  }
  return `'${String(value).replaceAll("'", "''")}'`;
}
