import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { TABLES_OF_QUEUES } from '../../src/db/postgres/citus-tables.ts';
import { type Command, Session } from '../../src/db/postgres/session.ts';
import { importFile } from '../../src/waitlist/transfer/import/import-start.ts';
import { exportEntries } from '../../src/wire/export.ts';
import { type AdminClient, adminClient, succeeded } from '../support/admin.ts';
import { CITUS_URL, WITHOUT_CITUS } from '../support/citus.ts';
import { afterTest } from '../support/cleanup.ts';
import { type List, startService } from '../support/harness.ts';
import { query } from '../support/query.ts';
import { startReceiver } from '../support/receiver.ts';
import { createStorage, type Storage } from '../support/storage.ts';
import { endpointFor, inState, startSending } from '../support/webhooks.ts';

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
  it('are claimed, sent and recorded on one shard', async () => {
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
    const looks = /min\(due_at\)/; // At all queues, for what is due.
    const ofQueue = sent.filter(({ text }) => !looks.test(text));
    assert.ok(ofQueue.some(({ text }) => text.startsWith('update delivery')));
    assert.deepEqual(await findSpread(client, ofQueue), []);
  });
});
