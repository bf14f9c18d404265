import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import manifest from '../package.json' with { type: 'json' };
import { freePort } from './support/postgres.ts';

const ROOT = path.join(import.meta.dirname, '..');
const PLATFORMS = Object.entries(manifest.optionalDependencies);

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

  it('is the one that npm scripts run, if it exists for this platform', (test) => {
    const here = PLATFORMS.find(([name]) => name.endsWith(`-${process.platform}-${process.arch}`));
    if (!here) return test.skip(`there is none for ${process.platform}-${process.arch}`);
    const linked = realpathSync(path.join(ROOT, 'node_modules/.bin/node'));
    assert.equal(linked, path.join(ROOT, 'node_modules', here[0], 'bin/node'));
    assert.equal(process.version, `v${here[1]}`);
  });

  it('is requested in one sentence when an older Node runs', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-test-'));
    try {
      const older = path.join(directory, 'older.cjs');
      writeFileSync(older, "Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } });");
      const required = ['--require', older, '--require', path.join(ROOT, 'bin/require-node.cjs')];
      const child = spawn(process.execPath, [...required, 'src/main.ts', '--version'], { cwd: ROOT });
      let said = '';
      child.stderr.on('data', (chunk) => {
        said += chunk;
      });
      assert.deepEqual(await once(child, 'close'), [1, null]);
      assert.match(
        said,
        /^doorlist: Doorlist needs Node 24 or newer, and this is Node 20\.20\.2\. [^\n]+\n$/,
      );
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
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
    const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-test-'));
    const port = await freePort();
    const { PATH = '', HOME = '' } = process.env;
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
      rmSync(directory, { recursive: true, force: true });
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
