import assert from 'node:assert/strict';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { afterTest } from '../support/cleanup.ts';
import { assertError, clientFor, listOver, startService } from '../support/harness.ts';
import { startProcess } from '../support/process.ts';
import { createStorage } from '../support/storage.ts';
import { runHere } from '../support/terminal.ts';

const PEOPLE = 300;

/** Overwrites a page in the middle of the entries, as a failing disk would. */
function damageEntries(file: string): void {
  const database = new DatabaseSync(file);
  const pages = database
    .prepare("select pageno from dbstat where name = 'entry' and pagetype = 'leaf' order by path")
    .all() as { pageno: number }[];
  const { page_size: size } = database.prepare('pragma page_size').get() as { page_size: number };
  database.close(); // Also writes the log back.
  assert.ok(pages.length > 4, `${pages.length} pages`);
  const { pageno = 0 } = pages[Math.floor(pages.length / 2)] ?? {};
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(size, 0xff), 0, size, (pageno - 1) * size);
  closeSync(descriptor);
}

it('fails only requests that read a damaged page, and says what is damaged', async () => {
  const storage = await createStorage('sqlite');
  afterTest(storage.remove);
  const first = await startService('sqlite', { storage });
  const { id, key, signup } = await first.waitlist();
  const people = Array.from({ length: PEOPLE }, (_, n) => ({
    email: `n${n}@example.com`,
    metadata: { note: 'x'.repeat(200) },
  }));
  for (let at = 0; at < PEOPLE; at += 100)
    assert.equal((await signup(...people.slice(at, at + 100))).status, 201);
  await first.close();
  const backup = path.join(storage.dataDir, 'before.backup');
  const environment = { ...storage.environment, DOORLIST_BACKUP_PASSPHRASE: 'a failing disk is no fun' };
  assert.equal((await runHere(environment, 'backup', backup)).code, 0);
  const file = path.join(storage.dataDir, 'doorlist.db');
  damageEntries(file);

  const server = await startProcess(storage.environment);
  afterTest(() => server.stop('SIGKILL'));
  const client = clientFor(server.url);
  const list = listOver(client, id, key);
  const statuses = new Set<number>();
  for (const { email } of people) {
    const answer = await list.lookup(email);
    statuses.add(answer.status);
    if (answer.status !== 200) assertError(answer, 500, 'internal_error');
  }
  assert.deepEqual([...statuses].toSorted(), [200, 500]);
  assert.equal((await client.request('GET', '/readyz')).status, 200);
  const seen = await runHere(storage.environment, 'status');
  assert.equal(seen.code, 1);
  assert.match(seen.stdout, /^WRONG {2}database file: .*doorlist\.db is damaged\. .*Found at 2\S+Z$/m);
  const { code: ended, stdout: log } = await server.stop();
  assert.equal(ended, 0);
  const said = log.split('\n').filter((line) => line.includes('database file: damaged'));
  assert.equal(said.length, 1, 'once');
  assert.ok(said[0]?.includes(`${file} is damaged. Restore it from a backup.`), said[0]);
  const { code, stdout } = await runHere(storage.environment, 'doctor');
  assert.equal(code, 1);
  assert.ok(stdout.includes(`${file} is damaged. Restore it from a backup.`), stdout);

  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
  const restored = await runHere(environment, 'restore', backup);
  assert.equal(restored.code, 0, restored.stderr + restored.stdout);
  assert.doesNotMatch((await runHere(environment, 'status')).stdout, /database file/);
});
