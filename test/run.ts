import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { writeModules } from './runner/modules.ts';
import { type Plan, planRun } from './runner/plan-run.ts';
import { processesFor } from './runner/processes.ts';
import { recordRun } from './runner/record-run.ts';
import { readRecorded } from './runner/recorded.ts';
import { type RunOptions, readOptions, USAGE } from './runner/run-options.ts';
import { createTally } from './runner/tally.ts';
import { createTemplates } from './runner/templates.ts';
import { readTestFile } from './runner/test-file.ts';
import { listOf, summaryOf } from './runner/told-plan.ts';
import { runChecks } from './support/checks.ts';
import { CITUS_URL } from './support/citus.ts';
import { ensureDashboard } from './support/ensure-dashboard.ts';
import { startPostgres } from './support/postgres.ts';
import { buildScripts } from './support/program.ts';
import { installMissing, NO_BROWSER, without } from './support/programs.ts';
import { SEED } from './support/seed.ts';
import { useTemporaryDirectory } from './support/temporary.ts';

const ROOT = path.join(import.meta.dirname, '..');
const TEST_TIMEOUT_MS = 300_000;
/** Many times what the run takes on two quiet cores: a busy machine is no reason to fail. */
const RUN_TIMEOUT_MS = 80 * 60_000;

process.chdir(ROOT);
// Hundreds of processes load the same modules, and this halves the time that each of them takes to start.
process.env.NODE_COMPILE_CACHE ||= path.join(ROOT, 'node_modules', '.cache', 'compiled');
const options = understand(process.argv.slice(2));
const seed = options.seed ?? SEED;
const processes = options.processes ?? processesFor();
const plan = planRun(options, options.files.map(readTestFile), {
  ...{ recorded: readRecorded(), seed, processes },
});
if (options.list) {
  console.log(listOf(plan, seed));
  process.exit(0);
}
process.env.DOORLIST_TEST_SEED = String(seed);
if (!options.browser) process.env.DOORLIST_TEST_BROWSER = NO_BROWSER;
const tally = createTally();
const removeTemporaryDirectory = useTemporaryDirectory();
try {
  const checks = options.checks ? runChecks() : Promise.resolve([]);
  await prepareAndRun(plan, options);
  for (const { words, output, passed } of await checks) {
    console.log(`> ${words.join(' ')}\n${output}`);
    if (passed) tally.passed += 1;
    else tally.failed += 1;
  }
} catch (error) {
  console.error(error);
  tally.failed += 1;
} finally {
  removeTemporaryDirectory();
}
console.log(tally.skippedTests());
console.log(summaryOf(plan, seed));
process.stdout.write(`${tally.closingLine()}\n`, () => {
  process.exit(tally.failed > 0 || tally.passed === 0 ? 1 : 0);
});

function understand(words: string[]): RunOptions {
  try {
    return readOptions(words);
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`);
    process.exit(2);
  }
}

/** In several processes, all against one PostgreSQL. */
async function prepareAndRun(plan: Plan, { browser, checks, ...how }: RunOptions): Promise<void> {
  // The dashboard before servers start, or each of them would build it.
  await Promise.all([checks && installMissing(), buildScripts(), ensureDashboard()]);
  const leftOut = browser && without('Chromium');
  if (leftOut)
    console.log(`Browser tests are left out: ${leftOut}. To leave them out on purpose: --no-browser.`);
  const given = CITUS_URL ?? process.env.DOORLIST_TEST_POSTGRES_URL;
  if (given) process.env.DOORLIST_TEST_POSTGRES_URL = given;
  if (given) return runOn(given, plan, how);
  const postgres = await startPostgres({ durable: false });
  process.env.DOORLIST_TEST_POSTGRES_URL = postgres.url;
  try {
    await runOn(postgres.url, plan, how);
  } finally {
    await postgres.stop();
  }
}

type How = Pick<RunOptions, 'name' | 'record'>;

async function runOn(postgresUrl: string, plan: Plan, how: How): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-tests-'));
  const dropTemplates = await createTemplates(postgresUrl, directory);
  try {
    await runPlan(plan, directory, how);
  } finally {
    await dropTemplates();
    rmSync(directory, { recursive: true });
  }
}

async function runPlan({ files, packs, alone }: Plan, directory: string, how: How): Promise<void> {
  const stop = new AbortController();
  const deadline = setTimeout(() => stop.abort(new Error('the whole run took too long')), RUN_TIMEOUT_MS);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const sent = path.join(directory, 'sent');
  if (how.record) process.env.DOORLIST_TEST_RECORD = sent;
  const recording = how.record ? recordRun(sent) : undefined;
  const modules = writeModules([...packs, ...alone], directory, how.record);
  const runModules = async (some: string[], concurrency: number) => {
    if (some.length === 0) return;
    const stream = run({
      files: some,
      concurrency,
      timeout: TEST_TIMEOUT_MS,
      signal: stop.signal,
      ...(how.name === undefined ? {} : { testNamePatterns: [new RegExp(how.name)] }),
      execArgv: [
        '--min-semi-space-size=64', // Collecting garbage less often takes 40% less time in all.
        '--max-semi-space-size=64',
        '--single-threaded-gc', // All processors are busy with other tests.
        '--import',
        path.join(import.meta.dirname, 'runner/before-tests.ts'),
      ],
    });
    tally.follow(stream);
    recording?.follow(stream);
    const report = stream.compose(spec);
    report.pipe(process.stdout, { end: false });
    await new Promise((resolve, reject) => report.on('end', resolve).on('error', reject));
  };
  await runModules(modules.slice(0, packs.length), processes);
  await runModules(modules.slice(packs.length), 1);
  clearTimeout(deadline);
  recording?.write();
  if (how.name === undefined) tally.expect(files.map(({ file }) => file));
}
