import { setTimeout as sleep } from 'node:timers/promises';
import { CITUS_URL, nodesOf, onNode } from '../test/support/citus.ts';
import { clientFor, listOver } from '../test/support/harness.ts';
import { findLocalServer } from '../test/support/local-server.ts';
import { commandJson } from '../test/support/process.ts';
import { query } from '../test/support/query.ts';
import { type Receiver, startReceiver } from '../test/support/receiver.ts';
import { between, type Run } from './scenario.ts';
import type { Site } from './site.ts';

const SIGNUPS_MEANWHILE = 20;
const ARRIVE_WITHIN_MS = 30_000;

/** A waitlist whose queue is on one worker, with a receiver of its webhooks. */
interface Watched {
  list: ReturnType<typeof listOver>;
  port: number;
  receiver: Receiver;
  acknowledged: Set<string>;
}

/**
 * Kills one worker after the other, and brings it back. Meanwhile the queues of the others must take every signup, and
 * tell of it.
 */
export async function killWorkers({ site, random, rounds }: Run): Promise<void> {
  const workers = (await nodesOf(CITUS_URL ?? '')).filter(({ isCoordinator }) => !isCoordinator);
  const watched = await watchEach(site, workers);
  try {
    for (let round = 0; round < rounds; round += 1) {
      const worker = workers[round % workers.length] as (typeof workers)[number];
      const server = await findLocalServer(onNode(CITUS_URL ?? '', worker));
      await between(random, 500, 1_500);
      await server.kill();
      site.ledger.fault();
      try {
        for (const each of watched.filter(({ port }) => port !== worker.port))
          await goesOn(site, each, round);
      } finally {
        await server.start();
      }
    }
    for (const each of watched) await isWhole(site, each);
  } finally {
    await Promise.all(watched.map(({ receiver }) => receiver.close()));
  }
}

async function goesOn(site: Site, { list, receiver, acknowledged }: Watched, round: number): Promise<void> {
  for (let at = 0; at < SIGNUPS_MEANWHILE; at += 1) {
    const email = `r${round}-${at}@example.com`;
    const { status, text } = await list.signup({ email });
    if (status === 201) acknowledged.add(email);
    else site.ledger.problems.push(`signup on a worker that is up: ${status} ${text}`);
  }
  const missing = () => {
    const arrived = receiver.received.map(({ body }) => body).join('\n');
    return [...acknowledged].filter((email) => !arrived.includes(`"${email}"`));
  };
  for (const giveUpAt = performance.now() + ARRIVE_WITHIN_MS; missing().length > 0; await sleep(100)) {
    if (performance.now() < giveUpAt) continue;
    site.ledger.problems.push(`no webhook while another worker is down: ${missing().slice(0, 3)}`);
    return;
  }
}

async function isWhole(site: Site, { list, acknowledged }: Watched): Promise<void> {
  const emails = (await list.walk({ limit: 100 })).map(({ email }) => email ?? '');
  const same = emails.length === acknowledged.size && emails.every((email) => acknowledged.has(email));
  if (!same)
    site.ledger.problems.push(`${list.id}: ${acknowledged.size} acknowledged, ${emails.length} there`);
}

/** One for each worker. */
async function watchEach(site: Site, workers: readonly { port: number }[]): Promise<Watched[]> {
  const found = new Map<number, Watched>();
  for (let at = 0; found.size < workers.length; at += 1) {
    const id = `wl_watched_${at}`;
    await commandJson(site.storage.environment, 'waitlist', 'create', id, '--name', id);
    const port = await workerOf(site, id);
    if (found.has(port)) continue;
    const scope = ['--waitlist', id, '--env', 'production', '--read'];
    const { key } = await commandJson<{ key: string }>(site.storage.environment, 'key', 'create', ...scope);
    const client = clientFor(site.urlOf(0));
    const receiver = await startReceiver();
    const body = { url: receiver.url, events: ['signup.created'] };
    await client.request('POST', `/admin/v1/waitlists/${id}/webhooks`, { key: site.adminToken, body });
    found.set(port, { list: listOver(client, id, key), port, receiver, acknowledged: new Set() });
  }
  return [...found.values()];
}

async function workerOf(site: Site, waitlistId: string): Promise<number> {
  const [row] = await query(
    site.storage.environment.DATABASE_URL ?? '',
    `select n.nodeport as port from waitlist as w
      join queue as q on q.waitlist_id = w.id and q.environment = 'production'
      join pg_dist_placement as p on p.shardid = get_shard_id_for_distribution_column('queue_state', q.id)
      join pg_dist_node as n on n.groupid = p.groupid where w.public_id = '${waitlistId}'`,
  );
  return (row as { port: number }).port;
}
