import assert from 'node:assert/strict';
import { chmodSync, chownSync, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, it } from 'node:test';
import { NOBODY, withoutAnotherUser } from '../support/another-user.ts';
import {
  assertError,
  clientFor,
  eventually,
  type List,
  listOver,
  type Service,
  startService,
} from '../support/harness.ts';
import { startProcess } from '../support/process.ts';
import { createStorage, type Storage } from '../support/storage.ts';

let storage: Storage;
let service: Service;
let list: List;
let file: string;

beforeEach(async () => {
  storage = await createStorage('sqlite');
  service = await startService('sqlite', { storage });
  list = await service.waitlist();
  file = path.join(storage.dataDir, 'doorlist.db');
  assert.equal((await list.signup({ email: 'first@example.com' })).status, 201);
});
afterEach(async () => {
  await service.close();
  await storage.remove();
});

const ready = async () => (await service.request('GET', '/readyz')).status;
const untilReady = (status: number) => eventually(ready, (answer) => answer === status);

for (const name of ['doorlist.db', 'doorlist.db-wal', 'doorlist.db-shm']) {
  it(`acknowledges nothing while ${name} is missing, and recovers when it is back`, async () => {
    const moved = path.join(storage.dataDir, name);
    renameSync(moved, `${moved}.away`);
    assertError(await list.signup({ email: 'lost@example.com' }), 503, 'unavailable');
    assert.equal(await untilReady(503), 503);
    const lines = service.log.filter((line) =>
      line.includes('was removed or replaced while Doorlist was running'),
    );
    assert.ok(lines.some((line) => line.includes(name)));
    renameSync(`${moved}.away`, moved);
    assert.equal(await untilReady(200), 200);
    assert.equal((await list.signup({ email: 'lost@example.com' })).status, 201);
  });
}

it('acknowledges nothing after the database file was replaced', async () => {
  copyFileSync(file, `${file}.copy`);
  renameSync(`${file}.copy`, file);
  assertError(await list.signup({ email: 'lost@example.com' }), 503, 'unavailable');
  assert.equal(await untilReady(503), 503);
});

it('acknowledges nothing after the data directory was removed, and does not create a new one', async () => {
  rmSync(storage.dataDir, { recursive: true });
  assertError(await list.signup({ email: 'lost@example.com' }), 503, 'unavailable');
  assert.equal(await untilReady(503), 503);
  assert.equal(existsSync(storage.dataDir), false);
});

const skip = process.getuid?.() === 0 && withoutAnotherUser(); // Root writes whatever the permissions say.
it('recovers when a read-only database becomes writable again', { skip }, async () => {
  const key = list.key;
  await service.close();
  const root = process.getuid?.() === 0;
  if (root)
    for (const name of ['', 'doorlist.db', 'master.key'])
      chownSync(path.join(storage.dataDir, name), NOBODY.uid, NOBODY.gid);
  chmodSync(file, 0o400);
  const server = await startProcess(storage.environment, root ? NOBODY : {});
  try {
    const client = clientFor(server.url);
    const remote = listOver(client, list.id, key);
    assertError(await remote.signup({ email: 'second@example.com' }), 503, 'unavailable');
    assert.equal((await client.request('GET', '/readyz')).status, 503);
    assert.equal((await remote.lookup('first@example.com')).status, 200);
    const said = /is read-only: check its owner and permissions/;
    assert.match(
      await eventually(
        async () => server.output(),
        (output) => said.test(output),
      ),
      said,
    );
    chmodSync(file, 0o600);
    assert.equal(
      (
        await eventually(
          () => client.request('GET', '/readyz'),
          ({ status }) => status === 200,
        )
      ).status,
      200,
    );
    assert.equal((await remote.signup({ email: 'second@example.com' })).status, 201);
  } finally {
    await server.stop();
    chmodSync(file, 0o600);
    service = await startService('sqlite', { storage });
  }
});
