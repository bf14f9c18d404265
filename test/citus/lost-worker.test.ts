import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkInstallation } from '../../src/installation/health.ts';
import { auditQueue } from '../../src/waitlist/upkeep/audit.ts';
import { adminClient, succeeded } from '../support/admin.ts';
import { CITUS_URL, nodesOf, onNode, WITHOUT_CITUS } from '../support/citus.ts';
import { afterTest } from '../support/cleanup.ts';
import { type List, startService } from '../support/harness.ts';
import { query } from '../support/query.ts';
import { createStorage } from '../support/storage.ts';
import { until } from '../support/webhooks.ts';

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
