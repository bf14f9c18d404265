import { createDatabase } from '../test/support/databases.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { signUpInBatches } from './batches.ts';
import { type Comparison, compare } from './comparison.ts';
import { createKey, endpointComparisons } from './endpoints.ts';
import { textFlag, wantsEngine } from './flags.ts';
import {
  type Running,
  type RunningDoorlist,
  startBare,
  startBarePipeline,
  startDoorlist,
} from './processes.ts';
import { postmasterOf } from './processor-time.ts';
import { printTable, type Row } from './report.ts';
import { startSlowLink } from './slow-link.ts';
import { requireWrk } from './wrk.ts';

const MEMORY_SIGNUPS = 200_000;
const MEMORY_BYTES_MAX = 250e6;
const DISTANCE_MS = 10;
const MEMORY = 'memory';

/**
 * The public endpoints compared with bare node:http in the same run, on both engines. `--engine` and `--row` choose one
 * engine, and the rows that have a text in their names.
 */
export async function benchApi(): Promise<boolean> {
  requireWrk();
  const bare = await startBare();
  try {
    const sqlite = !wantsEngine('sqlite') || (await onSqlite(bare));
    const postgres = !wantsEngine('postgres') || (await onPostgres(bare));
    return sqlite && postgres;
  } finally {
    await bare.stop();
  }
}

async function onSqlite(bare: Running): Promise<boolean> {
  const doorlist = await startDoorlist();
  const pipeline = await startBarePipeline();
  try {
    const bars = { signup: 0.6, lookup: 0.5, check: 0.6 };
    const rows = await compareAll(await endpointComparisons({ bare, pipeline, doorlist }, bars));
    const passed = printTable('SQLite, 64 connections, against bare node:http', rows);
    return (!isNamed(MEMORY) || (await measureMemory(doorlist))) && passed;
  } finally {
    await doorlist.stop();
    await pipeline.stop();
  }
}

async function onPostgres(bare: Running): Promise<boolean> {
  const server = await startPostgres();
  const started: { stop(): Promise<void> }[] = [];
  const starting = async <T extends { stop(): Promise<void> }>(one: Promise<T>) => {
    started.push(await one);
    return one;
  };
  const database = async () => (await createDatabase(server.url)).url;
  const link = await startSlowLink(await database());
  try {
    const doorlist = await starting(startDoorlist({ DATABASE_URL: await database() }));
    const pipeline = await starting(startBarePipeline({ DATABASE_URL: await database() }));
    const distant = await starting(startDoorlist({ DATABASE_URL: link.url }));
    link.slowDown(DISTANCE_MS);
    const bars = { signup: 0.4, lookup: 0.3, check: 0.35 };
    const all = await endpointComparisons({ bare, pipeline, doorlist, distant }, bars);
    const rows = await compareAll(all, await postmasterOf(server.url));
    return printTable('PostgreSQL, 64 connections, against bare node:http', rows);
  } finally {
    for (const one of started) await one.stop();
    await link.close();
    await server.stop();
  }
}

async function compareAll(all: Comparison[], postgres?: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const one of all.filter(({ what }) => isNamed(what))) rows.push(await compare(one, postgres));
  return rows;
}

function isNamed(row: string): boolean {
  return row.includes(textFlag('row') ?? '');
}

async function measureMemory(doorlist: RunningDoorlist): Promise<boolean> {
  const key = createKey(doorlist);
  const person = (n: number) => ({ email: `memory${n}@example.com` });
  await signUpInBatches(doorlist, { key, people: MEMORY_SIGNUPS, person });
  const used = doorlist.memory();
  const ok = used < MEMORY_BYTES_MAX;
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
  process.stdout.write(
    `  memory after ${MEMORY_SIGNUPS} more signups: ${megabytes(used)}, ${megabytes(doorlist.mappedMemory())} of it mapped from files (bar: under 250)  ${ok ? 'ok' : 'OVER'}\n`,
  );
  return ok;
}
