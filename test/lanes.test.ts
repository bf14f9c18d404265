import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { type Plan, planRun } from './runner/plan-run.ts';
import { processesFor } from './runner/processes.ts';
import { bitsOf, type FileRecord, type Recorded, statementsOf } from './runner/recorded.ts';
import { type RunOptions, readOptions } from './runner/run-options.ts';
import { describeTestFile, readTestFile, type TestFile } from './runner/test-file.ts';

const STATEMENTS = 100;
const SUITE = 'forEachEngine((engine) => {';

function recordedFile(postgres: number, sent: readonly number[]): FileRecord {
  return { sqlite: 2, postgres, statements: bitsOf(sent, STATEMENTS) };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, at) => from + at);
}

/** 20 files that send the same, one that sends nearly all, one about locks, one without engines. */
const FILES: TestFile[] = [
  ...range(0, 20).map((n) => describeTestFile(`test/plain/${n}.test.ts`, SUITE)),
  describeTestFile('test/broad.test.ts', SUITE),
  describeTestFile('test/locks.test.ts', "forEachEngine('locks', (engine) => {"),
  describeTestFile('test/pages.test.ts', "describe('pages', () => {"),
  describeTestFile('test/browser/journey.test.ts', SUITE),
  describeTestFile('test/browser/live.test.ts', "forEachEngine('notifications', (engine) => {"),
  describeTestFile(
    'test/ports.test.ts',
    "runsAlone('it needs a port of the system');\ndescribe('ports', () => {",
  ),
];
const RECORDED: Recorded = {
  statements: STATEMENTS,
  files: {
    ...Object.fromEntries(
      range(0, 20).map((n) => [`test/plain/${n}.test.ts`, recordedFile(10, range(0, 20))]),
    ),
    'test/broad.test.ts': recordedFile(10, range(0, 97)),
    'test/locks.test.ts': recordedFile(1, range(90, 98)),
    'test/pages.test.ts': { sqlite: 0 },
    'test/browser/journey.test.ts': recordedFile(5, range(0, 100)),
    'test/browser/live.test.ts': recordedFile(5, range(0, 5)),
    'test/ports.test.ts': { sqlite: 3 },
  },
};

const USUAL = readOptions([]);

function plan(
  words: string[] = [],
  { seed = 7, processes = 2, recorded = RECORDED, files = FILES } = {},
): Plan {
  return planRun(words.length === 0 ? USUAL : readOptions(words), files, { recorded, seed, processes });
}

/** Those that run on this engine alone. */
function only({ files }: Plan, engine: string): string[] {
  return files.filter((one) => one.engine === engine).map(({ file }) => file);
}

describe('the engines of a run', () => {
  it('are both where a file says what can differ, where it covers most, and where nothing is recorded', () => {
    const fresh = describeTestFile('test/fresh.test.ts', SUITE);
    const { selection } = plan([], { files: [...FILES, fresh] });
    const always = [
      'test/broad.test.ts',
      'test/browser/live.test.ts',
      'test/fresh.test.ts',
      'test/locks.test.ts',
    ];
    assert.deepEqual([...(selection?.onBoth ?? [])].filter((file) => !file.includes('plain')).sort(), always);
    assert.equal(selection?.covered, 0.98);
  });

  it('are both for a fifth of the other files, drawn by the seed', () => {
    const drawnBy = (seed: number) =>
      [...(plan([], { seed }).selection?.onBoth ?? [])].filter((file) => file.includes('plain')).sort();
    assert.equal(drawnBy(7).length, 4);
    assert.deepEqual(drawnBy(7), drawnBy(7));
    assert.notDeepEqual(drawnBy(7), drawnBy(8));
    const inAWhile = new Set(range(0, 60).flatMap(drawnBy));
    assert.equal(inAWhile.size, 20);
  });

  it('are both for all files with --everything, and for files that are named', () => {
    assert.deepEqual(only(plan(['--everything']), 'sqlite'), []);
    assert.deepEqual(only(plan(['test/queue']), 'sqlite'), []);
    assert.deepEqual(only(plan(['--name', 'x']), 'sqlite'), []);
  });

  it('are one with --engine', () => {
    for (const engine of ['sqlite', 'postgres'])
      assert.equal(only(plan(['--engine', engine]), engine).length, FILES.length);
  });
});

