import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { ENTRIES, FILES } from '../build/program.ts';
import { NOBODY, withoutAnotherUser } from './support/another-user.ts';
import { afterTest } from './support/cleanup.ts';

const ROOT = path.join(import.meta.dirname, '..');
const MODULES = path.join(ROOT, 'node_modules');
const BUILT = /dist\.checkout\/([0-9a-f]{32})\/main\.js$/m;
const SOURCES = /src\/main\.ts$/m;

/** Prints where it runs. `fail`, `thread` and `broken` say what it does then, and `wait` keeps it running. */
const MAIN = `
import { fail } from './fail.ts';
import { greeting } from './greeting.ts';

const [word] = process.argv.slice(2);
console.log(\`\${greeting} from \${import.meta.filename}\`);
if (word === 'fail') fail();
if (word === 'thread') {
  const { Worker } = await import('node:worker_threads');
  new Worker(new URL('./writer-thread.js', import.meta.url));
}
if (word === 'broken') await import('./broken.ts');
if (word === 'wait') setInterval(() => {}, 1000);
`;
/** Two functions of one name, which the bundler tells apart. */
const FAIL = `interface Reason {
  text: string;
}

function explain(reason: Reason): never {
  throw new Error(reason.text);
}

export function fail(): never {
  return explain({ text: 'as it should' });
}
`;
const THREAD = FAIL.replace('export function fail', 'function fail').concat('fail();\n');

let checkout: string;
let builds: string;
beforeEach(() => {
  checkout = mkdtempSync(path.join(tmpdir(), 'doorlist-checkout-'));
  chmodSync(checkout, 0o755);
  builds = path.join(checkout, 'dist.checkout');
  for (const each of ['bin', 'build', 'package.json', 'package-lock.json', 'tsconfig.json'])
    cpSync(path.join(ROOT, each), path.join(checkout, each), { recursive: true });
  symlinkSync(MODULES, path.join(checkout, 'node_modules'));
  for (const file of [...Object.values(ENTRIES), ...FILES]) write(file, '');
  write('src/main.ts', MAIN);
  write('src/fail.ts', FAIL);
  write('src/broken.ts', 'export {};\n');
  write('src/db/sqlite/writer-thread.ts', THREAD);
  greet('hello');
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(checkout, file)), { recursive: true });
  writeFileSync(path.join(checkout, file), text);
}

function greet(word: string): void {
  write('src/greeting.ts', `export const greeting: string = '${word}';\n`);
}

interface How {
  words?: string[];
  variables?: Record<string, string>;
  user?: { uid: number; gid: number };
}

function launch({ words = [], variables = {}, user }: How = {}): ChildProcess {
  const { PATH = '', HOME = '', TMPDIR = tmpdir() } = process.env;
  const env = { PATH, HOME, TMPDIR, ...variables };
  return spawn(path.join(checkout, 'bin/doorlist'), words, { cwd: tmpdir(), env, ...user });
}

async function start(how?: How): Promise<{ code: number; out: string; error: string }> {
  const child = launch(how);
  let [out, error] = ['', ''];
  child.stdout?.on('data', (text) => (out += text));
  child.stderr?.on('data', (text) => (error += text));
  const [code] = await once(child, 'close');
  return { code, out, error };
}

/** The build that a start runs, without a word about it. */
async function buildOf(how?: How): Promise<string> {
  const { code, out, error } = await start(how);
  assert.deepEqual([code, error], [0, '']);
  const [, name = ''] = BUILT.exec(out) ?? [];
  assert.notEqual(name, '', out);
  return name;
}

async function assertSources(how?: How): Promise<void> {
  const { code, out, error } = await start(how);
  assert.deepEqual([code, error], [0, '']);
  assert.match(out, SOURCES);
}

const builtAt = (name: string) => statSync(path.join(builds, name, 'main.js')).mtimeMs;
const isThere = (name: string) => existsSync(path.join(builds, name));

