import '../support/next-migrations.ts';

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { LockUnavailable } from '../../src/db/database.ts';
import { type MigrationStep, migrate, SCHEMA_VERSION } from '../../src/db/migrate.ts';
import { MIGRATIONS } from '../../src/db/migrations.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { CITUS_URL } from '../support/citus.ts';
import { afterTest } from '../support/cleanup.ts';
import {
  connectAsEarlier,
  createEarlier,
  NEXT_RELEASE,
  openStorage,
  updateByNewerRelease,
} from '../support/earlier.ts';
import {
  assertError,
  clientFor,
  eventually,
  forEachEngine,
  listOver,
  startService,
} from '../support/harness.ts';
import { runCommandAs, startProcess } from '../support/process.ts';
import { createStorage, type Storage } from '../support/storage.ts';
import { jsonOf } from '../support/terminal.ts';

/** As the release before sends them: the lock of each signup, a change of settings, the readiness check. */
const LOCK_QUEUE =
  'update queue_state set last_seq = last_seq where queue_id = 1 returning last_seq, waiting, listens';
const CHANGE_SETTINGS =
  'update instance set settings_version = settings_version + 1 returning master_key_check';
const PROBE = 'update schema_version set version = version where false';

/** Entries. */
const LARGE = 50_000;

const ON_CITUS = CITUS_URL !== undefined && 'Citus has no triggers on tables that it spreads';

forEachEngine('upgrades', (engine) => {
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
      const server = await startProcess(storage.environment, NEXT_RELEASE);
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
      const { storage, installation } = await createEarlier(engine);
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

    it('changes a large table under load: what was acknowledged is there and counted, and nothing comes in afterwards', async () => {
      const { storage, installation } = await createEarlier(engine);
      await addEntries(storage, installation.queueId);
      const server = await startProcess(storage.environment);
      afterTest(() => server.stop('SIGKILL'));
      const load = signUpUntilRefused(
        listOver(clientFor(server.url), installation.waitlistId, installation.key),
      );
      await eventually(
        async () => load.acknowledged.length,
        (count) => count > 20,
      );
      const db = await openStorage(storage);
      await migrate(db.unlimited);
      const refused = await load.ended;
      for (const answer of refused) assertError(answer, 503, 'unavailable');
      assertError(await clientFor(server.url).request('GET', '/readyz'), 503, 'unavailable');
      await server.stop();

      const { rows } = await sql<{ entries: number; counted: number }>`select count(*) as entries,
        (select entries from entry_count where queue_id = ${installation.queueId}) as counted
        from entry where queue_id = ${installation.queueId}`.execute(db.query);
      assert.equal(Number(rows[0]?.counted), Number(rows[0]?.entries));
      assert.ok(Number(rows[0]?.entries) >= LARGE + load.acknowledged.length);
      const service = await startService(engine, { storage });
      afterTest(service.close);
      const list = listOver(service, installation.waitlistId, installation.key);
      for (const email of load.acknowledged) assert.equal((await list.lookup(email)).status, 200, email);
      assert.equal((await list.signup({ email: 'later@example.com' })).status, 201);
    });

    it('in the order of the docs: the new server starts, the old one stops writing and is stopped', async () => {
      const { storage, installation } = await createEarlier(engine);
      const earlier = await connectAsEarlier(storage);
      await earlier.run(LOCK_QUEUE);
      const server = await startProcess(storage.environment, NEXT_RELEASE);
      afterTest(() => server.stop('SIGKILL'));
      await assertStopped(() => earlier.run(LOCK_QUEUE));
      const list = listOver(clientFor(server.url), installation.waitlistId, installation.key);
      assert.equal((await list.signup({ email: 'later@example.com' })).status, 201);
      const { stdout } = await runCommandAs(NEXT_RELEASE, storage.environment, 'doctor');
      assert.match(stdout, /ok +wl_\S+ in production: 5 entries/);
      assert.equal((await server.stop()).code, 0);
    });
  });

  describe('migrations', () => {
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
    const { storage } = await createEarlier('postgres');
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
    const [state] = (await earlier.run(
      'update queue_state set waiting = waiting + 1, last_seq = last_seq + 1 where queue_id = 1 returning last_seq as seq',
    )) as { seq: string }[];
    const seq = Number(state?.seq);
    await earlier.run(
      `insert into entry (queue_id, seq, id, status, rank, created_at)
          values (1, ${seq}, '\\x${'ab'.repeat(16)}', 'waiting', ${seq}, 1763199000000)`,
    );
    await earlier.run('commit');
    await migrating;
    const { rows } = await sql`select entries from entry_count where queue_id = 1`.execute(db.query);
    assert.deepEqual(rows, [{ entries: seq }]);
  });
});

/** More entries of a queue, so that an index of them takes a while. Nothing in them is ever opened. */
async function addEntries(storage: Storage, queueId: number): Promise<void> {
  const { engine } = storage;
  const db = await openStorage(storage);
  const id = engine === 'postgres' ? `decode(md5(n::text), 'hex')` : 'randomblob(16)';
  const numbers =
    engine === 'postgres'
      ? `generate_series(1, ${LARGE}) as n`
      : `(with recursive c (n) as (select 1 union all select n + 1 from c where n < ${LARGE}) select n from c)`;
  await sql
    .raw(`insert into entry (queue_id, seq, id, status, rank, created_at)
      select ${queueId}, n + 100, ${id}, 'joined', n + 100, 1700000000000 from ${numbers}`)
    .execute(db.query);
  await sql`update queue_state set last_seq = ${LARGE + 100}, joined = joined + ${LARGE} where queue_id = ${queueId}`.execute(
    db.query,
  );
}

/** Several clients, each until it is refused. */
function signUpUntilRefused(list: ReturnType<typeof listOver>) {
  const acknowledged: string[] = [];
  const client = async (name: number) => {
    for (let number = 0; ; number += 1) {
      const email = `load-${name}-${number}@example.com`;
      const answer = await list.signup({ email });
      if (answer.status !== 201) return answer;
      acknowledged.push(email);
    }
  };
  return { acknowledged, ended: Promise.all([1, 2, 3].map(client)) };
}

async function assertStopped(work: () => Promise<unknown>): Promise<void> {
  await assert.rejects(work, (error: Error & { code?: string }) => {
    assert.ok(!(error instanceof LockUnavailable));
    // SQLite: a trigger. PostgreSQL: a state that they report as 503.
    assert.match(
      `${error.code} ${error.message}`,
      /a newer release has updated the schema|^57D01 a newer release/,
    );
    return true;
  });
}
