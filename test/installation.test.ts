import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { loadCommands } from '../src/commands/command-groups.ts';
import { runCommandLine } from '../src/commands/command-line.ts';
import { OPENS_NONE, wordsFor } from './support/every-command.ts';
import { forEachEngine } from './support/harness.ts';
import { type Finished, startProcess } from './support/process.ts';
import { createStorage, type Storage } from './support/storage.ts';
import { jsonOf, typed } from './support/terminal.ts';

const ROOT = path.join(import.meta.dirname, '..');
const NEEDS_NONE = [...OPENS_NONE, 'migrate'];
const TRY_AGAIN = 75;
/** They report on what they find, whatever it is. */
const REPORTS = ['doctor', 'status'];
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'doorlist-test-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('a command outside an installation', () => {
  it('says where it looked and how to choose another directory, and creates nothing', async () => {
    const dataDir = path.join(directory, 'data');
    for (const command of (await loadCommands()).filter(({ name }) => !NEEDS_NONE.includes(name))) {
      const { code, out, error } = await typed({ DOORLIST_DATA_DIR: dataDir }, ...wordsFor(command));
      assert.equal(code, REPORTS.includes(command.name) ? 1 : TRY_AGAIN, `${command.name}: ${out}${error}`);
      assert.ok(
        `${out}${error}`.includes(`There is no Doorlist in ${dataDir}. Set DOORLIST_DATA_DIR`),
        command.name,
      );
      assert.deepEqual(readdirSync(directory), [], command.name);
    }
  });

  it('prints the full path where it looked, even for the default', async () => {
    const { code, stderr } = await runIn(directory, {}, 'waitlist', 'list');
    assert.equal(code, TRY_AGAIN);
    assert.ok(stderr.includes(`There is no Doorlist in ${path.join(directory, 'data')}.`), stderr);
    assert.deepEqual(readdirSync(directory), []);
  });
});

forEachEngine((engine) => {
  let storage: Storage;
  beforeEach(async () => {
    storage = await createStorage(engine);
  });
  afterEach(() => storage.remove());

  describe('an empty database', () => {
    it('is left empty by every command but migrate and serve', async () => {
      for (const words of [['waitlist', 'list'], ['doctor']]) {
        const { code, out, error } = await typed(storage.environment, ...words);
        assert.equal(code, words[0] === 'doctor' ? 1 : TRY_AGAIN);
        assert.match(out + error, /There is no Doorlist in .*`migrate` or `serve`/);
      }
      assert.deepEqual(readdirSync(storage.dataDir), []);
      assert.deepEqual((await jsonOf<{ from: number }>(storage.environment, 'migrate')).from, 0);
      assert.deepEqual(await jsonOf(storage.environment, 'waitlist', 'list'), []);
    });

    it('can be created in a data directory that does not exist yet', async () => {
      const dataDir = path.join(storage.dataDir, 'new', 'data');
      const environment = { ...storage.environment, DOORLIST_DATA_DIR: dataDir };
      assert.equal((await jsonOf<{ from: number }>(environment, 'migrate')).from, 0);
      assert.equal(statSync(dataDir).mode & 0o777, 0o700);
    });
  });

  describe('the files of an installation', () => {
    const modes = () =>
      Object.fromEntries(
        readdirSync(storage.dataDir).map((name) => [
          name,
          statSync(path.join(storage.dataDir, name)).mode & 0o777,
        ]),
      );

    it('are readable only by their owner, even in a directory open to all', async () => {
      chmodSync(storage.dataDir, 0o755);
      const server = await startProcess(storage.environment);
      try {
        await jsonOf(storage.environment, 'waitlist', 'create', 'wl_acme', '--name', 'Acme');
        const found = modes();
        const wanted = engine === 'sqlite' ? ['doorlist.db', 'doorlist.db-shm', 'doorlist.db-wal'] : [];
        for (const name of [...wanted, 'master.key']) assert.equal(found[name], 0o600, name);
      } finally {
        await server.stop();
      }
    });

    it('have their permissions tightened at the start, with a warning', async () => {
      await jsonOf(storage.environment, 'migrate');
      for (const name of readdirSync(storage.dataDir)) chmodSync(path.join(storage.dataDir, name), 0o644);
      const server = await startProcess(storage.environment);
      let found: Record<string, number>;
      try {
        found = modes();
      } finally {
        await server.stop();
      }
      const stdout = server.output();
      for (const [name, mode] of Object.entries(found)) assert.equal(mode, 0o600, name);
      assert.match(stdout, /"level":"warn".*master\.key.*"was":"0644".*changed its mode to 0600/);
    });
  });
});

