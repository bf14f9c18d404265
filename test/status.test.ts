import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, it } from 'node:test';
import { oldestId } from '../src/lib/ids.ts';
import { glanceAtBacklog } from '../src/outbox/backlog.ts';
import { glanceAtDeliveries, watch } from '../src/waitlist/upkeep/health.ts';
import { setEndpointEnabled } from '../src/webhooks/change-endpoints.ts';
import { forEachEngine, type List } from './support/harness.ts';
import { startProcess } from './support/process.ts';
import { status as answering, type Receiver, startReceiver } from './support/receiver.ts';
import { createStorage, type Storage } from './support/storage.ts';
import { command, typed } from './support/terminal.ts';
import { endpointFor, startSending, until } from './support/webhooks.ts';

interface Status {
  healthy: boolean;
  findings: { what: string; ok: boolean; level: string; detail: string }[];
}

const HOUR_MS = 60 * 60 * 1000;

forEachEngine((engine) => {
  let storage: Storage;
  let service: Awaited<ReturnType<typeof startSending>>;
  let receiver: Receiver;
  let list: List;
  let endpoint: string;
  before(async () => {
    storage = await createStorage(engine, { migrated: true });
    service = await startSending(engine, { storage, startAt: Date.now() });
    receiver = await startReceiver(answering(500));
    list = await service.waitlist();
    endpoint = (await endpointFor(service.context, await list.queue(), receiver.url)).id;
  });
  after(async () => {
    await service.close();
    await receiver.close();
    await storage.remove();
  });

  const status = async () => {
    const { code, json } = await command<Status>(storage.environment, 'status');
    return { code, of: (what: string) => json.findings.find((finding) => finding.what === what) };
  };

  it('shows the installation and exits with 0 while all is well', async () => {
    const { code, of } = await status();
    assert.equal(code, 0);
    assert.match(of('database')?.detail ?? '', new RegExp(`^${engine}, schema version \\d+, [0-9.]+ MiB$`));
    // As on any installation whose data is elsewhere, so that it can be copied.
    const own = `DOORLIST_DATA_DIR=${storage.environment.DOORLIST_DATA_DIR} npm run -s doorlist --`;
    assert.equal(
      of('master key')?.detail,
      'matches the database, from a file, not backed up yet: without it, all personal data is lost. ' +
        `Run \`${own} backup FILE\`, or store the output of \`${own} master-key show\` in a safe place`,
    );
    assert.deepEqual([of('master key')?.level, of('backup')?.level], ['warning', 'warning']);
    assert.equal(of('backup')?.detail, `none was made with \`${own} backup FILE\``);
    assert.equal(of('mail server')?.level, 'warning');
    assert.match(of('versions')?.detail ?? '', /^Doorlist \S+, Node \d\d\./);
    for (const what of ['webhooks', 'emails', 'operator emails'])
      assert.equal(of(what)?.detail, 'none pending or failed', what);
    assert.equal(of('alerts'), undefined, 'nobody gets any');
    assert.equal(of('unfinished jobs')?.detail, 'none');
    if (engine === 'sqlite') {
      assert.match(of('disk')?.detail ?? '', /^[0-9.]+ [MG]iB free/);
      assert.match(of('write-ahead log')?.detail ?? '', /^[0-9.]+ MiB$/);
    } else assert.match(of('connections')?.detail ?? '', /^[1-9]\d* from Doorlist instances$/);
    const { out } = await typed(storage.environment, 'status');
    assert.match(out, /^ok {5}database: .*\nWARN {3}master key: .*\nWARN {3}backup: /);
  });

  it('shows why deliveries failed, and reports old ones as a problem', async () => {
    service.clock.now = Date.now(); // As the command has it.
    await list.signup({ email: 'ada@example.com' });
    await until('the attempt is in the log', async () => (await status()).of('webhook error') !== undefined);
    await service.stopSending();
    const fresh = await status();
    assert.equal(fresh.code, 0);
    assert.equal(fresh.of('webhooks')?.detail, '1 pending, oldest pending for less than a minute');
    assert.match(fresh.of('webhook error')?.detail ?? '', /\(1 delivery, last at .*Z\)$/);
    service.clock.now = Date.now() - 2 * HOUR_MS; // As if it had been left for long.
    await list.signup({ email: 'grace@example.com' });
    service.clock.now = Date.now();
    const late = await status();
    assert.equal(late.code, 1);
    assert.equal(late.of('webhooks')?.ok, false);
    assert.equal(late.of('webhooks')?.detail, '2 pending, oldest pending for 120 min');
  });

  it('names an endpoint that has been failing for long', async () => {
    assert.equal((await status()).of('webhook endpoint'), undefined);
    await service.context.db.query
      .updateTable('webhook_endpoint')
      .set({ failing_since: service.clock.now - 3 * HOUR_MS })
      .execute();
    const { code, of } = await status();
    assert.equal(code, 1);
    const detail = `${receiver.url} has been failing for 3 hours (${endpoint}, ${list.id}, production)`;
    assert.equal(of('webhook endpoint')?.detail, detail);
  });

  it('logs once that something is overdue, however often it checks', async () => {
    const lines = () => service.log.filter((line) => line.includes('oldest delivery: '));
    await watch(service.context);
    await watch(service.context);
    assert.equal(lines().length, 1);
    assert.match(lines()[0] ?? '', /"level":"warn".*oldest delivery: over an hour old/);
  });

  it('looks at every kind of delivery, however many of another kind wait', async () => {
    await list.invite('edsger@example.com');
    const { channels } = await glanceAtBacklog(service.context.db, 1, service.clock.now);
    assert.deepEqual([channels.get('webhook')?.pending, channels.get('email')?.pending], [2, 1]);
  });

  it('finds the oldest delivery among many, also if others are due before it', async () => {
    const people = Array.from({ length: 600 }, (_, n) => ({ email: `later${n}@example.com` }));
    for (let n = 0; n < people.length; n += 100) await list.signup(...people.slice(n, n + 100));
    const { db } = service.context;
    const last = service.clock.now + HOUR_MS;
    await db.query
      .updateTable('delivery')
      .set({ due_at: last, token: Buffer.from('of a failed attempt') })
      .where('channel', '=', 'webhook')
      .where('event_id', '<', oldestId(service.clock.now - HOUR_MS))
      .execute();
    const { channels } = await glanceAtBacklog(db, 10_000, service.clock.now);
    assert.equal(channels.get('webhook')?.pending, 603);
    const age = service.clock.now - (channels.get('webhook')?.oldestAt ?? 0);
    assert.equal(Math.round(age / HOUR_MS), 2);
  });

  it('ignores deliveries held for a disabled endpoint', async () => {
    await setEndpointEnabled(service.context, endpoint, false);
    const { code, of } = await status();
    assert.equal(code, 0);
    assert.equal(of('webhooks')?.detail, '603 held');
    const shown = (await glanceAtDeliveries(service.context)).find(({ what }) => what === 'webhooks');
    assert.equal(shown?.detail, '603 held', 'in the dashboard as well');
    const heldUpTo = async (most: number) =>
      (await glanceAtBacklog(service.context.db, most, service.clock.now)).held.get('webhook');
    assert.deepEqual([await heldUpTo(10_000), await heldUpTo(100)], [603, 100]);
  });

  it('reports a database that cannot be used, and exits with 1', async () => {
    const environment = { ...storage.environment, DOORLIST_MASTER_KEY: Buffer.alloc(32).toString('base64') };
    const { code, json } = await command<Status>(environment, 'status');
    assert.equal(code, 1);
    assert.equal(json.healthy, false);
    assert.match(json.findings[0]?.detail ?? '', /master key/);
  });

  // Servers on PostgreSQL are on other machines, and backup.test.ts has one that fits pg_dump.
  if (engine === 'postgres') return;

  it('knows that the key and the database are in a backup, and how old it is', async () => {
    const file = path.join(storage.dataDir, 'doorlist.backup');
    const environment = { ...storage.environment, DOORLIST_BACKUP_PASSPHRASE: 'a long passphrase for tests' };
    assert.equal((await command(environment, 'backup', file)).code, 0);
    const { of } = await status();
    assert.deepEqual([of('master key')?.level, of('backup')?.level], ['fine', 'fine']);
    assert.equal(of('backup')?.detail, 'last made less than a minute ago');
    const twelveDaysAgo = Date.now() - 12 * 24 * HOUR_MS;
    await service.context.db.query.updateTable('instance').set({ backup_at: twelveDaysAgo }).execute();
    const later = (await status()).of('backup');
    assert.deepEqual([later?.level, later?.detail], ['warning', 'last made 12 days ago']);
  });

  it('knows whether a server runs on the data directory', async () => {
    assert.equal((await status()).of('server')?.detail, 'not running');
    const server = await startProcess(storage.environment);
    try {
      assert.equal((await status()).of('server')?.detail, 'running');
    } finally {
      await server.stop();
    }
  });
});
