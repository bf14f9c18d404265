import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { TABLES_OF_QUEUES } from '../src/db/postgres/citus-tables.ts';
import { type Command, Session } from '../src/db/postgres/session.ts';
import { checkInstallation } from '../src/installation/health.ts';
import { importFile } from '../src/waitlist/transfer/import/import-start.ts';
import { auditQueue } from '../src/waitlist/upkeep/audit.ts';
import { exportEntries } from '../src/wire/entry-export.ts';
import { type AdminClient, adminClient, succeeded } from './support/admin.ts';
import { CITUS_URL, nodesOf, onNode, WITHOUT_CITUS } from './support/citus.ts';
import { createCitusDatabase } from './support/citus-template.ts';
import { afterTest } from './support/cleanup.ts';
import { type List, startService } from './support/harness.ts';
import { runCommand } from './support/process.ts';
import { query } from './support/query.ts';
import { startReceiver } from './support/receiver.ts';
import { createStorage, type Storage } from './support/storage.ts';
import { endpointFor, inState, startSending, until } from './support/webhooks.ts';

type Sending = Awaited<ReturnType<typeof startSending>>;

/** What this process sends to PostgreSQL in the meantime. */
async function recordStatements(work: () => Promise<unknown>): Promise<Command[]> {
  const run = Session.prototype.run;
  const sent: Command[] = [];
  Session.prototype.run = function record(command) {
    sent.push(command);
    return run.call(this, command);
  };
  try {
    await work();
  } finally {
    Session.prototype.run = run;
  }
  return sent;
}

const OF_QUEUES = new RegExp(`\\b(${TABLES_OF_QUEUES.join('|')})\\b`);

/** Of each statement that is about queues: its text with the reason, if more than one shard is asked. */
async function findSpread(client: pg.Client, statements: readonly Command[]): Promise<string[]> {
  const session = new Session(client as unknown as pg.PoolClient, false);
  const about = new Map(
    statements.filter(({ text }) => OF_QUEUES.test(text)).map((each) => [each.text, each]),
  );
  assert.ok(about.size > 0, 'no statement is about a queue');
  const wrong: string[] = [];
  for (const { text, values = [] } of about.values()) {
    const { rows } = await session.run({ text: `explain (costs off) ${text}`, values });
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    const tasks = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count));
    const isOne =
      tasks.length === 1 && tasks[0] === 1 && !/Distributed Subplan|INSERT \.\.\. SELECT/.test(plan);
    if (!isOne) wrong.push(`${text}\n${plan}`);
  }
  return wrong;
}

describe('queues on Citus', { skip: WITHOUT_CITUS }, () => {
  let storage: Storage;
  let service: Sending;
  let admin: AdminClient;
  let list: List;
  let client: pg.Client;
  before(async () => {
    storage = await createStorage('postgres', { migrated: true, serverUrl: CITUS_URL ?? '' });
    service = await startSending('postgres', { storage });
    admin = await adminClient(service);
    list = await service.waitlist();
    client = new pg.Client({ connectionString: storage.environment.DATABASE_URL });
    await client.connect();
    await list.signup({ email: 'first@example.com', metadata: { plan: 'pro' } });
  });
  after(async () => {
    await client?.end();
    await service?.close();
    await storage?.remove();
  });

  const asksOneShard = async (work: () => Promise<unknown>) => {
    const sent = await recordStatements(work);
    assert.deepEqual(await findSpread(client, sent), []);
  };

  it('are asked on one shard by a signup, with a referrer, metadata and a webhook', async () => {
    await service.stopSending();
    const receiver = await startReceiver();
    afterTest(receiver.close);
    await endpointFor(service.context, await list.queue(), receiver.url);
    await asksOneShard(() =>
      list.signup({
        ...{ email: 'ada@example.com', phone: '+4915112345678' },
        ...{ metadata: { plan: 'pro' }, referredBy: 'first@example.com' },
      }),
    );
    await asksOneShard(() => list.signup({ email: 'ada@example.com' }));
  });

  it('are asked on one shard by lookups and pages', async () => {
    await asksOneShard(() => list.lookup('ada@example.com'));
    await asksOneShard(() => list.page({ limit: 1 }));
    await asksOneShard(() => list.page({ limit: 1, sort: 'position' }));
    await asksOneShard(() => list.page({ status: 'waiting' }));
  });

  it('are asked on one shard by an invite, its check and its acceptance', async () => {
    let code = '';
    await asksOneShard(async () => {
      ({ code } = await list.invite('ada@example.com'));
    });
    await asksOneShard(() => service.check(code));
    await asksOneShard(() => service.accept(code));
  });

  it('are asked on one shard by statistics', async () => {
    await asksOneShard(async () => succeeded(await admin.get(`/waitlists/${list.id}/statistics`)));
  });

  it('are asked on one shard by an import and an export', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-citus-'));
    afterTest(() => rmSync(directory, { recursive: true, force: true }));
    const file = path.join(directory, 'people.csv');
    writeFileSync(file, 'email,referred_by\nbea@example.com,\ncleo@example.com,bea@example.com\n');
    await asksOneShard(async () => importFile(service.context, await list.queue(), file, {}));
    await asksOneShard(async () => {
      const pieces = exportEntries(service.context, await list.queue(), { format: 'jsonl' });
      for await (const { text } of pieces) assert.ok(text);
    });
  });

  it('commit a signup in one phase', async () => {
    const own = await createStorage('postgres', { migrated: true, serverUrl: CITUS_URL ?? '' });
    afterTest(own.remove);
    const name = new URL(own.environment.DATABASE_URL ?? '').pathname.slice(1);
    await query(CITUS_URL ?? '', `alter database ${name} set citus.log_remote_commands = on`);
    const notices: string[] = [];
    const prototype = pg.Client.prototype as unknown as { _handleNotice(notice: { message?: string }): void };
    const handle = prototype._handleNotice;
    prototype._handleNotice = (notice) => void notices.push(notice.message ?? '');
    afterTest(() => {
      prototype._handleNotice = handle;
    });
    const told = await startService('postgres', { storage: own });
    afterTest(told.close);
    const theirs = await told.waitlist();
    notices.length = 0;
    assert.equal((await theirs.signup({ email: 'a@example.com', metadata: { plan: 'pro' } })).status, 201);
    assert.ok(
      notices.some((notice) => /issuing commit/i.test(notice)),
      notices.join('\n'),
    );
    assert.deepEqual(
      notices.filter((notice) => /prepare transaction/i.test(notice)),
      [],
    );
  });
});