describe('the processes of a run', () => {
  const filesOf = ({ packs, alone }: Plan) =>
    [...packs, ...alone].flatMap(({ files }) => files.map(({ file }) => file));

  it('share the files by their seconds, the longest first, and files that run alone are last', () => {
    const planned = plan(['--everything']);
    assert.deepEqual(filesOf(planned).toSorted(), FILES.map(({ file }) => file).sort());
    const seconds = planned.packs.map(({ files }) => files.reduce((sum, one) => sum + one.seconds, 0));
    assert.deepEqual(
      seconds,
      seconds.toSorted((a, b) => b - a),
    );
    assert.ok((seconds[0] ?? 0) < 2 * (seconds.at(-2) ?? 0), String(seconds));
    assert.deepEqual(
      planned.alone.map(({ files }) => files.map(({ file }) => file)),
      [['test/ports.test.ts']],
    );
  });

  it('have files of one kind: one that runs on SQLite alone, or is of the next release, decides for the others', () => {
    const next = describeTestFile(
      'test/next.test.ts',
      `import { NEXT_MIGRATIONS } from './support/next-migrations.ts';\n${SUITE}`,
    );
    const { packs } = plan([], { files: [next, ...FILES] });
    for (const { files } of packs) {
      const kinds = files.map(({ engine, browser, nextRelease }) => `${engine} ${browser} ${nextRelease}`);
      assert.equal(new Set(kinds).size, 1);
    }
    const own = packs.find(({ files }) => files.some(({ file }) => file === next.file));
    assert.equal(own?.files.length, 1);
  });

  it('are as many as processors and memory allow', () => {
    const gib = 1024 ** 3;
    assert.equal(processesFor(2, 8 * gib), 3);
    assert.ok(processesFor(64, 4 * gib) <= 2);
    assert.equal(processesFor(1, gib / 2), 1);
  });

  it('of all shards together run each file once, whatever the seeds', () => {
    const shards = [1, 2, 3, 4].map((number) => plan(['--shard', `${number}/4`], { seed: number }));
    assert.deepEqual(shards.flatMap(filesOf).toSorted(), FILES.map(({ file }) => file).sort());
    for (const { files } of shards) assert.ok(files.length > 0);
    const skipped = FILES.filter(({ file }) => file === 'test/pages.test.ts');
    assert.deepEqual(filesOf(plan([], { files: skipped })), ['test/pages.test.ts']);
  });
});

describe('what a test file says', () => {
  it('is read from its text', () => {
    const { difference, variesEngine, alone } = readTestFile('test/transactions.test.ts');
    assert.deepEqual(
      { difference, variesEngine, alone },
      { difference: 'locks', variesEngine: true, alone: false },
    );
    assert.equal(readTestFile('test/lanes.test.ts').variesEngine, false);
    assert.equal(readTestFile('test/browser/sign-in.test.ts').variesEngine, true);
  });

  it('keeps the numbers of its statements', () => {
    const sent = [0, 7, 8, 63, 99];
    assert.deepEqual([...statementsOf('a', { statements: 100, files: { a: recordedFile(1, sent) } })], sent);
  });
});

describe('options', () => {
  it('that cannot be meant are refused', () => {
    const refused: [string[], RegExp][] = [
      [['--engine', 'mysql'], /must be sqlite or postgres/],
      [['--shard', '5/4'], /must be like 1\/4/],
      [['--shard', '0/4'], /must be like 1\/4/],
      [['--seed', '-1'], /seed/],
      [['--seed', '2147483648'], /from 0 to 2147483647/],
      [['--processes', '0'], /from 1/],
      [['--record'], /needs --everything/],
      [['test/nowhere'], /there is no such file or folder/],
    ];
    for (const [words, why] of refused) assert.throws(() => readOptions(words), why, words.join(' '));
  });

  it('check format and types once, and only if all tests run', () => {
    const checks = (...words: string[]): RunOptions['checks'] => readOptions(words).checks;
    assert.ok(checks() && checks('--everything') && checks('--shard', '1/4'));
    assert.ok(!checks('--shard', '2/4') && !checks('--no-browser') && !checks('test/sdk'));
  });
});

describe('npm test', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'doorlist-lanes-'));
  after(() => rmSync(folder, { recursive: true }));
  const support = (file: string) => JSON.stringify(path.join(import.meta.dirname, 'support', file));
  const lines = [
    `import { it } from 'node:test';`,
    `import { CHOSEN_ENGINES } from ${support('engines.ts')};`,
    `import { without } from ${support('programs.ts')};`,
    'for (const engine of CHOSEN_ENGINES) it("on " + engine, () => {});',
    `it('in a browser', { skip: without('Chromium') }, () => {});`,
    `it('always', () => {});`,
  ];
  for (const name of ['one', 'two']) writeFileSync(path.join(folder, `${name}.test.ts`), lines.join('\n'));

  it('runs a folder, on one engine or both, without a browser, by name and in shards', async () => {
    const both = await runner('--no-browser', '--seed', '7', folder);
    assert.match(both, /^Skipped, browser tests were left out\n.*in a browser$/m);
    assert.match(both, /^Seed 7: --seed 7 repeats this run\.\n6 passed, 0 failed, 2 skipped\n$/m);
    const named = await runner('--engine', 'sqlite', '--name', '^on ', '--shard', '2/2', folder);
    assert.match(named, /✔ on sqlite/);
    assert.match(named, /^1 passed, 0 failed\n$/m);
  });

  it('lists what it would run', async () => {
    const { scripts } = (await import('../package.json', { with: { type: 'json' } })).default;
    const fast = scripts['test:fast'].split('test/run.ts ')[1]?.split(' ') ?? [];
    const [listed, everything] = await Promise.all([
      runner('--list', ...fast),
      runner('--list', '--everything'),
    ]);
    assert.match(listed, /^ {2}test\/sdk\/signup\.test\.ts, only on sqlite$/m);
    assert.doesNotMatch(listed, /test\/queue|test\/browser/);
    assert.match(everything, /^ {2}test\/queue\/places\.test\.ts$/m);
    assert.match(everything, /^ {2}test\/browser\/emails\.test\.ts$/m);
  });
});

/** What the runner prints. A test process may not start one as a part of its own. */
async function runner(...words: string[]): Promise<string> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ['test/run.ts', ...words], { env });
  return stdout;
}
