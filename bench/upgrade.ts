import { sql } from 'kysely';
import { readConfig } from '../src/config/config.ts';
import type { Database, Engine } from '../src/db/database.ts';
import { SCHEMA } from '../src/db/schema/schema.ts';
import { openDatabase } from '../src/installation/open.ts';
import { createLogger } from '../src/lib/log.ts';
import { EARLIER, fillAsEarlier, NEXT_RELEASE } from '../test/support/earlier.ts';
import { freePort } from '../test/support/free-port.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { runCommandAs, startCommandAs } from '../test/support/process.ts';
import { createStorage, type Storage } from '../test/support/storage.ts';

const ENTRIES = 1_000_000;
const INVITES = 100_000;
/** An update may take this many times as long as it took to write the rows. */
const BAR = 3;
const ASK_EVERY_MS = 20;

/** A million entries from release 0.1.0 by the migrations of the tests: how long, and what callers get meanwhile. */
export async function benchUpgrade(): Promise<boolean> {
  const sqlite = await onEngine('sqlite');
  const server = await startPostgres();
  try {
    return (await onEngine('postgres', server.url)) && sqlite;
  } finally {
    await server.stop();
  }
}

async function onEngine(engine: Engine, serverUrl?: string): Promise<boolean> {
  const storage = await createStorage(engine, serverUrl === undefined ? {} : { serverUrl });
  try {
    await fillAsEarlier(storage);
    const writtenInMs = await withDatabase(storage, (db) => fill(db, engine));
    const { tookMs, answers, kills } = await upgrade(storage);
    const left = await withDatabase(storage, check);
    const ratio = tookMs / writtenInMs;
    const passed = ratio <= BAR && left;
    process.stdout.write(
      `\n${engine}: ${ENTRIES.toLocaleString('en')} entries from version ${EARLIER}, killed ${kills} times meanwhile\n` +
        `  time, as a multiple of writing the rows: ${ratio.toFixed(2)} (bar: <= ${BAR})  ${passed ? 'ok' : 'WRONG'}\n` +
        `  answers meanwhile: ${[...answers].map(([what, count]) => `${what} (${count})`).join(', ')}\n`,
    );
    return passed;
  } finally {
    await storage.remove();
  }
}

async function withDatabase<T>(storage: Storage, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await openDatabase(readConfig(storage.environment), createLogger('silent'));
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** More rows that the schema accepts. What is sealed in them is never opened. Returns how long it took. */
async function fill(db: Database, engine: Engine): Promise<number> {
  const { id: queueId } = await db.query.selectFrom('queue').select('id').executeTakeFirstOrThrow();
  const startedAt = performance.now();
  const postgres = engine === 'postgres';
  const bytes = (text: string) => sql.raw(postgres ? `decode(md5(${text}), 'hex')` : `randomblob(16)`);
  const hash = (text: string) =>
    sql.raw(postgres ? `decode(md5(${text}) || md5('x' || ${text}), 'hex')` : 'randomblob(32)');
  const numbers = (most: number) =>
    sql.raw(
      postgres
        ? `(select n from generate_series(1, ${most}) as n) as numbers`
        : `(with recursive c(n) as (select 1 union all select n + 1 from c where n < ${most}) select n from c) as numbers`,
    );
  const text = postgres ? 'n::text' : 'n';
  // Created after the rows, because hashes arrive in no order.
  const indexes = SCHEMA.statements.filter((text) => / index (entry|invite)_/.test(text));
  await db.unlimited.transaction(async (trx) => {
    for (const index of indexes) await sql.raw(`drop ${/index \w+/.exec(index)?.[0]}`).execute(trx);
    await sql`insert into entry (queue_id, seq, id, status, rank, person, email_hash, created_at)
      select ${queueId}, n + 1000, ${bytes(text)}, 'waiting', n + 1000, ${hash(text)}, ${hash(text)}, 1700000000000 + n * 1000
      from ${numbers(ENTRIES)}`.execute(trx);
    await sql`insert into invite (queue_id, id, code_hash, email_hash, sealed, created_at)
      select ${queueId}, ${bytes(text)}, ${hash(text)}, ${hash(text)}, ${hash(text)}, 1700000000000 + n * 1000
      from ${numbers(INVITES)}`.execute(trx);
    for (const index of indexes) await sql.raw(index).execute(trx);
  });
  return performance.now() - startedAt;
}

interface Upgraded {
  tookMs: number;
  kills: number;
  answers: Map<string, number>;
}

/** By a server that is killed twice, beside a second one that wants to do the same. */
async function upgrade(storage: Storage): Promise<Upgraded> {
  const answers = new Map<string, number>();
  const startedAt = performance.now();
  let kills = 0;
  for (const delayMs of [2_000, 3_000]) {
    const { child, finished } = startCommandAs(NEXT_RELEASE, storage.environment, 'migrate');
    const timer = setTimeout(() => child.kill('SIGKILL'), delayMs);
    const { code } = await finished;
    clearTimeout(timer);
    if (code === null) kills += 1;
  }
  const port = await freePort();
  const { child, finished } = startCommandAs(
    NEXT_RELEASE,
    { ...storage.environment, PORT: String(port) },
    'serve',
  );
  let ended = false;
  finished.then(() => {
    ended = true;
  });
  const second = runCommandAs(NEXT_RELEASE, storage.environment, 'migrate');
  try {
    while (!ended && !(await ready(`http://127.0.0.1:${port}`, answers)))
      await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
    if (ended) throw new Error(`the server ended: ${(await finished).stderr}`);
    return { tookMs: performance.now() - startedAt, kills, answers };
  } finally {
    await second;
    child.kill('SIGTERM');
    await finished;
  }
}

async function ready(url: string, answers: Map<string, number>): Promise<boolean> {
  const note = (what: string) => answers.set(what, (answers.get(what) ?? 0) + 1);
  const ask = async (method: string, path: string) => {
    const answer = await fetch(url + path, { method }).catch(() => undefined);
    note(`${method} ${path}: ${answer?.status ?? 'no connection'}`);
    return answer?.status;
  };
  await ask('POST', '/sdk/v1/waitlist/signup');
  return (await ask('GET', '/readyz')) === 200;
}

async function check(db: Database): Promise<boolean> {
  const { rows } = await sql<{
    entries: number;
    counted: number;
  }>`select (select count(*) from entry) as entries, (select sum(entries) from entry_count) as counted`.execute(
    db.query,
  );
  const { entries, counted } = rows[0] ?? {};
  return Number(entries) >= ENTRIES && Number(counted) === Number(entries);
}
