import { createDatabase } from '../test/support/databases.ts';
import { startPostgres } from '../test/support/postgres.ts';
import {
  type Running,
  type RunningDoorlist,
  startBare,
  startBarePipeline,
  startDoorlist,
} from './processes.ts';
import { perRequest, postmasterOf, processorTimeOf } from './processor-time.ts';
import { median, printTable, type Row } from './report.ts';
import { getScript, type Measured, randomGetScript, requireWrk, runWrk, signupScript } from './wrk.ts';

const ROUNDS = 3;
const SECONDS = 4;
const SEEDED = 20_000;
const MEMORY_SIGNUPS = 200_000;
const MEMORY_BYTES_MAX = 250e6;
const SIGNUP = '/sdk/v1/waitlist/signup';

/** The public endpoints compared with bare node:http in the same run, on both engines. */
export async function benchApi(): Promise<boolean> {
  requireWrk();
  const bare = await startBare();
  try {
    const sqlite = await onSqlite(bare);
    const postgres = await onPostgres(bare);
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
    const rows = await measureEndpoints({ bare, pipeline, doorlist, bars });
    const passed = printTable('SQLite, 64 connections, against bare node:http', rows);
    return (await measureMemory(doorlist)) && passed;
  } finally {
    await doorlist.stop();
    await pipeline.stop();
  }
}

async function onPostgres(bare: Running): Promise<boolean> {
  const server = await startPostgres();
  const ours = await createDatabase(server.url);
  const theirs = await createDatabase(server.url);
  const doorlist = await startDoorlist({ DATABASE_URL: ours.url });
  const pipeline = await startBarePipeline({ DATABASE_URL: theirs.url });
  try {
    const postgres = await postmasterOf(server.url);
    const bars = { signup: 0.35, lookup: 0.3, check: 0.35 };
    const rows = await measureEndpoints({ bare, pipeline, doorlist, bars, postgres });
    return printTable('PostgreSQL, 64 connections, against bare node:http', rows);
  } finally {
    await doorlist.stop();
    await pipeline.stop();
    await server.stop();
  }
}

interface Measuring {
  bare: Running;
  pipeline: Running;
  doorlist: RunningDoorlist;
  bars: { signup: number; lookup: number; check: number };
  /** The process id of the server. */
  postgres?: number;
}

const TWO_PAIRS = { plan: 'pro', source: 'launch' };
const PAGE_READERS = 16;

async function measureEndpoints({ bare, pipeline, doorlist, bars, postgres }: Measuring): Promise<Row[]> {
  doorlist.command('waitlist', 'create', 'wl_bench', '--name', 'Bench');
  const grants = ['--waitlist', 'wl_bench', '--env', 'production', '--read'];
  const { key = '' } = doorlist.command('key', 'create', ...grants);
  await seed(doorlist, key);
  const rows: Row[] = [];
  const compare = async (
    what: string,
    atLeast: number,
    ours: () => Promise<Measured>,
    theirs: () => Promise<Measured>,
  ) => {
    const runs: { limit: Measured; measured: Measured; cost: string }[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const limit = await theirs();
      const before = processorTimeOf(doorlist.pid, postgres);
      const measured = await ours();
      const after = processorTimeOf(doorlist.pid, postgres);
      if (measured.refused > 0) throw new Error(`${what}: ${measured.refused} refused`);
      runs.push({ limit, measured, cost: perRequest(before, after, measured.requests) });
    }
    runs.shift(); // The first round was a warm-up.
    const last = runs.at(-1);
    const cost = ours === besidePages ? '' : `; processor time per request: ${last?.cost}`;
    rows.push({
      what,
      measured: median(runs.map(({ measured }) => measured.perSecond)),
      limit: median(runs.map(({ limit }) => limit.perSecond)),
      atLeast,
      unit: '/s',
      note: `p50 ${last?.measured.p50}, p99 ${last?.measured.p99}${cost}`,
    });
  };
  const get = (before: string, after: string) => getScript(before, after, SEEDED, key);
  const signup = () => run(doorlist, signupScript(SIGNUP, key));
  const described = () => run(doorlist, signupScript(SIGNUP, key, TWO_PAIRS));
  const lookup = () => run(doorlist, get('/sdk/v1/waitlist/wl_bench/entries/seed', '@example.com'));
  const page = randomGetScript('"/sdk/v1/waitlist/wl_bench/entries?limit=100"', key);
  await compare('signup, one entry', bars.signup, signup, () => run(bare, signupScript('/', key)));
  await compare('signup, against the bare pipeline', 0.65, signup, () =>
    run(pipeline, signupScript('/', key)),
  );
  await compare('signup with two metadata pairs, against one without', 0.85, described, signup);
  await compare('entry lookup', bars.lookup, lookup, () => run(bare, get('/entry/', '')));
  await compare(
    'page of 100',
    0.02,
    () => run(doorlist, page),
    () => run(bare, get('/entry/', '')),
  );
  const besidePages = async () => {
    const reading = run(doorlist, page, PAGE_READERS);
    const measured = await lookup();
    await reading;
    return measured;
  };
  await compare('lookup beside 16 page readers, against alone', 0.6, besidePages, lookup);
  const vip = ['--waitlist', 'wl_bench', '--email', 'vip@example.com'];
  const { code } = doorlist.command('invite', 'create', ...vip);
  const check = () => run(doorlist, get(`/sdk/v1/waitlist/invites/${code}?n=`, ''));
  await compare('invite check', bars.check, check, () => run(bare, get('/invite/', '')));
  return rows;
}

function run({ url }: Running, script: string, connections = 64): Promise<Measured> {
  return runWrk({ url, script, seconds: SECONDS, connections });
}

async function seed(doorlist: Running, key: string): Promise<void> {
  for (let first = 1; first <= SEEDED; first += 100) {
    await postBatch(doorlist, key, (i) => `seed${first + i}@example.com`);
  }
}

async function postBatch(doorlist: Running, key: string, email: (i: number) => string): Promise<void> {
  const entries = Array.from({ length: 100 }, (_, i) => ({ email: email(i) }));
  const answer = await fetch(`${doorlist.url}${SIGNUP}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ waitlistId: 'wl_bench', entries }),
  });
  if (answer.status !== 201) throw new Error(`signup answered ${answer.status}: ${await answer.text()}`);
}

async function measureMemory(doorlist: RunningDoorlist): Promise<boolean> {
  const { key = '' } = doorlist.command('key', 'create', '--waitlist', 'wl_bench', '--env', 'production');
  for (let first = 0; first < MEMORY_SIGNUPS; first += 100) {
    await postBatch(doorlist, key, (i) => `memory${first + i}@example.com`);
  }
  const used = doorlist.memory();
  const ok = used < MEMORY_BYTES_MAX;
  process.stdout.write(
    `  memory after ${MEMORY_SIGNUPS} more signups: ${Math.round(used / 1e6)} MB (bar: under 250)  ${ok ? 'ok' : 'OVER'}\n`,
  );
  return ok;
}
