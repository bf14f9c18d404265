import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { DatabaseUnavailable, type Trx } from '../../src/db/database.ts';
import { startOutbox } from '../../src/installation/start-outbox.ts';
import { changeQueue } from '../../src/waitlist/queue/change-queue.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { adminClient, auditOf, succeeded } from '../support/admin.ts';
import { CITUS_URL } from '../support/citus.ts';
import { assertError, type List, type Service, startService } from '../support/harness.ts';
import { startReceiver } from '../support/receiver.ts';
import { endpointFor, inState, LOOPBACK } from '../support/webhooks.ts';

const ON_CITUS = CITUS_URL !== undefined && 'Citus has no triggers, which make transactions fail here';

describe('a transaction that PostgreSQL undid because of another one', { skip: ON_CITUS }, () => {
  let service: Service;
  let list: List;
  before(async () => {
    service = await startService('postgres', { environment: LOOPBACK });
    list = await service.waitlist();
  });
  after(() => service.close());

  const run = (text: string) => sql.raw(text).execute(service.context.db.query);
  /** Makes that many inserts into a table fail. A sequence keeps counting after a rollback. */
  const failing = async (table: string, times: number, state: string) => {
    await run(`create or replace function fail_${table}() returns trigger language plpgsql as $$ begin
      if nextval('failures_${table}') <= ${times} then raise exception 'a rival' using errcode = '${state}'; end if;
      return new; end $$`);
    await run(`drop trigger if exists fails on ${table}`);
    await run(`drop sequence if exists failures_${table}`);
    await run(`create sequence failures_${table}`);
    await run(`create trigger fails before insert on ${table} execute function fail_${table}()`);
  };

  for (const [state, name] of [
    ['40001', 'serialization failure'],
    ['40P01', 'deadlock'],
  ] as const) {
    it(`runs again after a ${name}: a signup and a change of settings succeed`, async () => {
      await failing('entry', 2, state);
      const email = `after-${state}@example.com`.toLowerCase();
      assert.equal((await list.signup({ email })).status, 201);
      assert.equal((await list.lookup(email)).status, 200);
      const admin = await adminClient(service);
      const { id } = succeeded(await admin.post<{ id: string }>(`/waitlists/${list.id}/keys`), 201);
      await failing('audit', 2, state);
      succeeded(await admin.delete(`/waitlists/${list.id}/keys/${id}`));
      const records = (await auditOf(service, `key:${id}`)).map(({ action }) => action);
      assert.deepEqual(records, ['key.created', 'key.revoked']);
    });
  }

  it('is given up after a few attempts: 503, and nothing is stored', async () => {
    await failing('entry', 1_000, '40001');
    assertError(await list.signup({ email: 'never@example.com' }), 503, 'unavailable');
    await run('drop trigger fails on entry');
    assert.equal((await list.lookup('never@example.com')).status, 404);
    assert.deepEqual((await recountQueue(service.context, await list.queue(), false)).findings, []);
  });

  it('does not run again if the caller said that it cannot', async () => {
    let attempts = 0;
    const work = async (trx: Trx) => {
      attempts += 1;
      await sql.raw(`do $$ begin raise exception 'a rival' using errcode = '40001'; end $$`).execute(trx);
    };
    await assert.rejects(service.context.db.transaction(work, { repeatable: false }), DatabaseUnavailable);
    assert.equal(attempts, 1);
  });

  it('runs again after any of our transactions, and after a single statement', async () => {
    await run('create table if not exists alone (id bigint)');
    const { db } = service.context;
    const add = sql.raw('insert into alone values (1)');
    for (const statement of [
      () => add.execute(db.query),
      () => add.execute(db.unlimited.query),
      () => db.transaction((trx) => add.execute(trx)),
    ]) {
      await failing('alone', 2, '40001');
      await statement();
    }
    assert.equal((await sql`select from alone`.execute(db.query)).rows.length, 3);
  });

  it('is one delivery that is sent once, and whose endpoint is known to be well', async () => {
    const receiver = await startReceiver();
    const outbox = await startOutbox(service.context, service.config, { pollMs: 50, random: () => 0 });
    try {
      const { id } = await endpointFor(service.context, await list.queue(), receiver.url);
      await failing('delivery_attempt', 2, '40001');
      assert.equal((await list.signup({ email: 'told@example.com' })).status, 201);
      await inState(service.context, id, 'delivered', 1);
      assert.equal(receiver.received.length, 1);
      const endpoint = await service.context.db.query
        .selectFrom('webhook_endpoint')
        .select(['last_success_at', 'failing_since'])
        .executeTakeFirstOrThrow();
      assert.equal(endpoint.failing_since, null);
      assert.ok(endpoint.last_success_at);
    } finally {
      await outbox.stop();
      await receiver.close();
    }
  });

  it('runs again after a real deadlock', async (test) => {
    const rival = new pg.Client({ connectionString: service.storage.environment.DATABASE_URL });
    await rival.connect();
    test.after(() => rival.end());
    const queue = await list.queue();
    await rival.query("set deadlock_timeout = '60s'"); // So that the other one finds it.
    await rival.query('begin');
    await rival.query('select id from instance for update');
    let attempts = 0;
    const change = changeQueue(service.context, queue, async ({ trx }) => {
      attempts += 1;
      await trx.updateTable('instance').set({ id: 1 }).execute();
    });
    // Inside the server, without a round trip: ours looks for a deadlock once, a second after it began to wait.
    await rival.query(`do $$ begin
      while not exists (select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database())
      loop perform pg_sleep(0.01), pg_stat_clear_snapshot(); end loop;
      update queue_state set last_seq = last_seq where queue_id = ${queue.id};
    end $$`);
    await rival.query('commit');
    await change;
    // More than two if our transaction gets the queue's lock again before the rival, which has to wake up first, does.
    assert.ok(attempts >= 2, `${attempts} attempts`);
  });
});
