import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { openDatabase } from '../../src/installation/open.ts';
import { createLogger } from '../../src/lib/log.ts';
import { forEachEngine, type Service, startService } from '../support/harness.ts';
import { browserOf, OWNER, PASSWORD, setUp, tokenForSetup, tokenOf } from '../support/operators.ts';
import { startProcess } from '../support/process.ts';
import { createStorage, type Storage } from '../support/storage.ts';
import { command, typed } from '../support/terminal.ts';

interface Link {
  id: string;
  role: string;
  url: string;
}

forEachEngine((engine) => {
  describe('the command line of operators', () => {
    let service: Service;
    beforeEach(async () => {
      service = await startService(engine, { environment: { DOORLIST_PUBLIC_URL: 'http://doors.example' } });
    });
    afterEach(() => service.close());
    const run = <T = Link>(...words: string[]) =>
      command<T>({ ...service.storage.environment, DOORLIST_PUBLIC_URL: 'http://doors.example' }, ...words);

    it('prints the set-up link until there is an owner', async () => {
      const { json } = await run<{ url: string }>('operator', 'setup-link');
      assert.equal(json.url, `http://doors.example/setup/${await tokenForSetup(service)}`);
      await setUp(service);
      const after = await run<{ code: string }>('operator', 'setup-link');
      assert.deepEqual([after.code, after.json.code], [1, 'conflict']);
    });

    it('creates operators: the first is an owner, and the link lets them in', async () => {
      const first = await run('operator', 'create', '--email', OWNER.email);
      assert.equal(first.json.role, 'owner');
      const answer = await browserOf(service).post('/setup', {
        token: await tokenForSetup(service),
        ...OWNER,
      });
      assert.equal(answer.status, 404);
      const browser = browserOf(service);
      const set = await browser.post('/password', { token: tokenOf(first.json.url), password: PASSWORD });
      assert.equal(set.status, 200, set.text);
      assert.equal((await browser.signIn(OWNER.email, PASSWORD)).status, 200);
      assert.equal((await run('operator', 'create', '--email', 'b@example.com')).json.role, 'admin');
      const viewer = await run('operator', 'create', '--email', 'v@example.com', '--role', 'viewer');
      assert.equal(viewer.json.role, 'viewer');
      const { out } = await typed(service.storage.environment, 'operator', 'list');
      assert.match(out, /grace@example\.com .*owner .*active/);
      assert.match(out, /v@example\.com .*viewer .*invited/);
      for (const words of [
        ['--email', 'no'],
        ['--email', 'c@example.com', '--role', 'king'],
        ['--email', 'v@example.com'],
      ])
        assert.equal((await run('operator', 'create', ...words)).code, 1);
    });

    it('resets a password, and the second factor where asked', async () => {
      const owner = await setUp(service);
      const { json } = await run('operator', 'reset', '--email', OWNER.email);
      const password = 'nanoseconds are wires';
      const body = { token: tokenOf(json.url), password };
      assert.equal((await browserOf(service).post('/password', body)).status, 200);
      assert.equal((await owner.get('/me')).status, 401, 'every session has ended');
      assert.equal((await owner.signIn(OWNER.email, password)).status, 200);
      const { context } = service;
      await context.db.query
        .updateTable('operator')
        .set({ totp: Buffer.alloc(1) })
        .execute();
      await run('operator', 'reset', '--email', OWNER.email, '--two-factor-off');
      const row = await context.db.query.selectFrom('operator').select('totp').executeTakeFirstOrThrow();
      assert.equal(row.totp, null);
      assert.equal((await run('operator', 'reset', '--email', 'x@example.com')).code, 1);
    });

    it('creates, lists and revokes admin tokens', async () => {
      const made = await run<{ id: string; token: string; role: string; expiresAt: string }>(
        'admin-token',
        'create',
        '--name',
        'ci',
        '--expires-in',
        '1h',
      );
      assert.equal(made.json.role, 'admin');
      const me = () => service.request('GET', '/admin/v1/operators', { key: made.json.token });
      service.clock.now = Date.now();
      assert.equal((await me()).status, 200);
      const { out } = await typed(service.storage.environment, 'admin-token', 'list');
      assert.ok(out.includes(made.json.id) && !out.includes(made.json.token));
      assert.equal((await run('admin-token', 'revoke', made.json.id)).code, 0);
      assert.equal((await me()).status, 401);
      const quiet = await typed(
        service.storage.environment,
        'admin-token',
        'create',
        '--name',
        'q',
        '--role',
        'viewer',
        '--quiet',
      );
      assert.match(quiet.out, /^dla_\w{34}$/);
    });
  });

  describe('the first start', () => {
    it('prints a link that sets the installation up, and prints it no more afterwards', async (test) => {
      const storage = await createStorage(engine);
      test.after(() => storage.remove());
      const server = await startProcess(storage.environment);
      const link = /Create the owner's account: (\S+)/.exec(server.output())?.[1] ?? '';
      assert.ok(link.startsWith(`${server.url}/setup/`), server.output());
      const body = JSON.stringify({ token: tokenOf(link), ...OWNER });
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${server.url}/admin/v1/setup`, { method: 'POST', headers, body });
      assert.equal(answer.status, 201);
      await server.stop();
      assert.match(await storedPassword(storage), /^\$argon2id\$v=19\$m=65536,t=2,p=1\$/, 'at the full cost');
      const again = await startProcess(storage.environment);
      assert.ok(!again.output().includes('/setup/'));
      await again.stop();
    });
  });
});

async function storedPassword(storage: Storage): Promise<string> {
  const db = await openDatabase(readConfig(storage.environment), createLogger('silent'));
  try {
    const row = await db.query.selectFrom('operator').select('password').executeTakeFirstOrThrow();
    return row.password ?? '';
  } finally {
    await db.close();
  }
}
