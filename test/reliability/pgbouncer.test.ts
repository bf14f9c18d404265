import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import type { Service } from '../support/harness.ts';
import { type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { commandJson } from '../support/process.ts';
import { without } from '../support/programs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createStorage, type Storage } from '../support/storage.ts';
import { endpointFor, inState, startSending, until } from '../support/webhooks.ts';

const LISTENERS = `select count(*)::int as count from pg_stat_activity
  where datname = current_database() and application_name = 'doorlist-listen'`;

describe('behind PgBouncer in transaction mode', { skip: without('PgBouncer') }, () => {
  let storage: Storage;
  let pgBouncer: PgBouncer;
  let receiver: Receiver;
  let direct: pg.Client;
  let environment: Record<string, string>;
  before(async () => {
    storage = await createStorage('postgres');
    pgBouncer = await startPgBouncer(storage.environment.DATABASE_URL ?? '');
    receiver = await startReceiver();
    direct = new pg.Client({ connectionString: storage.environment.DATABASE_URL });
    await direct.connect();
    environment = { ...storage.environment, DATABASE_URL: pgBouncer.url };
  });
  after(async () => {
    await direct.end();
    await receiver.close();
    await pgBouncer.stop();
    await storage.remove();
  });
  const listeners = async () => (await direct.query<{ count: number }>(LISTENERS)).rows[0]?.count ?? 0;
  const start = (more: Record<string, string> = {}): Promise<Service> =>
    startSending('postgres', { storage, environment: { ...environment, ...more } });

  it('the service starts, serves, delivers and runs upkeep on shared sessions', async () => {
    const service = await start();
    try {
      const list = await service.waitlist();
      const queue = await list.queue();
      const endpoint = await endpointFor(service.context, queue, receiver.url);
      const people = Array.from({ length: 60 }, (_, n) => `p${n}@example.com`);
      const others = await service.waitlist();
      await list.signup({ email: people[0] }); // Or others could arrive before the one who referred them.
      const answers = await Promise.all(
        people.flatMap((email) => [
          list.signup({ email, referredBy: people[0] }),
          others.signup({ email }),
          list.lookup(email),
          list.page(),
        ]),
      );
      assert.deepEqual(
        answers.map(({ status }) => status).filter((status) => status >= 500),
        [],
      );
      assert.equal((await list.walk({ sort: 'position' })).length, 60);
      await inState(service.context, endpoint.id, 'delivered', 60 + 59);
      const { code } = await list.invite('p5@example.com');
      assert.equal((await service.accept(code)).status, 200);
      await keepUp(service.context);
      assert.deepEqual((await recountQueue(service.context, queue, false)).findings, []);
      assert.equal((await service.request('GET', '/readyz')).status, 200);
      assert.equal(await listeners(), 0, 'polling, because notifications reach nobody');
    } finally {
      await service.close();
    }
  });

  it('no state is left on shared sessions', async () => {
    const service = await start();
    try {
      await (await service.waitlist()).signup({ email: 'a@example.com' });
    } finally {
      await service.close();
    }
    const guest = new pg.Client({ connectionString: pgBouncer.url });
    await guest.connect();
    try {
      for (let n = 0; n < 6; n += 1) {
        const { rows } = await guest.query(`select current_setting('enable_seqscan') as seqscan,
          current_setting('statement_timeout') as timeout, (select count(*)::int from pg_prepared_statements) as prepared`);
        assert.deepEqual(rows, [{ seqscan: 'on', timeout: '0', prepared: 0 }]);
      }
    } finally {
      await guest.end();
    }
  });

  it('notifications arrive over DATABASE_LISTEN_URL', async () => {
    const service = await start({ DATABASE_LISTEN_URL: storage.environment.DATABASE_URL ?? '' });
    try {
      await until('somebody listens', async () => (await listeners()) === 1);
    } finally {
      await service.close();
    }
  });

  it('commands work, including migrate', async () => {
    const fresh = await createStorage('postgres');
    const own = await startPgBouncer(fresh.environment.DATABASE_URL ?? '');
    try {
      const through = { ...fresh.environment, DATABASE_URL: own.url };
      await commandJson(through, 'migrate');
      await commandJson(through, 'waitlist', 'create', 'wl_pooled', '--name', 'Pooled');
      assert.equal((await commandJson<{ healthy: boolean }>(through, 'doctor')).healthy, true);
    } finally {
      await own.stop();
      await fresh.remove();
    }
  });
});
