import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { promisify } from 'node:util';
import manifest from '../package.json' with { type: 'json' };
import { freePort } from './support/free-port.ts';

const ROOT = path.join(import.meta.dirname, '..');
const PLATFORMS = Object.entries(manifest.optionalDependencies);
const HERE = PLATFORMS.find(([name]) => name.endsWith(`-${process.platform}-${process.arch}`));
const ELSEWHERE = `there is none for ${process.platform}-${process.arch}`;
const { PATH = '' } = process.env;

let directory: string;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(path.join(tmpdir(), 'doorlist-test-')));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** The path of the Node that the launcher runs, or that a program which it starts finds. */
async function nodeOf(env: Record<string, string>, whose = 'self', launcher = path.join(ROOT, 'bin/node')) {
  const say = 'process.stdout.write(process.execPath)';
  const start = `require('node:child_process').execFileSync('node', ['-e', ${JSON.stringify(say)}], { stdio: 'inherit' })`;
  const { stdout } = await promisify(execFile)(launcher, ['-e', whose === 'self' ? say : start], { env });
  return stdout;
}

interface Locked {
  version: string;
  integrity?: string;
  resolved?: string;
  inBundle?: boolean;
  hasInstallScript?: boolean;
}
const lockfile = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};

describe('the pinned Node', () => {
  it('is in the lockfile with a hash for every platform, and needs no install script', () => {
    for (const [name, version] of PLATFORMS) {
      const locked = lockfile.packages[`node_modules/${name}`];
      assert.equal(locked?.version, version);
      assert.match(locked?.integrity ?? '', /^sha512-/);
      assert.equal(locked?.hasInstallScript, undefined);
      assert.ok(Number(version.split('.')[0]) >= 24, name);
    }
  });

  it('runs the scripts and the command line, whatever npm has linked', {
    skip: !HERE && ELSEWHERE,
  }, async () => {
    const file = path.join(ROOT, 'node_modules', HERE?.[0] ?? '', 'bin/node');
    assert.equal(await nodeOf({ PATH }), file);
    assert.equal(await nodeOf({ PATH }, 'child'), file, 'programs that it starts use it, too');
    for (const [name, script] of Object.entries(manifest.scripts)) {
      assert.match(script, /^(exec bin\/(node|doorlist)( |$)|npm run )/, name);
    }
  });

  it('is replaced by the one in DOORLIST_NODE', async () => {
    assert.equal(await nodeOf({ PATH, DOORLIST_NODE: process.execPath }), process.execPath);
    await assert.rejects(
      nodeOf({ PATH, DOORLIST_NODE: '/nowhere/node' }),
      /doorlist: There is no Node at DOORLIST_NODE=\/nowhere\/node\. Install Node 24/,
    );
  });

  it('is replaced by the one on the PATH where it is missing or cannot run', async () => {
    const copy = path.join(directory, 'copy');
    cpSync(path.join(ROOT, 'bin'), path.join(copy, 'bin'), { recursive: true });
    const launcher = path.join(copy, 'bin/node');
    symlinkSync(process.execPath, path.join(directory, 'node'));
    const env = { PATH: `${directory}:${PATH}` };
    assert.equal(await nodeOf(env, 'self', launcher), realpathSync(process.execPath));
    for (const [name] of PLATFORMS) {
      const place = path.join(copy, 'node_modules', name, 'bin');
      mkdirSync(place, { recursive: true });
      writeFileSync(path.join(place, 'node'), '#!/nowhere/loader\n', { mode: 0o755 });
    }
    assert.equal(await nodeOf(env, 'self', launcher), realpathSync(process.execPath));
  });

  it('is named with its problem where it cannot run and the other Node is too old', async () => {
    const copy = path.join(directory, 'copy');
    cpSync(path.join(ROOT, 'bin'), path.join(copy, 'bin'), { recursive: true });
    const problem =
      'node: error while loading shared libraries: libatomic.so.1: cannot open shared object file';
    for (const [name] of PLATFORMS) {
      const place = path.join(copy, 'node_modules', name, 'bin');
      mkdirSync(place, { recursive: true });
      writeFileSync(path.join(place, 'node'), `#!/bin/sh\necho '${problem}' >&2\nexit 127\n`, {
        mode: 0o755,
      });
    }
    const older = path.join(directory, 'older.cjs');
    writeFileSync(older, "Object.defineProperty(process, 'versions', { value: { node: '22.20.0' } });");
    const script = `#!/bin/sh\nexec ${process.execPath} --require ${older} "$@"\n`;
    writeFileSync(path.join(directory, 'node'), script, { mode: 0o755 });
    const failed = promisify(execFile)(path.join(copy, 'bin/node'), ['-e', ''], {
      env: { PATH: `${directory}:${PATH}` },
    });
    await assert.rejects(failed, ({ stderr }: { stderr: string }) => {
      assert.match(
        stderr,
        /^doorlist: Doorlist needs Node 24 or newer, and this is Node 22\.20\.0\. [^\n]+\n$/,
      );
      assert.match(stderr, /cannot run here: .*libatomic\.so\.1.*package libatomic1/);
      return true;
    });
  });

  it('is requested in one sentence when an older Node runs', async () => {
    const older = path.join(directory, 'older.cjs');
    writeFileSync(older, "Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } });");
    const required = ['--require', older, '--require', path.join(ROOT, 'bin/require-node.cjs')];
    const child = spawn(process.execPath, [...required, 'src/main.ts', '--version'], { cwd: ROOT });
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    assert.deepEqual(await once(child, 'close'), [75, null]);
    assert.match(said, /^doorlist: Doorlist needs Node 24 or newer, and this is Node 20\.20\.2\. [^\n]+\n$/);
  });
});

describe('the lockfile', () => {
  it('contains no download URLs, and a hash for every package', () => {
    for (const [name, { integrity, resolved, inBundle }] of Object.entries(lockfile.packages)) {
      if (name === '' || inBundle) continue; // The hash of a package covers what is bundled with it.
      assert.equal(resolved, undefined, name);
      assert.match(integrity ?? '', /^sha/, name);
    }
  });
});

describe('npm start', () => {
  it('stops the server when npm is stopped, and exits cleanly', async () => {
    const port = await freePort();
    const { HOME = '' } = process.env;
    const npm = spawn('npm', ['start'], {
      cwd: ROOT,
      env: { PATH, HOME, PORT: String(port), DOORLIST_DATA_DIR: directory },
      detached: true, // A group of its own: whatever is left behind can be ended with it.
    });
    const closed = once(npm, 'close');
    try {
      await new Promise<void>((resolve, reject) => {
        let said = '';
        const listen = (chunk: Buffer) => {
          said += chunk;
          if (said.includes('ready at')) resolve();
        };
        npm.stdout.on('data', listen);
        npm.stderr.on('data', listen);
        closed.then(() => reject(new Error(said)), reject);
      });
      npm.kill('SIGTERM');
      assert.deepEqual(await closed, [0, null]); // 'close' waits for every process that shares its output.
      const next = createServer().listen(port, '127.0.0.1');
      await once(next, 'listening');
      next.close();
    } finally {
      endGroup(npm.pid);
    }
  });
});

function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // Everything has ended, as it should.
  }
}
