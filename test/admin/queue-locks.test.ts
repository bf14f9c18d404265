import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { type AdminClient, adminClient, succeeded } from '../support/admin.ts';
import { CITUS_URL } from '../support/citus.ts';
import { adminDocumentOf, operationsOf } from '../support/documented.ts';
import { everyChange } from '../support/every-change.ts';
import { type List, type Service, startService } from '../support/harness.ts';
import { unique } from '../support/storage.ts';
import { LOOPBACK } from '../support/webhooks.ts';

let service: Service;
let admin: AdminClient;
let holder: pg.Client;
let observer: pg.Client;

const CHANGES = everyChange(() => ({ service, admin }));

const ON_CITUS = CITUS_URL !== undefined && 'one PostgreSQL tells who waits for whom';

/** Those that change only operators, their sessions and their tokens. */
const OF_OPERATORS = /^\/admin\/v1\/(setup|session|password|me|operators|tokens)(\/|$)/;

/** Waits until the call has its answer, or waits for the lock that the holder has. */
async function blockedOrDone(answer: Promise<unknown>, pid: number): Promise<'blocked' | 'done'> {
  let done = false;
  answer.finally(() => {
    done = true;
  });
  for (;;) {
    const { rows } = await observer.query(
      'select pid from pg_stat_activity where $1 = any(pg_blocking_pids(pid))',
      [pid],
    );
    if (done) return 'done';
    if (rows.length > 0) return 'blocked';
  }
}

/** That nothing but the held queue is locked: each of these fails at once if somebody has the lock. */
async function assertNothingElseLocked(what: string, queueId: number): Promise<void> {
  await observer.query('begin');
  try {
    await observer.query('select from queue_state where queue_id <> $1 for no key update nowait', [queueId]);
    await observer.query('select id from instance for no key update nowait');
    await observer.query('select id from audit_head for no key update nowait');
  } catch (error) {
    assert.fail(`${what} holds another lock: ${(error as Error).message}`);
  } finally {
    await observer.query('rollback');
  }
}

describe('the locks of queues on PostgreSQL', { skip: ON_CITUS }, () => {
  let beside: List;
  let methods: Map<string, string>;
  before(async () => {
    service = await startService('postgres', {
      environment: { ...LOOPBACK, DOORLIST_PUBLIC_URL: 'https://doorlist.example' },
    });
    admin = await adminClient(service);
    succeeded(await admin.post('/environments', { name: 'staging' }), 201);
    beside = await service.waitlist();
    const document = await adminDocumentOf(service);
    methods = new Map(
      operationsOf(document)
        .filter(({ path, method }) => method !== 'get' && !OF_OPERATORS.test(path))
        .map(({ method, operation }) => [operation.operationId, method.toUpperCase()]),
    );
    const connectionString = service.storage.environment.DATABASE_URL;
    [holder, observer] = [new pg.Client({ connectionString }), new pg.Client({ connectionString })];
    await Promise.all([holder.connect(), observer.connect()]);
  });
  after(async () => {
    await Promise.all([holder.end(), observer.end()]);
    await service.close();
  });

  it('are tried with every operation that changes a waitlist', () => {
    assert.deepEqual(Object.keys(CHANGES).sort(), [...methods.keys()].sort());
  });

  for (const [operation, prepare] of Object.entries(CHANGES)) {
    it(`are taken one at a time by ${operation}, while people join the others`, async (test) => {
      test.after(() => holder.query('rollback')); // If it fails half-way.
      const { rows } = await holder.query('select pg_backend_pid() as pid');
      for (const environment of ['production', 'development', 'staging', 'another list']) {
        const list = await service.waitlist();
        const { gets = 200, path, body, rawBody, type } = await prepare(list);
        const queue = environment === 'another list' ? await beside.queue() : await list.queue(environment);
        const what = `${operation}, with ${environment} locked,`;
        await holder.query('begin');
        await holder.query('select from queue_state where queue_id = $1 for no key update', [queue.id]);
        const calling = admin.request(methods.get(operation) ?? '', path, {
          ...(rawBody === undefined ? { body } : { rawBody }),
          headers: {
            // With a key, all of it is one transaction.
            ...(environment === 'staging' ? {} : { 'idempotency-key': unique('k') }),
            ...(type === undefined ? {} : { 'content-type': type }),
          },
        });
        const state = await blockedOrDone(calling, rows[0].pid);
        if (state === 'blocked') {
          await assertNothingElseLocked(what, queue.id);
          if (environment !== 'another list')
            assert.equal((await beside.signup({ email: `${unique('p')}@example.com` })).status, 201, what);
        }
        await holder.query('commit');
        const answer = await calling;
        assert.equal(answer.status, gets, `${what} ${answer.text}`);
        assert.ok(state === 'done' || environment !== 'another list', `${what} waits for a foreign queue`);
      }
    });
  }
});
