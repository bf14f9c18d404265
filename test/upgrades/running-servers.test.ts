import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { LockUnavailable } from '../../src/db/database.ts';
import {
  GATED_SINCE,
  MIGRATIONS,
  type MigrationStep,
  migrate,
  SCHEMA_VERSION,
} from '../../src/db/migrate.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { CITUS_URL } from '../support/citus.ts';
import { afterTest } from '../support/cleanup.ts';
import { connectAsEarlier, createEarlier, openStorage, updateByNewerRelease } from '../support/earlier.ts';
import {
  assertError,
  clientFor,
  eventually,
  forEachEngine,
  listOver,
  startService,
} from '../support/harness.ts';
import { runCommand, startProcess } from '../support/process.ts';
import { createStorage } from '../support/storage.ts';
import { jsonOf } from '../support/terminal.ts';

const BEFORE_GATE = GATED_SINCE - 1;
/** As the release before sends them: the lock of each signup, a change of settings, the readiness check. */
const LOCK_QUEUE = 'update queue set last_seq = last_seq where id = 1 returning last_seq, waiting, listens';
const CHANGE_SETTINGS =
  'update instance set settings_version = settings_version + 1 returning master_key_check';
const PROBE = 'update schema_version set version = version where false';

const ON_CITUS = CITUS_URL !== undefined && 'Citus has no triggers on tables that it spreads';

forEachEngine((engine) => {
  describe('a running server that meets a newer schema', () => {
    it('stops writing, is not ready, logs one line, and goes on reading', {
      skip: engine === 'postgres' && ON_CITUS,
    }, async () => {
      const service = await startService(engine);
      afterTest(service.close);
      const list = await service.waitlist();
      await list.signup({ email: 'a@example.com' });
      const { code } = await list.invite('a@example.com');
      await updateByNewerRelease(service.storage);
      service.log.length = 0;

      assertError(await list.signup({ email: 'b@example.com' }), 503, 'unavailable');
      assertError(await service.accept(code), 503, 'unavailable');
      assertError(await service.request('GET', '/readyz'), 503, 'unavailable');
      await assert.rejects(keepUp(service.context));
      await assert.rejects(
        service.context.db.query.updateTable('instance').set({ public_url: 'http://x' }).execute(),
      );
      assert.equal((await service.request('GET', '/healthz')).status, 200);
      assert.equal((await list.page()).body.total, 1);
      const lines = service.log.filter((line) => /"level":"(warn|error)"/.test(line));
      assert.equal(lines.length, 1, lines.join(''));
      assert.match(
        lines[0] ?? '',
        /a newer release of Doorlist has updated the database: this server no longer/,
      );
    });

    it('stops as a process, without further lines, and can be stopped', async () => {
      const storage = await createStorage(engine, { migrated: true });
      afterTest(storage.remove);
      const server = await startProcess(storage.environment);
      afterTest(() => server.stop('SIGKILL'));
      await updateByNewerRelease(storage);
      const ready = await eventually(
        () => fetch(`${server.url}/readyz`).then(({ status }) => status),
        (status) => status === 503,
      );
      assert.equal(ready, 503);
      const { code, stdout } = await server.stop();
      assert.equal(code, 0);
      const lines = stdout.split('\n').filter((line) => /"level":"(warn|error)"/.test(line));
      assert.deepEqual(
        lines.filter((line) => !line.includes('the master key exists only')).length,
        1,
        lines.join('\n'),
      );
    });
  });

  describe('an upgrade from the release before', () => {
    it('stops its writes from the moment on at which the schema is new', async () => {
      const { storage, installation } = await createEarlier(engine, BEFORE_GATE);
      const earlier = await connectAsEarlier(storage);
      assert.equal((await earlier.run(LOCK_QUEUE)).length, 1);
      assert.equal((await earlier.run(CHANGE_SETTINGS)).length, 1);
      await jsonOf(storage.environment, 'migrate');
      for (const statement of [LOCK_QUEUE, CHANGE_SETTINGS])
        await assertStopped(() => earlier.run(statement));
      if (engine === 'postgres') await assertStopped(() => earlier.run(PROBE));
      const service = await startService(engine, { storage });
      afterTest(service.close);
      const list = listOver(service, installation.waitlistId, installation.key);
      assert.equal((await list.signup({ email: 'later@example.com' })).status, 201);
    });

    it('counts what servers without the statistics wrote beside those with them', async () => {
      const { storage, installation } = await createEarlier(engine, BEFORE_GATE);
      const earlier = await connectAsEarlier(storage);
      // The statistics know one of the three, and nothing of referrals.
      await earlier.run(`update queue_stat set signups = 1, referred = 0`);
      await earlier.run(`delete from queue_histogram`);
      await earlier.run(`update entry set depth = 0`);
      await jsonOf(storage.environment, 'migrate');
      const service = await startService(engine, { storage });
      afterTest(service.close);
      const queue = await service.context.registry.queue(installation.waitlistId, 'production');
      assert.ok(queue);
      assert.deepEqual((await recountQueue(service.context, queue, false)).findings, []);
    });

    it('in the order of the docs: the new server starts, the old one stops writing and is stopped', async () => {
      const { storage, installation } = await createEarlier(engine, BEFORE_GATE);
      const earlier = await connectAsEarlier(storage);
      await earlier.run(LOCK_QUEUE);
      const server = await startProcess(storage.environment);
      afterTest(() => server.stop('SIGKILL'));
      await assertStopped(() => earlier.run(LOCK_QUEUE));
      const list = listOver(clientFor(server.url), installation.waitlistId, installation.key);
      assert.equal((await list.signup({ email: 'later@example.com' })).status, 201);
      const { stdout } = await runCommand(storage.environment, 'doctor');
      assert.match(stdout, /ok +wl_\S+ in production: 4 entries/);
      assert.equal((await server.stop()).code, 0);
    });
  });

  describe('migrations', () => {
    it('each commit on their own, with their version', async () => {
      const storage = await createStorage(engine);
      afterTest(storage.remove);
      const db = await openStorage(storage);
      await migrate(db, 3);
      await sql`create table import_chunk (queue_id integer)`.execute(db.query); // The way of version 17.
      await assert.rejects(migrate(db));
      const { rows } = await sql<{ version: number }>`select version from schema_version`.execute(db.query);
      assert.equal(rows[0]?.version, 16);
    });

    it('change no large table that they also fill', () => {
      for (const { version, statements } of MIGRATIONS) {
        const altered = statements.flatMap((text) => /^alter table (\w+)/.exec(text)?.[1] ?? []);
        const first = statements.findIndex((text) => text.startsWith('alter table'));
        const fills = statements.slice(first + 1).filter((text) => /^\s*(update|insert|with)/.test(text));
        const small = fills.every((text) => /^update (job|operator_link|waitlist) /.test(text));
        assert.ok(altered.length === 0 || small, `version ${version} fills a table while it holds another`);
      }
    });
  });
});

