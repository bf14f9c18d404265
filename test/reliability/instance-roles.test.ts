import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { checkWorkers } from '../../src/waitlist/upkeep/health.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { fillQueue } from '../support/crowd.ts';
import { assertError, clientFor, type List, type Service, startService } from '../support/harness.ts';
import { adminToken } from '../support/operators.ts';
import { type RunningProcess, startProcess } from '../support/process.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createStorage, type Storage } from '../support/storage.ts';
import { runHere } from '../support/terminal.ts';
import { endpointFor, LOOPBACK, until } from '../support/webhooks.ts';

/** Several steps of a job, so that it can be stopped in between. */
const INVITES = 3_000;

describe('the role of an instance', () => {
  it('is one of three', async () => {
    const unknown = await runHere({ DOORLIST_DATA_DIR: '/nowhere' }, 'serve', '--role', 'leader');
    assert.deepEqual(
      [unknown.code, unknown.stderr.split('\n')[0]],
      [2, 'doorlist: --role: must be one of all, api, worker'],
    );
    const variable = await runHere({ DOORLIST_ROLE: 'leader' }, 'serve');
    assert.match(variable.stderr, /^doorlist: DOORLIST_ROLE: must be one of all, api, worker$/m);
  });

  it('is always `all` with SQLite', async () => {
    for (const [environment, words, named] of [
      [{}, ['--role', 'api'], '--role'],
      [{}, ['--role', 'worker'], '--role'],
      [{ DOORLIST_ROLE: 'api' }, [], 'DOORLIST_ROLE'],
    ] as const) {
      const { code, stderr } = await runHere(
        { DOORLIST_DATA_DIR: '/nowhere', ...environment },
        'serve',
        ...words,
      );
      assert.equal(code, 2);
      assert.match(
        stderr,
        new RegExp(`^doorlist: ${named}: must be all with SQLite, where one server does everything`),
      );
    }
  });
});

describe('instances with different roles', () => {
  let storage: Storage;
  let service: Service;
  let list: List;
  let receiver: Receiver;
  let api: RunningProcess;
  let worker: RunningProcess;
  const started: RunningProcess[] = [];
  const start = async (role: string) => {
    const words = role === 'api' ? ['serve', '--role', role] : ['serve'];
    const variables = role === 'api' ? {} : { DOORLIST_ROLE: role };
    const instance = await startProcess({ ...storage.environment, ...LOOPBACK, ...variables }, { words });
    started.push(instance);
    return instance;
  };
  before(async () => {
    storage = await createStorage('postgres', { migrated: true });
    service = await startService('postgres', { storage, startAt: Date.now() });
    list = await service.waitlist();
    receiver = await startReceiver();
    api = await start('api');
  });
  after(async () => {
    await Promise.all(started.map((instance) => instance.stop('SIGKILL')));
    await receiver.close();
    await service.close();
    await storage.remove();
  });

  const signUp = (url: string, email: string) =>
    clientFor(url).request('POST', '/sdk/v1/waitlist/signup', {
      key: list.key,
      body: { waitlistId: list.id, entries: [{ email }] },
    });

  it('an api instance answers requests and leaves the rest to others, and the health check says so', async () => {
    const { context } = service;
    await endpointFor(context, await list.queue(), receiver.url);
    assert.deepEqual((await clientFor(api.url).request('GET', '/readyz')).body, {
      status: 'ok',
      role: 'api',
    });
    assert.equal((await signUp(api.url, 'ada@example.com')).status, 201);
    assert.match(
      api.output(),
      /Role: api\. Webhooks, emails and jobs wait for an instance with another role\./,
    );
    assert.equal(await context.db.workers(), 0);
    assert.deepEqual(await checkWorkers(context), [], 'nothing has waited for long');
    await sql`update delivery set due_at = due_at - 120000`.execute(context.db.query);
    const [finding] = await checkWorkers(context);
    assert.deepEqual([finding?.what, finding?.level], ['workers', 'warning']);
    assert.equal(receiver.received.length, 0);
  });

  it('a worker does the rest, and serves nothing but its health and metrics', async () => {
    worker = await start('worker');
    await until('the delivery arrives', () => receiver.received.length === 1);
    assert.equal(await service.context.db.workers(), 1);
    assert.deepEqual(await checkWorkers(service.context), []);
    const { request } = clientFor(worker.url);
    assert.deepEqual((await request('GET', '/readyz')).body, { status: 'ok', role: 'worker' });
    assert.deepEqual((await request('GET', '/healthz')).body, { status: 'ok' });
    assertError(await request('GET', '/metrics'), 401, 'unauthorized');
    const metrics = await request('GET', '/metrics', { key: await adminToken(service, 'viewer', 'viewer') });
    assert.match(metrics.text, /^doorlist_/m);
    assertError(await signUp(worker.url, 'bob@example.com'), 404, 'not_found');
    for (const path of ['/', '/docs', '/admin/v1/health'])
      assert.equal((await request('GET', path)).status, 404, path);
  });

  it('a worker that is killed in the middle of a job is followed by another one', async () => {
    const { context } = service;
    const crowd = await service.waitlist();
    const queue = await crowd.queue();
    await fillQueue(context, queue, INVITES);
    const rival = new pg.Client({ connectionString: storage.environment.DATABASE_URL });
    await rival.connect();
    try {
      const key = await adminToken(service, 'admin', 'admin');
      await rival.query('begin');
      // Inside the server, without a round trip in which the job could end. The next step waits for this lock.
      const locked = rival.query(`do $$ begin
        while not exists (select from job where queue_id = ${queue.id} and done > 0)
        loop perform pg_sleep(0.001); end loop;
        perform 1 from queue_state where queue_id = ${queue.id} for update;
      end $$`);
      const path = `/admin/v1/waitlists/${crowd.id}/invites`;
      const created = await clientFor(api.url).request('POST', path, { key, body: { first: INVITES } });
      assert.equal(created.status, 202, created.text);
      const job = () =>
        context.db.query
          .selectFrom('job')
          .select(['done', 'finished_at'])
          .where('queue_id', '=', queue.id)
          .executeTakeFirstOrThrow();
      await locked;
      const { done, finished_at } = await job();
      assert.ok(done && done < INVITES && finished_at === null, `${done} were invited before the kill`);
      await start('worker');
      await worker.stop('SIGKILL');
      await rival.query('rollback');
      await until('the job is done', async () => (await job()).finished_at !== null);
      const invites = await context.db.query
        .selectFrom('invite')
        .select('email_hash')
        .where('queue_id', '=', queue.id)
        .execute();
      assert.equal(invites.length, INVITES);
      assert.equal(
        new Set(invites.map(({ email_hash }) => Buffer.from(email_hash).toString('hex'))).size,
        INVITES,
      );
      assert.deepEqual((await recountQueue(context, queue, false)).findings, []);
    } finally {
      await rival.end();
    }
  });
});
