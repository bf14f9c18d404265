import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { BackupProblem } from '../src/vault/backup-format.ts';
import { openBackup } from '../src/vault/backup-reader.ts';
import { writeBackup } from '../src/vault/backup-writer.ts';
import { afterTest } from './support/cleanup.ts';
import { createStorage } from './support/storage.ts';
import { jsonOf, typed } from './support/terminal.ts';

const PASSPHRASE = 'correct horse battery';

function directory(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'doorlist-test-'));
  afterTest(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

it('a flipped byte anywhere in the header of a backup reads as damage', async () => {
  const file = path.join(directory(), 'small.backup');
  await writeBackup(file, PASSPHRASE, {
    about: {
      engine: 'sqlite',
      schema: 18,
      createdAt: new Date().toISOString(),
      release: '0.1.0',
      hasMasterKey: true,
    },
    secrets: { masterKeyId: '', masterKey: null },
    data: (async function* () {
      yield Buffer.from('data');
    })(),
    cost: { operations: 1, memory: 8_192 },
  });
  const bytes = readFileSync(file);
  const end = bytes.indexOf('}}') + 2;
  assert.ok(end > 200);
  for (let at = 0; at < end; at += 1) {
    const flipped = Buffer.from(bytes);
    flipped[at] = (bytes[at] ?? 0) ^ (1 << (at % 7));
    writeFileSync(file, flipped);
    await assert.rejects(openBackup(file, PASSPHRASE), (error: Error) => {
      assert.ok(error instanceof BackupProblem, `byte ${at}: ${error.stack}`);
      assert.match(error.message, /damaged/, `byte ${at}`);
      return true;
    });
  }
  writeFileSync(file, bytes);
  assert.equal((await openBackup(file, PASSPHRASE)).about.schema, 18);
});

it('a backup from before 0.1.0 is refused by name', async () => {
  const file = path.join(directory(), 'before.backup');
  await writeBackup(file, PASSPHRASE, {
    about: {
      engine: 'sqlite',
      schema: 39,
      createdAt: '2026-11-01T00:00:00.000Z',
      release: '0.1.0',
      hasMasterKey: true,
    },
    secrets: { masterKeyId: '', masterKey: null },
    data: (async function* () {})(),
    cost: { operations: 1, memory: 8_192 },
  });
  const environment = { DOORLIST_DATA_DIR: directory(), DOORLIST_BACKUP_PASSPHRASE: PASSPHRASE };
  const { code, error } = await typed(environment, 'restore', file);
  assert.equal(code, 1);
  assert.match(error, /has schema version 39, from before 0\.1\.0's schema: restore it with a checkout/);
});

it('a backup of a newer format still reads as one of a newer release', async () => {
  const file = path.join(directory(), 'newer.backup');
  const header = Buffer.from(JSON.stringify({ format: 2, release: '99.0.0' }));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(header.length);
  writeFileSync(file, Buffer.concat([Buffer.from('doorlist backup\n'), length, header]));
  await assert.rejects(openBackup(file, PASSPHRASE), /created by a newer release/);
});

it('a backup replaces nothing that exists, be it a link to nothing', async () => {
  const storage = await createStorage('sqlite');
  afterTest(storage.remove);
  await jsonOf(storage.environment, 'migrate');
  const link = path.join(directory(), 'link');
  symlinkSync(path.join(directory(), 'nothing'), link);
  const { code, error } = await typed(
    { ...storage.environment, DOORLIST_BACKUP_PASSPHRASE: PASSPHRASE },
    'backup',
    link,
  );
  assert.deepEqual([code, error], [1, `doorlist: ${link} already exists: choose another name`]);
  assert.ok(lstatSync(link).isSymbolicLink());
});

it('a backup onto a full disk names the file, and leaves nothing behind', async (test) => {
  const small = directory();
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', small]).status !== 0)
    return test.skip('needs a small file system, and only root may mount one');
  afterTest(() => spawnSync('umount', [small]));
  const storage = await createStorage('sqlite');
  afterTest(storage.remove);
  await jsonOf(storage.environment, 'migrate');
  const file = path.join(small, 'doorlist.backup');
  const { code, error } = await typed(
    { ...storage.environment, DOORLIST_BACKUP_PASSPHRASE: PASSPHRASE },
    'backup',
    file,
  );
  assert.equal(code, 1);
  assert.equal(error, `doorlist: could not write ${file}.part: no space left on device`);
  assert.deepEqual(readdirSync(small), []);
});