describe('an upgrade on PostgreSQL', () => {
  it('waits for a transaction of its servers, and counts what that one wrote', async () => {
    const { storage, installation } = await createEarlier('postgres', BEFORE_GATE);
    const earlier = await connectAsEarlier(storage);
    await earlier.run('begin');
    await earlier.run(LOCK_QUEUE);
    const db = await openStorage(storage);
    const steps: MigrationStep[] = [];
    const migrating = migrate(db.unlimited, SCHEMA_VERSION, (step) => void steps.push(structuredClone(step)));
    await eventually(
      async () => steps.some(({ waitingFor }) => waitingFor.length > 0),
      (waits) => waits,
    );
    assert.match(
      steps.find(({ waitingFor }) => waitingFor.length > 0)?.waitingFor[0] ?? '',
      /^PostgreSQL process \d+ \(doorlist from 127\.0\.0\.1, idle in transaction, transaction open for \d+ s\)$/,
    );
    const before = (await earlier.run(
      'update queue set waiting = waiting + 1, last_seq = last_seq + 1 where id = 1 returning last_seq as seq',
    )) as { seq: string }[];
    const seq = Number(before[0]?.seq);
    await earlier.run(
      `insert into entry (queue_id, seq, id, status, rank, created_at)
          values (1, ${seq}, '\\x${'ab'.repeat(16)}', 'waiting', ${seq}, 1763199000000)`,
    );
    await earlier.run(`insert into rank_count select 1, level, ${seq} >> (5 * (level + 1)::int), 1
        from generate_series(0, 3) as level on conflict (queue_id, level, bucket) do update set waiting = rank_count.waiting + 1`);
    await earlier.run('commit');
    await migrating;
    const service = await startService('postgres', { storage });
    afterTest(service.close);
    const queue = await service.context.registry.queue(installation.waitlistId, 'production');
    assert.ok(queue);
    assert.deepEqual((await recountQueue(service.context, queue, false)).findings, []);
  });
});

async function assertStopped(work: () => Promise<unknown>): Promise<void> {
  await assert.rejects(work, (error: Error & { code?: string }) => {
    assert.ok(!(error instanceof LockUnavailable));
    // SQLite: releases before have no such function. PostgreSQL: a state that they report as 503.
    assert.match(
      `${error.code} ${error.message}`,
      /no such function: doorlist_schema|^57D01 a newer release/,
    );
    return true;
  });
}
