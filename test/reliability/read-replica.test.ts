import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { readConfig } from '../../src/config/config.ts';
import type { Database } from '../../src/db/database.ts';
import { openPostgres } from '../../src/db/postgres/open.ts';
import { adminClient, succeeded } from '../support/admin.ts';
import { freePort } from '../support/free-port.ts';
import { eventually, type List, type Service, startService } from '../support/harness.ts';
import { type Pair, startPair } from '../support/pair.ts';

async function ask(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

const isReplica = async ({ query }: Pick<Database, 'query'>) =>
  (await sql<{ is: boolean }>`select pg_is_in_recovery() as is`.execute(query)).rows[0]?.is;

/** On a busy machine, it may be behind for a while. */
const whenUsed = (db: Database) => eventually(db.replica, (found) => found !== db);

describe('a read replica', () => {
  let pair: Pair;
  let service: Service;
  let list: List;
  let replicaUrl: string;
  const url = () => pair.storage.environment.DATABASE_URL ?? '';
  before(async () => {
    pair = await startPair();
    // Commits need not wait for it: in the end, it is gone.
    await ask(pair.primary.url, 'alter system reset synchronous_standby_names', 'select pg_reload_conf()');
    replicaUrl = pair.standby.url.replace(/\/postgres$/, /\/doorlist_\w+/.exec(url())?.[0] ?? '');
    const environment = { DATABASE_REPLICA_URL: replicaUrl };
    service = await startService('postgres', { storage: pair.storage, environment });
    list = await service.waitlist();
  });
  after(async () => {
    await service.close();
    await pair.close();
  });

  const signups = async () => {
    const admin = await adminClient(service, 'viewer');
    const path = `/waitlists/${list.id}/statistics?from=2026-11-01T00:00:00Z&to=2026-12-01T00:00:00Z`;
    const { totals } = succeeded(await admin.get<{ totals: { signups: number } }>(path));
    return totals.signups;
  };
  const complaints = () =>
    service.log
      .filter((line) => line.includes('read replica: unavailable'))
      .map((line) => JSON.parse(line).reason);

  it('must be one host, next to a primary', () => {
    const problem = (environment: Record<string, string>) => {
      try {
        readConfig(environment);
      } catch (error) {
        return (error as Error).message;
      }
      return undefined;
    };
    const primary = { DATABASE_URL: 'postgres://a/list' };
    assert.match(
      problem({ DATABASE_REPLICA_URL: 'postgres://b/list' }) ?? '',
      /^DATABASE_URL: is required when/,
    );
    assert.equal(
      problem({ ...primary, DATABASE_REPLICA_URL: 'postgres://b,c/list' }),
      'DATABASE_REPLICA_URL: must name one host',
    );
    assert.equal(problem({ ...primary, DATABASE_REPLICA_URL: 'postgres://b/list' }), undefined);
  });

  it('answers statistics with everything that was committed before', async () => {
    const { db } = service.context;
    assert.equal(await whenUsed(db).then(isReplica), true);
    assert.equal(await isReplica(db), false);
    for (const n of [1, 2, 3]) {
      assert.equal((await list.signup({ email: `${n}@example.com` })).status, 201);
      assert.equal(await signups(), n);
    }
  });

  it('is left out while it is behind, and the log says so once', async () => {
    await ask(pair.standby.url, 'select pg_wal_replay_pause()');
    assert.equal((await list.signup({ email: 'late@example.com' })).status, 201);
    assert.equal(await signups(), 4);
    assert.equal(await signups(), 4);
    assert.deepEqual(complaints().slice(0, 1), ['it is too far behind the primary']);
    await ask(pair.standby.url, 'select pg_wal_replay_resume()');
  });

  it('is replaced by the primary when it does not answer, also in the middle', async () => {
    const other = await openPostgres({ url: url(), replicaUrl, poolSize: 2 });
    try {
      const replica = await whenUsed(other);
      await pair.standby.kill();
      // A session ends by itself, a moment after the server that began it.
      const goesOn = eventually(
        () => isReplica(replica),
        (itIs) => itIs === false,
      );
      assert.equal(await goesOn, false);
      assert.equal(await other.replica(), other);
    } finally {
      await other.close();
    }
    const nowhere = `postgres://me@127.0.0.1:${await freePort()}/list`;
    const states: string[] = [];
    const without = await openPostgres({
      url: url(),
      replicaUrl: nowhere,
      poolSize: 2,
      onReplicaState: (state) => states.push(state),
    });
    try {
      assert.equal(await isReplica(await without.replica()), false);
      assert.ok(states.includes('unavailable'));
    } finally {
      await without.close();
    }
  });
});
