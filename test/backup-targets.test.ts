import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { backupName, deleteOlderBackups } from '../src/commands/backup-rotation.ts';
import { writeBackup } from '../src/vault/backup-writer.ts';
import { afterTest } from './support/cleanup.ts';
import { createStorage, type Storage } from './support/storage.ts';
import { command, jsonOf, typed } from './support/terminal.ts';

const DOORLIST = path.join(import.meta.dirname, '../bin/doorlist');
const PASSPHRASE = 'correct horse battery';
const CHEAP = { operations: 1, memory: 8_192 };

function directory(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'doorlist-test-'));
  afterTest(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function installed(): Promise<Storage & { environment: Record<string, string> }> {
  const storage = await createStorage('sqlite');
  afterTest(storage.remove);
  await jsonOf(storage.environment, 'migrate');
  const environment = { ...storage.environment, DOORLIST_BACKUP_PASSPHRASE: PASSPHRASE };
  return { ...storage, environment };
}

const shell = (environment: Record<string, string>, line: string) => {
  const { PATH = '' } = process.env;
  return promisify(execFile)('bash', ['--norc', '-o', 'pipefail', '-c', line], {
    env: { PATH, ...environment },
  });
};

describe('backup -', () => {
  it('streams to standard output, as often as wanted, and restore - reads it', async () => {
    const { environment, dataDir } = await installed();
    await jsonOf(environment, 'waitlist', 'create', 'wl_acme', '--name', 'Acme');
    const file = path.join(directory(), 'piped.backup');
    for (const _ of [1, 2]) {
      const { stdout, stderr } = await shell(environment, `${DOORLIST} backup - | cat > ${file}`);
      assert.equal(stdout, '');
      assert.match(stderr, /^Wrote the backup to standard output \(\d+ bytes\)\. It contains the master key/);
      assert.match(stderr, /\nSHA-256 [0-9a-f]{64}\n$/);
    }
    await shell(environment, `${DOORLIST} backup - > ${file}`);
    assert.ok(!readdirSync(dataDir).includes('-') && !readdirSync('.').includes('-'));
    const status = await command<{ findings: { what: string; detail: string }[] }>(environment, 'status');
    assert.equal(
      status.json.findings.find(({ what }) => what === 'backup')?.detail,
      'last made less than a minute ago',
    );

    const target = { ...environment, DOORLIST_DATA_DIR: path.join(directory(), 'data') };
    const { stdout } = await shell(target, `cat ${file} | ${DOORLIST} restore -`);
    assert.match(stdout, /^Restored the backup of /);
    assert.equal((await jsonOf<{ id: string }[]>(target, 'waitlist', 'list'))[0]?.id, 'wl_acme');
    assert.deepEqual(
      readdirSync(target.DOORLIST_DATA_DIR).filter((name) => name.includes('backup')),
      [],
    );
  });

  it('refuses a terminal, and --json', async () => {
    const { environment } = await installed();
    const { PATH = '' } = process.env;
    const onTerminal = spawnSync('script', ['-qec', `${DOORLIST} backup -`, '/dev/null'], {
      env: { PATH, ...environment },
      encoding: 'utf8',
    });
    if (onTerminal.error === undefined) {
      assert.equal(onTerminal.status, 2, onTerminal.stdout);
      assert.match(onTerminal.stdout, /a backup is not written to a terminal: pipe it, or name a file/);
    }
    const { code, error } = await typed(environment, 'backup', '-', '--json');
    assert.equal(code, 2);
    assert.match(error, /--json: standard output has the backup/);
  });

  it('fails if nobody reads it to its end, and does not count as a backup', async () => {
    const { environment } = await installed();
    await assert.rejects(shell(environment, `${DOORLIST} backup - | head -c 10 > /dev/null`), {
      code: 1,
      stderr: 'doorlist: could not write to standard output: broken pipe\n',
    });
    const { json } = await command<{ findings: { what: string; detail: string }[] }>(environment, 'status');
    assert.match(
      json.findings.find(({ what }) => what === 'backup')?.detail ?? '',
      /^none was made with `.* backup FILE`$/,
    );
  });

  it('is not restored if it was cut short', async () => {
    const { environment } = await installed();
    const file = path.join(directory(), 'short.backup');
    await shell(environment, `${DOORLIST} backup - | head -c 5000 > ${file}`).catch(() => {});
    const target = { ...environment, DOORLIST_DATA_DIR: path.join(directory(), 'data') };
    await assert.rejects(shell(target, `${DOORLIST} restore - < ${file}`), { code: 1 });
    assert.ok(!readdirSync(target.DOORLIST_DATA_DIR).some((name) => /backup|doorlist\.db/.test(name)));
  });
});

/** When another installation was created. */
const OTHERS = '2025-01-01T00:00:00.000Z';

describe('backup DIRECTORY', () => {
  const made = async (at: string, to: string, installedAt = OTHERS) => {
    const createdAt = `2026-11-${at}T02:00:00.000Z`;
    const about = { engine: 'sqlite' as const, schema: 1, createdAt, release: '0.1.0', hasMasterKey: true };
    const data = (async function* () {})();
    const secrets = { masterKeyId: '', masterKey: null };
    const name = backupName(createdAt);
    await writeBackup(path.join(to, name), PASSPHRASE, {
      ...{ secrets, data, cost: CHEAP },
      about: { ...about, installedAt },
    });
    return name;
  };

  it('writes a new file each time, and deletes nothing by itself', async () => {
    const { environment } = await installed();
    const to = directory();
    const old = await made('01', to);
    const { file, deleted } = await jsonOf<{ file: string; deleted: string[] }>(environment, 'backup', to);
    assert.deepEqual(deleted, []);
    assert.match(path.relative(to, file), /^doorlist-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.backup$/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(to).toSorted(), [old, path.basename(file)].toSorted());
  });

  it('keeps as many as --keep says, of this installation', async () => {
    const { environment } = await installed();
    const to = directory();
    const { file, installedAt } = await jsonOf<{ file: string; installedAt: string }>(
      environment,
      'backup',
      to,
    );
    rmSync(file);
    const mine = [];
    for (const day of ['03', '01', '04', '02']) mine.push(await made(day, to, installedAt));
    const kept = await typed(environment, 'backup', to, '--keep', '3');
    assert.equal(kept.code, 0, kept.error);
    assert.match(kept.out, /\nDeleted 2 older backups: doorlist-2026-11-01T\S+, doorlist-2026-11-02T\S+$/);
    assert.equal(readdirSync(to).length, 3);
    assert.ok(readdirSync(to).includes(mine[0] ?? '') && readdirSync(to).includes(mine[2] ?? ''));
  });

  it('leaves alone what is not its own', async () => {
    const to = directory();
    const ours = '2026-01-01T00:00:00.000Z';
    const oldest = await made('01', to, ours);
    const newest = await made('09', to, ours);
    await made('02', to, '2026-01-01T00:00:00.001Z');
    await made('03', to);
    writeFileSync(path.join(to, 'doorlist-2026-11-04T02-00-00Z.backup'), 'notes of somebody');
    symlinkSync(path.join(to, newest), path.join(to, 'doorlist-2026-11-05T02-00-00Z.backup'));
    copyFileSync(path.join(to, oldest), path.join(to, 'doorlist-2026-11-06T02-00-00Z.backup'));
    copyFileSync(path.join(to, oldest), path.join(to, 'before-the-launch.backup'));
    const before = readdirSync(to);
    assert.deepEqual(await deleteOlderBackups(to, 1, ours), [oldest]);
    assert.deepEqual(
      readdirSync(to),
      before.filter((name) => name !== oldest),
    );
  });

  it('deletes nothing if the backup fails, and refuses --keep without a directory', async () => {
    const { environment } = await installed();
    const to = directory();
    const old = await made('01', to);
    const failed = await typed(
      { ...environment, DOORLIST_BACKUP_PASSPHRASE: 'short' },
      'backup',
      to,
      '--keep',
      '1',
    );
    assert.equal(failed.code, 1);
    assert.deepEqual(readdirSync(to), [old]);
    for (const target of ['-', path.join(to, 'x.backup'), path.join(to, 'nowhere')]) {
      const { code, error } = await typed(environment, 'backup', target, '--keep', '7');
      assert.equal(code, 2);
      assert.match(error, /--keep: needs a directory that exists/);
    }
    const none = await typed(environment, 'backup', to, '--keep', '0');
    assert.match(none.error, /--keep: must be a whole number from 1 to 10000/);
    assert.ok(readFileSync(path.join(to, old)).length > 0);
  });
});
