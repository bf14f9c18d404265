import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { afterTest } from './support/cleanup.ts';
import { readSeed } from './support/seed.ts';

const SEED_MODULE = JSON.stringify(path.join(import.meta.dirname, 'support/seed.ts'));
const FILE = JSON.stringify(path.join(import.meta.dirname, 'queue/model.test.ts'));
const COMMAND = /to repeat: DOORLIST_TEST_SEED=7 npm test -- test\/queue\/model\.test\.ts$/gm;

describe('the seed of random tests', () => {
  it('is that of the variable, or else new', () => {
    assert.equal(readSeed({ DOORLIST_TEST_SEED: '7' }), 7);
    assert.equal(readSeed({ DOORLIST_TEST_SEED: '0' }), 0);
    assert.ok(new Set(Array.from({ length: 10 }, () => readSeed({}))).size > 1);
    for (const seed of ['x', '-1', '1.5', '1e3', ' 7', '2147483648'])
      assert.throws(
        () => readSeed({ DOORLIST_TEST_SEED: seed }),
        /DOORLIST_TEST_SEED must be a whole number/,
      );
  });

  it('is printed with the command that repeats it, and with the error of a test that fails', async () => {
    const passing = await outputOf('(test) => assert.equal(seedFor(test, file), 7)');
    assert.equal(passing.match(COMMAND)?.length, 1, passing);
    for (const failing of [
      'assert.fail("why")',
      'assert.equal(1, 2)',
      'await Promise.reject(new Error("why"))',
    ]) {
      const output = await outputOf(`async (test) => { seedFor(test, file); ${failing}; }`);
      assert.equal(output.match(COMMAND)?.length, 2, output);
    }
    const slow =
      'const wait = setTimeout(() => {}, 60_000); test.signal.onabort = () => clearTimeout(wait); return new Promise(() => {});';
    const late = await outputOf(`(test) => { seedFor(test, file); ${slow} }`, '{ timeout: 50 }');
    assert.equal(late.match(COMMAND)?.length, 1, late);
  });

  it('is where every random test gets its numbers from', () => {
    for (const file of globSync(['src/**/*.test.ts', 'test/**/*.test.ts'])) {
      if (path.resolve(file) === import.meta.filename) continue;
      const text = readFileSync(file, 'utf8');
      assert.doesNotMatch(text, /\bfc\.(assert|check)\(|\bMath\.random\(/, file);
      for (const [, seed = ''] of text.matchAll(/\bseededRandom\((.*?)[,)]/g))
        assert.match(seed, /seed/i, file);
    }
  });
});

/** What a file with this test prints, with the seed 7. */
async function outputOf(body: string, options = '{}'): Promise<string> {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-seed-'));
  afterTest(() => rmSync(directory, { recursive: true }));
  const module = path.join(directory, 'random.test.mjs');
  const lines = [
    `import assert from 'node:assert/strict';`,
    `import { it } from 'node:test';`,
    `import { seedFor } from ${SEED_MODULE};`,
    `const file = ${FILE};`,
    `it('is random', ${options}, ${body});`,
  ];
  writeFileSync(module, lines.join('\n'));
  const { PATH = '' } = process.env;
  const words = ['--test-reporter=spec', module];
  return new Promise((resolve) => {
    execFile(process.execPath, words, { env: { PATH, DOORLIST_TEST_SEED: '7' } }, (_, stdout) =>
      resolve(stdout),
    );
  });
}
