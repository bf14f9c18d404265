import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { lateAwaits, lateAwaitsIn } from './support/late-awaits.ts';
import { openedInLoops, openedInLoopsOf } from './support/opened-in-loops.ts';
import { circles, readFloors, structureProblems } from './support/structure.ts';

describe('commands that people copy', () => {
  it('are named as their way of installing has them: by COMMAND, never as one of them has it', () => {
    const files = globSync(['src/**/*.ts', 'web/src/**/*.{ts,tsx}']).filter(
      (file) => !/\.test\.ts$/.test(file),
    );
    const written = files.filter((file) =>
      /npm run -s doorlist|npx doorlist|npm start[`'"]/.test(readFileSync(file, 'utf8')),
    );
    assert.deepEqual(written.toSorted(), ['src/lib/root.ts', 'web/src/command.ts']);
  });

  it('name the data and the port of the installation, except on pages that everybody may see', () => {
    const importing = globSync('web/src/**/*.{ts,tsx}').filter((file) =>
      /from '[./]+\/command\.ts'/.test(readFileSync(file, 'utf8')),
    );
    assert.deepEqual(importing.toSorted(), [
      'web/src/api/commands.ts',
      'web/src/pages/sign-in/forgot-password-page.tsx',
      'web/src/pages/sign-in/setup-page.tsx',
    ]);
  });
});

describe('texts', () => {
  it('are normalized in one place, which looks at their length first', () => {
    const files = globSync('src/**/*.ts').filter((file) => !/\.test\.ts$/.test(file));
    const normalizing = files.filter((file) => /\.normalize\(/.test(readFileSync(file, 'utf8')));
    // A passphrase is typed by the operator of the machine.
    assert.deepEqual(normalizing.toSorted(), ['src/lib/text.ts', 'src/vault/backup-format.ts']);
  });
});

describe('the structure', () => {
  it('is the one that docs/architecture.md draws, without circles', () => {
    assert.deepEqual(structureProblems(), []);
  });

  it('is told apart from a wrong one', () => {
    const floors = readFloors(readFileSync('docs/architecture.md', 'utf8'));
    const problems = structureProblems(floors.toReversed());
    assert.ok(
      problems.some((problem) => /^src\/main\.ts imports .* neither below nor after it$/.test(problem)),
    );
    assert.match(structureProblems(floors.slice(1))[0] ?? '', /is on 0 floors/);
    assert.deepEqual(
      circles(new Map(Object.entries({ a: ['b'], b: ['c'], c: ['b'] }).map(([k, v]) => [k, new Set(v)]))),
      [['b', 'c']],
    );
  });
});

describe('the page of what tests share', () => {
  it('names every file, and none that is not there', () => {
    const named = readFileSync('test/support/README.md', 'utf8').matchAll(
      /`((?:runner\/)?[a-z-]+\.(?:ts|json))`/g,
    );
    const there = [...globSync('*.ts', { cwd: 'test/support' }), ...globSync('runner/*', { cwd: 'test' })];
    assert.deepEqual([...new Set([...named].map(([, file = '']) => file))].toSorted(), there.toSorted());
  });
});

describe('promises', () => {
  it('are awaited together with others, or marked as awaited later', () => {
    assert.deepEqual(lateAwaits(), []);
  });

  it('that are left alone while something else is awaited are found', () => {
    const inBody = (...lines: string[]) => lateAwaitsIn(['async () => {', ...lines, '};'].join('\n'));
    const started = '  const spent = find(token);';
    const found = ['2: spent is started here, but awaited after something else'];
    assert.deepEqual(inBody(started, '  const all = await others();', '  use(await spent);'), found);
    assert.deepEqual(inBody(started, '  await first();', '  await Promise.all([last(), spent]);'), found);
    assert.deepEqual(inBody(started, '  return { first: await first(), spent: (await spent)[0] };'), found);
    assert.deepEqual(inBody(started, '  const [all] = await Promise.all([others(), spent]);'), []);
    assert.deepEqual(inBody(started, '  await first();', '  await Promise.all([last(spent)]);'), []);
    assert.deepEqual(inBody(started, '  await first();', '};', 'async () => {', '  await spent;'), []);
    const marked = '  const spent = awaitedLater(find(token));';
    assert.deepEqual(inBody(marked, '  await first();', '  await spent;'), []);
  });
});

describe('queues', () => {
  it('are opened in loops by the one function that goes on behind a damaged one', () => {
    assert.deepEqual(openedInLoops(), []);
  });

  it('that are opened in a loop in another way are found', () => {
    const inBody = (...lines: string[]) =>
      openedInLoopsOf(['async function f() {', ...lines, '}'].join('\n'));
    const opening = 'await context.registry.queueById(id);';
    assert.equal(inBody(`  for (const id of ids) ${opening}`).length, 1);
    assert.equal(inBody('  for (const id of ids) {', `    if (id) ${opening}`, '  }').length, 1);
    assert.equal(inBody('  rows.map(async ({ id }) => {', `    ${opening}`, '  });').length, 1);
    assert.deepEqual(inBody('  for (const id of ids) use(id);', `  ${opening}`), []);
  });
});
