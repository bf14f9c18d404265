import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { runChecks } from './support/checks.ts';
import { CITUS_URL } from './support/citus.ts';
import { ensureDashboard } from './support/ensure-dashboard.ts';
import { groupFiles } from './support/groups.ts';
import { startPostgres } from './support/postgres.ts';
import { buildScripts } from './support/program.ts';
import { installMissing, NO_BROWSER, without } from './support/programs.ts';
import { type RunOptions, readOptions, USAGE } from './support/run-options.ts';
import { createTally } from './support/tally.ts';
import { createTemplates } from './support/templates.ts';
import { useTemporaryDirectory } from './support/temporary.ts';

const ROOT = path.join(import.meta.dirname, '..');
const TEST_TIMEOUT_MS = 300_000;
/** Many times what the run takes on two quiet cores: a busy machine is no reason to fail. */
const RUN_TIMEOUT_MS = 80 * 60_000;

process.chdir(ROOT);
// Hundreds of processes load the same modules, and this halves the time that each of them takes to start.
process.env.NODE_COMPILE_CACHE ||= path.join(ROOT, 'node_modules', '.cache', 'compiled');
const options = understand(process.argv.slice(2));
const tally = createTally();
const removeTemporaryDirectory = useTemporaryDirectory();
try {
  const checks = options.all ? runChecks() : Promise.resolve([]);
  await runTests(options);
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

/** In several processes, three at a time, all against one PostgreSQL. */
async function runTests({ files, engine, browser, name, all }: RunOptions): Promise<void> {
  if (!browser) process.env.DOORLIST_TEST_BROWSER = NO_BROWSER;
  if (engine) process.env.DOORLIST_TEST_ENGINE = engine;
  // The dashboard before servers start, or each of them would build it.
  await Promise.all([all && installMissing(), buildScripts(), ensureDashboard()]);
  const leftOut = browser && without('Chromium');
  if (leftOut)
    console.log(`Browser tests are left out: ${leftOut}. To leave them out on purpose: --no-browser.`);
  const given = CITUS_URL ?? process.env.DOORLIST_TEST_POSTGRES_URL;
  if (given) process.env.DOORLIST_TEST_POSTGRES_URL = given;
  if (given) return runOn(given, files, name);
  const postgres = await startPostgres({ durable: false });
  process.env.DOORLIST_TEST_POSTGRES_URL = postgres.url;
  try {
    await runOn(postgres.url, files, name);
  } finally {
    await postgres.stop();
  }
}

async function runOn(postgresUrl: string, files: string[], name: string | undefined): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-tests-'));
  const dropTemplates = await createTemplates(postgresUrl, directory);
  try {
    await runFiles(files, groupFiles(files, directory), name);
  } finally {
    await dropTemplates();
    rmSync(directory, { recursive: true });
  }
}

async function runFiles(files: string[], modules: string[], name: string | undefined): Promise<void> {
  const stop = new AbortController();
  const deadline = setTimeout(() => stop.abort(new Error('the whole run took too long')), RUN_TIMEOUT_MS);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const stream = run({
    files: modules,
    concurrency: 3,
    timeout: TEST_TIMEOUT_MS,
    signal: stop.signal,
    ...(name === undefined ? {} : { testNamePatterns: [new RegExp(name)] }),
    execArgv: [
      '--min-semi-space-size=64', // Collecting garbage less often takes 40% less time in all.
      '--max-semi-space-size=64',
      '--single-threaded-gc', // All processors are busy with other tests.
      '--import',
      path.join(import.meta.dirname, 'support/before-tests.ts'),
    ],
  });
  tally.follow(stream);
  const report = stream.compose(spec);
  report.pipe(process.stdout);
  await new Promise((resolve, reject) => report.on('end', resolve).on('error', reject));
  clearTimeout(deadline);
  if (name === undefined) tally.expect(files);
}