describe('a start in a checkout', () => {
  it('runs what the first one has built, also after files were only touched', async () => {
    const first = await buildOf();
    const time = builtAt(first);
    assert.equal(await buildOf(), first);
    utimesSync(path.join(checkout, 'src/main.ts'), new Date(), new Date());
    assert.equal(await buildOf(), first);
    write('src/fail.test.ts', 'no part of it');
    assert.equal(await buildOf(), first);
    assert.equal(builtAt(first), time);
  });

  it('builds what has changed, and knows it again when it is changed back', async () => {
    const first = await buildOf();
    const time = builtAt(first);
    greet('hullo');
    const { out } = await start();
    assert.match(out, /^hullo from .*dist\.checkout/);
    assert.notEqual(await buildOf(), first);
    greet('hello');
    assert.equal(await buildOf(), first);
    assert.equal(builtAt(first), time);
  });

  it('builds once for two that come at the same time', async () => {
    const [one, two] = await Promise.all([buildOf(), buildOf()]);
    assert.equal(one, two);
    assert.deepEqual(readdirSync(builds).sort(), [one, 'building.lock', 'current'].sort());
  });

  it('removes what a killed build has left', async () => {
    mkdirSync(path.join(builds, '.left.1'), { recursive: true });
    await buildOf();
    assert.ok(!isThere('.left.1'));
  });

  it('removes old builds, but not those that run', async () => {
    const first = await buildOf();
    const running = launch({ words: ['wait'] });
    afterTest(() => running.kill('SIGKILL'));
    await once(running.stdout as NodeJS.ReadableStream, 'data');
    const buildOthers = async (...words: string[]) => {
      for (const word of words) {
        greet(word);
        await buildOf();
      }
    };
    await buildOthers('one', 'two', 'three', 'four');
    assert.ok(isThere(first));
    assert.equal(readdirSync(builds, { withFileTypes: true }).filter((each) => each.isDirectory()).length, 4);
    running.kill('SIGKILL');
    await once(running, 'close');
    await buildOthers('five');
    assert.ok(!isThere(first));
  });

  it('runs the sources for a debugger, and for whoever wants them', async () => {
    const { out } = await start({ variables: { NODE_OPTIONS: '--inspect=0' } });
    assert.match(out, SOURCES);
    await assertSources({ variables: { DOORLIST_SOURCES: '1' } });
    assert.equal(existsSync(builds), false);
  });

  it('runs the sources without development packages, unless they were built before', async () => {
    const modules = path.join(checkout, 'node_modules');
    const leaveOut = (...names: string[]) => {
      rmSync(modules, { recursive: true });
      mkdirSync(modules);
      for (const name of readdirSync(MODULES).filter((each) => !names.includes(each)))
        symlinkSync(path.join(MODULES, name), path.join(modules, name));
    };
    leaveOut('rolldown');
    await assertSources();
    leaveOut();
    const built = await buildOf();
    leaveOut('rolldown', '.package-lock.json');
    const lock = JSON.parse(readFileSync(path.join(MODULES, '.package-lock.json'), 'utf8'));
    const packages = Object.entries<{ dev?: boolean }>(lock.packages).filter(([, { dev }]) => !dev);
    const installed = { ...lock, packages: Object.fromEntries(packages) };
    writeFileSync(path.join(modules, '.package-lock.json'), JSON.stringify(installed));
    assert.equal(await buildOf(), built);
  });

  it('runs the sources and says so if they cannot be built, whose errors are shown as they are', async () => {
    write('src/broken.ts', 'export const broken = ;\n');
    const { code, out, error } = await start();
    assert.equal(code, 0);
    assert.match(out, SOURCES);
    assert.match(error, /^doorlist: Could not build the program, and runs its sources: .*src\/broken\.ts/s);
    const broken = await start({ words: ['broken'] });
    assert.equal(broken.code, 1);
    assert.match(broken.error, /\/src\/broken\.ts:1\nexport const broken = ;/);
    assert.deepEqual(readdirSync(builds), ['building.lock']);
  });

  it('shows names and lines of the sources in stack traces, on threads, too', async () => {
    const { error } = await start({ words: ['fail'] });
    const src = `file://${checkout}/src`;
    const trace = (file: string) =>
      `Error: as it should\n    at explain (${file}:6:9)\n    at fail (${file}:10:10)\n`;
    assert.ok(error.includes(`${trace(`${src}/fail.ts`)}    at ${src}/main.ts:7:22\n`), error);
    const thread = await start({ words: ['thread'] });
    assert.ok(thread.error.includes(trace(`${src}/db/sqlite/writer-thread.ts`)), thread.error);
  });

  it('runs nothing that others could have written', async () => {
    const build = await buildOf();
    chmodSync(path.join(builds, build), 0o777);
    await assertSources();
    chmodSync(path.join(builds, build), 0o755);
    chmodSync(builds, 0o775);
    await assertSources();
    chmodSync(builds, 0o755);
    assert.equal(await buildOf(), build);
  });
});

describe('a start in the checkout of another user', { skip: withoutAnotherUser() }, () => {
  const giveToNobody = () => {
    for (const each of ['', ...readdirSync(checkout, { recursive: true, encoding: 'utf8' })])
      if (!each.startsWith('node_modules')) chownSync(path.join(checkout, each), NOBODY.uid, NOBODY.gid);
  };

  it('runs what the owner has built, and the sources when they have changed since', async () => {
    await assertSources({ user: NOBODY });
    const build = await buildOf();
    assert.equal(await buildOf({ user: NOBODY }), build);
    greet('hullo');
    await assertSources({ user: NOBODY });
    const files = readdirSync(builds, { recursive: true });
    await buildOf();
    greet('hello');
    assert.equal(await buildOf({ user: NOBODY }), build, 'by its content');
    assert.ok(files.length > 0);
  });

  it('leaves nothing of root in it', async () => {
    giveToNobody();
    await assertSources();
    assert.equal(existsSync(builds), false);
    const build = await buildOf({ user: NOBODY });
    assert.equal(await buildOf(), build);
    for (const each of readdirSync(builds, { recursive: true, encoding: 'utf8' }))
      assert.equal(statSync(path.join(builds, each)).uid, NOBODY.uid, each);
  });

  it('runs nothing that somebody else has built', async () => {
    const build = await buildOf();
    chownSync(path.join(builds, build), NOBODY.uid, NOBODY.gid);
    await assertSources();
  });

  it('runs the sources where nothing can be written', async () => {
    giveToNobody();
    chmodSync(checkout, 0o555);
    await assertSources({ user: NOBODY });
    chmodSync(checkout, 0o755);
    await buildOf({ user: NOBODY });
    appendFileSync(path.join(checkout, 'src/fail.ts'), '\n');
    chmodSync(builds, 0o555);
    await assertSources({ user: NOBODY });
  });
});