describe('--env-file', () => {
  it('is read instead of .env, before the command or behind it, and the environment takes precedence', async () => {
    const [first, second] = [path.join(directory, 'first'), path.join(directory, 'second')];
    const file = path.join(directory, 'doorlist.env');
    writeFileSync(path.join(directory, '.env'), 'PORT=eighty\n');
    writeFileSync(file, `DOORLIST_DATA_DIR=${first}\n`);
    assert.equal((await runIn(directory, {}, '--env-file', file, 'migrate')).code, 0);
    assert.ok(existsSync(path.join(first, 'doorlist.db')));
    const listed = await runIn(directory, {}, 'waitlist', 'list', '--env-file=doorlist.env', '--json');
    assert.deepEqual([listed.code, listed.stdout], [0, '[]\n']);
    const other = await runIn(directory, { DOORLIST_DATA_DIR: second }, 'migrate', '--env-file', file);
    assert.equal(other.code, 0, other.stderr);
    assert.ok(existsSync(path.join(second, 'doorlist.db')));
  });

  it('must be there, have a name, and be given once', async () => {
    const missing = await runIn(directory, {}, 'migrate', '--env-file', 'nowhere.env');
    assert.equal(missing.code, 1);
    assert.equal(
      missing.stderr,
      `doorlist: ${path.join(directory, 'nowhere.env')}, named by --env-file, does not exist\n`,
    );
    for (const words of [['--env-file'], ['--env-file='], ['--env-file', '--json']]) {
      const { code, stderr } = await runIn(directory, {}, 'migrate', ...words);
      assert.equal(code, 2);
      assert.match(stderr, /--env-file: needs the name of a file/);
    }
    const twice = await runIn(directory, {}, '--env-file', 'a', 'migrate', '--env-file', 'b');
    assert.match(twice.stderr, /--env-file: can be given once/);
    assert.deepEqual(readdirSync(directory), []);
  });

  it('is named where a command finds no installation, with where variables were read from', async () => {
    for (const words of [['waitlist', 'list'], ['status'], ['doctor']]) {
      const { stdout, stderr } = await runIn(directory, {}, ...words);
      const file = path.join(directory, '.env');
      assert.ok(
        `${stdout}${stderr}`.includes(
          `Variables were read from the environment and ${file}, which does not exist.`,
        ),
        stdout + stderr,
      );
      assert.match(stdout + stderr, /--env-file/);
    }
    writeFileSync(path.join(directory, 'mine.env'), '# Nothing\n');
    const { stderr } = await runIn(directory, {}, '--env-file', 'mine.env', 'waitlist', 'list');
    assert.ok(stderr.includes(`and ${path.join(directory, 'mine.env')}. `), stderr);
  });
});

describe('the file of a service', () => {
  const said = async (...words: string[]) => {
    const lines: string[] = [];
    const code = await runCommandLine(['waitlist', 'list', ...words], {
      environment: { DOORLIST_DATA_DIR: path.join(directory, 'data') },
      envFile: path.join(directory, '.env'),
      filesOfServices: [path.join(directory, 'away.env'), path.join(directory, 'service.env')],
      out: () => {},
      error: (text) => void lines.push(text),
    });
    assert.equal(code, TRY_AGAIN);
    return lines.join('\n');
  };

  it('is named where it is there and a command that did not read it finds no installation', async () => {
    const file = path.join(directory, 'service.env');
    assert.match(await said(), /--env-file FILE reads another file\.$/);
    writeFileSync(file, '# Nothing\n');
    assert.ok((await said()).endsWith(` To read ${file}, add --env-file ${file}.`));
    assert.match(await said('--env-file', file), /--env-file FILE reads another file\.$/);
  });
});

describe('a .env file in the working directory', () => {
  it('is read by every command, and the environment takes precedence', async () => {
    const [first, second] = [path.join(directory, 'first'), path.join(directory, 'second')];
    writeFileSync(path.join(directory, '.env'), `# Ours\nexport DOORLIST_DATA_DIR="${first}"\n`);
    assert.equal((await runIn(directory, {}, 'migrate')).code, 0);
    assert.ok(existsSync(path.join(first, 'doorlist.db')));
    assert.equal((await runIn(directory, { DOORLIST_DATA_DIR: second }, 'migrate')).code, 0);
    assert.ok(existsSync(path.join(second, 'doorlist.db')));
  });

  it('is validated like the environment', async () => {
    writeFileSync(path.join(directory, '.env'), 'PORT=eighty\nDOORLIST_DATADIR=/somewhere\n');
    const { code, stderr } = await runIn(directory, {}, 'serve');
    assert.equal(code, 1);
    assert.match(
      stderr,
      /DOORLIST_DATADIR: unknown variable\. Did you mean DOORLIST_DATA_DIR\?\nPORT: must be/,
    );
  });

  it('stops every command when it is invalid or cannot be read', async () => {
    const file = path.join(directory, '.env');
    const refused = async (wanted: RegExp) => {
      const { code, stderr } = await runIn(directory, {}, 'migrate');
      assert.equal(code, 1);
      assert.match(stderr, wanted);
      assert.doesNotMatch(stderr, /^ {4}at /m);
      assert.ok(!existsSync(path.join(directory, 'data')));
    };
    writeFileSync(file, 'PORT=3000\nCERTIFICATE="one\ntwo"\nDOORLIST_DATA_DIR /var/lib/doorlist\n');
    await refused(/\.env, line 4: expected NAME=value/);
    writeFileSync(file, Buffer.from([0x50, 0x3d, 0xff, 0xfe]));
    await refused(/\.env cannot be read: it is not UTF-8/);
    rmSync(file);
    mkdirSync(file);
    await refused(/\.env cannot be read: illegal operation on a directory/);
  });
});

function runIn(cwd: string, environment: Record<string, string>, ...words: string[]): Promise<Finished> {
  const { PATH = '', HOME = '' } = process.env;
  const options = { cwd, env: { PATH, HOME, ...environment } };
  return new Promise((resolve) => {
    execFile(path.join(ROOT, 'bin/doorlist'), words, options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}
