import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkInstallation } from '../../src/installation/health.ts';
import { JOB_KINDS } from '../../src/server/background.ts';
import { startJobs } from '../../src/waitlist/jobs/job-runner.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { startUpkeep } from '../../src/waitlist/upkeep/upkeep.ts';
import { adminClient, succeeded } from '../support/admin.ts';
import { CITUS_URL, type Node, nodesOf, onNode, WITHOUT_CITUS } from '../support/citus.ts';
import { afterTest } from '../support/cleanup.ts';
import { type List, type Service, startService } from '../support/harness.ts';
import { query } from '../support/query.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createStorage } from '../support/storage.ts';
import { endpointFor, startSending, until } from '../support/webhooks.ts';

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
    const bringBack = await takeAway(url, worker);
    for (const { list } of away) assert.equal(await signUp(list, 'meanwhile'), 503);
    for (const { list } of staying) assert.equal(await signUp(list, 'meanwhile'), 201);
    const { workers } = succeeded(await admin.get<{ workers: { isUp: boolean }[] }>('/instance'));
    assert.deepEqual(workers.map(({ isUp }) => isUp).toSorted(), [false, true]);
    const health = JSON.stringify(await checkInstallation(service.context, service.config));
    assert.match(health, new RegExp(`:${worker.port} does not answer: \\d+ queues? cannot be used`));
    await bringBack();
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
      assert.deepEqual((await recountQueue(service.context, await list.queue(), false)).findings, []);
    }
  });

  it('leaves webhooks, jobs and upkeep of the other queues alone, and those of its own follow', async () => {
    const storage = await createStorage('postgres', { migrated: true, serverUrl: CITUS_URL ?? '' });
    afterTest(storage.remove);
    const service = await startSending('postgres', { storage });
    afterTest(service.close);
    const admin = await adminClient(service);
    const url = storage.environment.DATABASE_URL ?? '';
    const [, worker] = await nodesOf(url);
    assert.ok(worker);
    const { away, staying } = await listOnEach(service, url, worker);
    const receivers = new Map<List, Receiver>();
    for (const list of [away, staying]) {
      const receiver = await startReceiver();
      afterTest(receiver.close);
      receivers.set(list, receiver);
      await endpointFor(service.context, await list.queue(), receiver.url, { events: ['signup.created'] });
      await list.signup(
        { email: 'ada@example.com' },
        { email: 'ben@example.com', metadata: { plan: 'pro' } },
        { email: 'cleo@example.com' },
      );
      await list.invite('ada@example.com', { expiresAt: service.clock.now + 60_000 });
      await until('they are told of', () => receiver.received.length === 3);
    }
    const bringBack = await takeAway(url, worker);
    assert.equal((await away.signup({ email: 'dora@example.com' })).status, 503);
    service.clock.advance(120_000);
    const jobs = startJobs(service.context, JOB_KINDS);
    afterTest(jobs.close);
    const upkeep = startUpkeep(service.context);
    afterTest(upkeep.close);

    assert.equal((await staying.signup({ email: 'dora@example.com' })).status, 201);
    await until('it is told of', () => receivers.get(staying)?.received.length === 4);
    const invited = await admin.post(`/waitlists/${staying.id}/invites`, {
      segment: { where: { plan: 'pro' } },
      expect: 1,
    });
    assert.equal(invited.status, 202, invited.text);
    const statusOf = async (list: List, name: string) =>
      (await list.lookup(`${name}@example.com`)).body.status;
    await until('the job has run', async () => (await statusOf(staying, 'ben')) === 'invited');
    await until('the invite has expired', async () => (await statusOf(staying, 'ada')) === 'waiting');

    await bringBack();
    await until(
      'its queues answer',
      async () => (await away.signup({ email: 'dora@example.com' })).status === 201,
    );
    await until('they are told of', () => receivers.get(away)?.received.length === 4);
    await until('the invite has expired', async () => (await statusOf(away, 'ada')) === 'waiting');
  });
});

/** As if it were down, for one database. */
async function takeAway(url: string, worker: Node): Promise<() => Promise<unknown>> {
  const database = new URL(url).pathname.slice(1);
  const onWorker = (command: string) => query(onNode(CITUS_URL ?? '', worker), command);
  await onWorker(`alter database ${database} allow_connections false`);
  await onWorker(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`);
  return () => onWorker(`alter database ${database} allow_connections true`);
}

/** One whose queue is on this worker, and one whose queue is on another. */
async function listOnEach(
  service: Service,
  url: string,
  worker: Node,
): Promise<{ away: List; staying: List }> {
  const lists: { away?: List; staying?: List } = {};
  while (!lists.away || !lists.staying) {
    const list = await service.waitlist();
    const isThere = (await queuesOn(url, worker.port)).includes((await list.queue()).id);
    lists[isThere ? 'away' : 'staying'] = list;
  }
  return { away: lists.away, staying: lists.staying };
}

async function queuesOn(url: string, port: number): Promise<number[]> {
  const rows = await query(
    url,
    `select q.id::integer as id from queue as q
      join pg_dist_placement as p on p.shardid = get_shard_id_for_distribution_column('queue_state', q.id)
      join pg_dist_node as n on n.groupid = p.groupid where n.nodeport = ${Number(port)}`,
  );
  return (rows as { id: number }[]).map(({ id }) => id);
}
