import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { type BareRows, openBareRows } from './bare-rows.ts';
import { signUpInBatches } from './batches.ts';
import { onBothEngines } from './engines.ts';
import { measureExport } from './export.ts';
import { flag } from './flags.ts';
import { privateBytes, type Running, startDoorlist } from './processes.ts';
import { median, printTable, type Row } from './report.ts';
import { openSite, withSites } from './site.ts';

const ROUNDS = 3;
const BATCH = 100;
const BATCHES_AT_LEAST = 0.6;
const BATCHED_MAX = 48_000;
const BATCH_CONNECTIONS = 8;
const PER_IMPORT_COMMIT = 1_000;
const IMPORTED_PER_SECOND = 20_000;
const EXPORTED_PER_SECOND = 30_000;
const SAMPLE_EVERY_MS = 100;
/** Memory is flat if it grows by at most a fifth once the command is under way. */
const FLAT_AT_LEAST = 1 / 1.2;

/** Many people at once: batches of signups, imports and exports, beside bare inserts and a bare read of such rows. */
export function benchTransfer(): Promise<boolean> {
  const people = flag('rows', 200_000);
  return onBothEngines(async (engine, environment, newInstallation) => {
    const bare = await openBareRows(await newInstallation());
    try {
      const batches = await measureBatches(bare, environment, Math.min(people, BATCHED_MAX));
      const transfers = await measureTransfers(bare, await newInstallation(), people);
      const passed = printTable(`Many people at once on ${engine}`, [batches, ...transfers]);
      const { DATABASE_URL: url } = await newInstallation();
      return (await withSites([people], (size) => openSite(size, url), measureExport(engine))) && passed;
    } finally {
      await bare.close();
    }
  });
}

/** Signups of 100 people each, in turns with inserts of 100 rows each. */
async function measureBatches(
  bare: BareRows,
  environment: Record<string, string>,
  people: number,
): Promise<Row> {
  const doorlist = await startDoorlist(environment);
  try {
    doorlist.command('waitlist', 'create', 'wl_bench', '--name', 'Bench');
    const { key = '' } = doorlist.command('key', 'create', '--waitlist', 'wl_bench', '--env', 'production');
    const limits: number[] = [];
    const rates: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      limits.push(await bare.insert(people, BATCH));
      rates.push(await signUp(doorlist, key, people, round));
    }
    const rate = { measured: median(rates), limit: median(limits), unit: 'entries/s' };
    return { what: 'batches of 100, against bare inserts', ...rate, atLeast: BATCHES_AT_LEAST };
  } finally {
    await doorlist.stop();
  }
}

/** Returns entries per second. */
async function signUp(doorlist: Running, key: string, people: number, round: number): Promise<number> {
  const startedAt = performance.now();
  const person = (n: number) => ({ email: `b${round}x${n}@example.com` });
  await signUpInBatches(doorlist, { key, people, connections: BATCH_CONNECTIONS, person });
  return (people * 1000) / (performance.now() - startedAt);
}

/** An import of a file and an export of the same people, each as a command of its own. */
async function measureTransfers(
  bare: BareRows,
  environment: Record<string, string>,
  people: number,
): Promise<Row[]> {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-transfer-'));
  const to = ['--waitlist', 'wl_bench'];
  const run = (...words: string[]) => runCommand(environment, words);
  try {
    const file = path.join(directory, 'people.csv');
    writeFileSync(file, peopleCsv(people));
    await run('migrate');
    await run('waitlist', 'create', 'wl_bench', '--name', 'Bench');
    const inserted = await bare.insert(people, PER_IMPORT_COMMIT, 1);
    const imported = await run('import', file, ...to);
    const { created } = JSON.parse(imported.output) as { created: number };
    if (created !== people) throw new Error(`imported ${created} of ${people}`);
    const read = await bare.read(PER_IMPORT_COMMIT);
    const exportedFile = path.join(directory, 'exported.csv');
    const exported = await run('export', ...to, '--out', exportedFile);
    const written = readFileSync(exportedFile, 'utf8').split('\n').length - 2; // Without the names and the end.
    if (written !== people) throw new Error(`exported ${written} of ${people}`);
    return [
      ...transferRows('import', imported, { people, perSecond: IMPORTED_PER_SECOND, bare: inserted }),
      ...transferRows('export', exported, { people, perSecond: EXPORTED_PER_SECOND, bare: read }),
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function peopleCsv(people: number): string {
  const line = (_: unknown, n: number) =>
    `person${n}@example.com,${new Date(1.75e12 + n * 1000).toISOString()},campaign ${n % 50}\n`;
  return `email,joinedAt,source\n${Array.from({ length: people }, line).join('')}`;
}

interface Finished {
  output: string;
  seconds: number;
  /** The most private memory in the second and in the last third of its time, in bytes. */
  memory: [number, number];
}

async function runCommand(environment: Record<string, string>, words: string[]): Promise<Finished> {
  const samples: number[] = [];
  const startedAt = performance.now();
  const command = spawn('bin/doorlist', [...words, '--json'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const sample = () => {
    try {
      samples.push(privateBytes(command.pid ?? 0));
    } catch {} // It has just ended.
  };
  const sampling = setInterval(sample, SAMPLE_EVERY_MS);
  const exited = once(command, 'exit').finally(() => clearInterval(sampling));
  const output = await text(command.stdout);
  const [code] = await exited;
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}`);
  const seconds = (performance.now() - startedAt) / 1000;
  const third = Math.floor(samples.length / 3);
  const most = (from: number, to?: number) => Math.max(...samples.slice(from, to));
  return { output, seconds, memory: [most(third, 2 * third), most(2 * third)] };
}

/** How fast it was, and whether its memory stayed flat. */
function transferRows(
  what: string,
  { seconds, memory }: Finished,
  limit: { people: number; perSecond: number; bare: number },
): Row[] {
  const perSecond = limit.people / seconds;
  const [before, after] = memory;
  const ofBare = (perSecond / limit.bare).toFixed(2);
  return [
    {
      ...{ what: `${what}, a second`, measured: perSecond, limit: limit.perSecond, atLeast: 1 },
      ...{ unit: 'rows/s', note: `${ofBare} of bare rows; with the start of the command` },
    },
    {
      what: `${what}, memory in its second third against the last`,
      ...{ measured: before / 1e6, limit: after / 1e6, atLeast: FLAT_AT_LEAST, unit: 'MB' },
    },
  ];
}
