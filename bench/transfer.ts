import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '../src/config/config.ts';
import { openContext } from '../src/installation/open.ts';
import { createLogger } from '../src/lib/log.ts';
import { createWaitlist } from '../src/waitlist/settings/waitlists.ts';
import { importFile } from '../src/waitlist/transfer/import/import-start.ts';
import { exportEntries } from '../src/wire/entry-export.ts';
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

/** An import of a file and an export of the same people, in this process, as the command line runs them. */
async function measureTransfers(
  bare: BareRows,
  environment: Record<string, string>,
  people: number,
): Promise<Row[]> {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-transfer-'));
  const context = await openContext(readConfig(environment), createLogger('silent'));
  try {
    const file = path.join(directory, 'people.csv');
    writeFileSync(file, peopleCsv(people));
    await createWaitlist(context, { id: 'wl_bench', name: 'Bench' });
    const queue = await context.registry.queue('wl_bench', 'production');
    if (!queue) throw new Error('no queue');
    const inserted = await bare.insert(people, PER_IMPORT_COMMIT, 1);
    const imported = await timed(people, async () => {
      const { created } = await importFile(context, queue, file, {});
      if (created !== people) throw new Error(`imported ${created} of ${people}`);
    });
    const read = await bare.read(PER_IMPORT_COMMIT);
    const exported = await timed(people, async (sample) => {
      let written = 0;
      for await (const { entries } of exportEntries(context, queue, { format: 'csv' })) {
        written += entries;
        sample(); // On SQLite nothing waits, so that no timer gets its turn.
      }
      if (written !== people) throw new Error(`exported ${written} of ${people}`);
    });
    return [
      rateRow(
        'import, a second',
        imported,
        IMPORTED_PER_SECOND,
        `${share(imported, inserted)} of bare inserts`,
      ),
      rateRow('export, a second', exported, EXPORTED_PER_SECOND, `${share(exported, read)} of a bare read`),
    ];
  } finally {
    await context.db.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function peopleCsv(people: number): string {
  const line = (_: unknown, n: number) =>
    `person${n}@example.com,${new Date(1.75e12 + n * 1000).toISOString()},campaign ${n % 50}\n`;
  return `email,joinedAt,source\n${Array.from({ length: people }, line).join('')}`;
}

interface Timed {
  perSecond: number;
  /** The most that this process shared with no other one in each half, in bytes. */
  memory: [number, number];
}

async function timed(people: number, work: (sample: () => void) => Promise<void>): Promise<Timed> {
  const samples: number[] = [];
  let sampledAt = Number.NEGATIVE_INFINITY;
  const sample = () => {
    if (performance.now() - sampledAt < SAMPLE_EVERY_MS) return;
    sampledAt = performance.now();
    samples.push(privateBytes(process.pid));
  };
  const sampling = setInterval(sample, SAMPLE_EVERY_MS);
  const startedAt = performance.now();
  await work(sample).finally(() => clearInterval(sampling));
  const perSecond = (people * 1000) / (performance.now() - startedAt);
  const half = Math.ceil(samples.length / 2);
  return { perSecond, memory: [Math.max(...samples.slice(0, half)), Math.max(...samples.slice(half))] };
}

function share({ perSecond }: Timed, limit: number): string {
  return (perSecond / limit).toFixed(2);
}

function rateRow(what: string, { perSecond, memory }: Timed, limit: number, note: string): Row {
  const [first, second] = memory.map((bytes) => Math.round(bytes / 1e6));
  const row = { what, measured: perSecond, limit, atLeast: 1, unit: 'rows/s' };
  return { ...row, note: `${note}; at most ${first} MB in the first half, ${second} MB in the second` };
}