describe('deliveries on Citus', { skip: WITHOUT_CITUS }, () => {
  it('are claimed on one shard', async () => {
    const storage = await createStorage('postgres', { migrated: true, serverUrl: CITUS_URL ?? '' });
    afterTest(storage.remove);
    const service = await startSending('postgres', { storage });
    afterTest(service.close);
    const receiver = await startReceiver();
    afterTest(receiver.close);
    const list = await service.waitlist();
    const { id } = await endpointFor(service.context, await list.queue(), receiver.url);
    const sent = await recordStatements(async () => {
      await list.signup({ email: 'ada@example.com' });
      await inState(service.context, id, 'delivered', 1);
    });
    const client = new pg.Client({ connectionString: storage.environment.DATABASE_URL });
    await client.connect();
    afterTest(() => client.end());
    const claims = sent.filter(({ text }) =>
      /^(update delivery|select "id", "body" from "event")/.test(text),
    );
    assert.ok(claims.length >= 2, sent.map(({ text }) => text).join('\n'));
    assert.deepEqual(await findSpread(client, claims), []);
  });
});

describe('a worker that goes away under load', { skip: WITHOUT_CITUS }, () => {
  it('takes only its own queues with it, and nobody is lost or there twice once it is back', async () => {
    const storage = await createStorage('postgres', { migrated: true, serverUrl: CITUS_URL ?? '' });
    afterTest(storage.remove);
    const service = await startService('postgres', { storage });
    afterTest(service.close);
    const admin = await adminClient(service);
    const lists = await Promise.all(Array.from({ length: 8 }, () => service.waitlist()));
    const url = storage.environment.DATABASE_URL ?? '';
    const [, worker] = await nodesOf(url);
    assert.ok(worker);
    const theirs = new Set(await queuesOn(url, worker.port));
    const placed = await Promise.all(
      lists.map(async (list) => ({ list, isAway: theirs.has((await list.queue()).id) })),
    );
    const away = placed.filter(({ isAway }) => isAway);
    const staying = placed.filter(({ isAway }) => !isAway);
    assert.ok(away.length > 0 && staying.length > 0);
    const ledger = new Map(lists.map((list) => [list, new Set<string>()]));
    let stopped = false;
    const signUp = async (list: List, name: string) => {
      const answer = await list.signup({ email: `${name}@example.com` });
      if (answer.status === 201) ledger.get(list)?.add(`${name}@example.com`);
      return answer.status;
    };
    afterTest(() => {
      stopped = true;
    });
    const clients = lists.map(async (list) => {
      for (let at = 0; !stopped; at += 1) await signUp(list, `p${at}`);
    });
    const database = new URL(url).pathname.slice(1);
    const connect = (allowed: boolean) =>
      query(onNode(CITUS_URL ?? '', worker), `alter database ${database} allow_connections ${allowed}`);
    await connect(false);
    await query(
      onNode(CITUS_URL ?? '', worker),
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`,
    );
    for (const { list } of away) assert.equal(await signUp(list, 'meanwhile'), 503);
    for (const { list } of staying) assert.equal(await signUp(list, 'meanwhile'), 201);
    const { workers } = succeeded(await admin.get<{ workers: { isUp: boolean }[] }>('/instance'));
    assert.deepEqual(workers.map(({ isUp }) => isUp).toSorted(), [false, true]);
    const health = JSON.stringify(await checkInstallation(service.context, service.config));
    assert.match(health, new RegExp(`:${worker.port} does not answer: \\d+ queues? cannot be used`));
    await connect(true);
    for (const { list } of away)
      await until('the worker answers again', async () => (await signUp(list, 'back')) === 201);
    stopped = true;
    await Promise.all(clients);
    for (const list of lists) {
      const entries = await list.walk({ limit: 200 });
      const emails = entries.map(({ email }) => email ?? '');
      assert.equal(new Set(emails).size, emails.length, 'nobody is there twice');
      const lost = [...(ledger.get(list) ?? [])].filter((email) => !emails.includes(email));
      assert.deepEqual(lost, []);
      assert.deepEqual((await auditQueue(service.context, await list.queue(), false)).findings, []);
    }
  });
});

async function queuesOn(url: string, port: number): Promise<number[]> {
  const rows = await query(
    url,
    `select q.id::integer as id from queue as q
      join pg_dist_placement as p on p.shardid = get_shard_id_for_distribution_column('queue_state', q.id)
      join pg_dist_node as n on n.groupid = p.groupid where n.nodeport = ${Number(port)}`,
  );
  return (rows as { id: number }[]).map(({ id }) => id);
}

describe('distribute', () => {
  it('spreads an installation with its data, which goes on as it was', { skip: WITHOUT_CITUS }, async () => {
    const { url, drop } = await createCitusDatabase(CITUS_URL ?? '');
    afterTest(drop);
    const dataDir = mkdtempSync(path.join(tmpdir(), 'doorlist-citus-'));
    afterTest(() => rmSync(dataDir, { recursive: true, force: true }));
    const environment = { DOORLIST_DATA_DIR: dataDir, DATABASE_URL: url };
    const storage: Storage = { engine: 'postgres', dataDir, environment, remove: async () => {} };
    const first = await startService('postgres', { storage });
    const lists = [await first.waitlist(), await first.waitlist()];
    for (const list of lists) {
      await list.signup(
        { email: 'ada@example.com', metadata: { plan: 'pro' } },
        { email: 'ben@example.com' },
      );
      await list.signup({ email: 'cleo@example.com', referredBy: 'ben@example.com' });
      await first.accept((await list.invite('ada@example.com')).code);
    }
    const before = await Promise.all(lists.map((list) => list.walk({ limit: 10 })));
    await first.close();

    const spread = await runCommand(environment, 'distribute', '--shards', '4');
    assert.equal(spread.code, 0, spread.stderr);
    assert.match(spread.stdout, /^Spread \d+ tables by queue\./);
    const again = await runCommand(environment, 'distribute');
    assert.match(again.stdout, /^All tables were distributed already\./);
    for (const name of ['status', 'doctor']) {
      const { stdout } = await runCommand(environment, name);
      assert.match(stdout, /cluster: .*:\d+ has \d queues?/, name);
      assert.doesNotMatch(stdout, /^WRONG {2}(?!emails)/m, name); // Nobody sends those of the test.
    }

    const second = await startService('postgres', { storage });
    afterTest(second.close);
    for (const [at, created] of lists.entries()) {
      const list = second.existing(created);
      assert.deepEqual(await list.walk({ limit: 10 }), before[at]);
      assert.equal((await list.signup({ email: 'dora@example.com' })).status, 201);
      assert.equal((await list.lookup('dora@example.com')).body.position, 3);
      assert.deepEqual((await auditQueue(second.context, await list.queue(), false)).findings, []);
    }
  });

  it('refuses an engine and a server without workers, with a sentence', async () => {
    const storage = await createStorage('sqlite', { migrated: true });
    afterTest(storage.remove);
    const { code, stderr } = await runCommand(storage.environment, 'distribute');
    assert.equal(code, 1);
    assert.match(stderr, /SQLite has no workers to spread queues over/);
  });

  it('refuses a PostgreSQL without Citus, and an older schema', {
    skip: CITUS_URL !== undefined && 'the server of this run has Citus',
  }, async () => {
    const storage = await createStorage('postgres', { migrated: true });
    afterTest(storage.remove);
    assert.match(
      (await runCommand(storage.environment, 'distribute')).stderr,
      /this PostgreSQL has no Citus/,
    );
    const empty = await createStorage('postgres');
    afterTest(empty.remove);
    assert.match(
      (await runCommand(empty.environment, 'distribute')).stderr,
      /create a new one there with `migrate`/,
    );
  });
});
