import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { commandJson, type RunningProcess, runCommand, startProcess } from '../support/process.ts';
import { createStorage, type Storage } from '../support/storage.ts';

let storage: Storage;
let first: RunningProcess;

beforeEach(async () => {
  storage = await createStorage('sqlite', { migrated: true });
  first = await startProcess(storage.environment);
});
afterEach(async () => {
  await first.stop('SIGKILL');
  await storage.remove();
});

it('refuses a second server on the same data directory with a clear message, but allows commands', async () => {
  const second = await runCommand({ ...storage.environment, PORT: '0' }, 'serve');
  assert.equal(second.code, 75);
  assert.match(second.stderr, /^doorlist: another Doorlist server is already running on .*: stop it first/);
  assert.equal(second.stderr.trim().split('\n').length, 1);
  assert.equal((await commandJson<unknown[]>(storage.environment, 'waitlist', 'list')).length, 0);
  assert.equal((await fetch(`${first.url}/readyz`)).status, 200);
});

for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
  it(`lets the next server in after ${signal}`, async () => {
    await first.stop(signal);
    first = await startProcess(storage.environment);
    assert.equal((await fetch(`${first.url}/readyz`)).status, 200);
  });
}
