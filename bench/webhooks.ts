import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent, request } from 'undici';
import { readConfig } from '../src/config/config.ts';
import { openContext } from '../src/installation/open.ts';
import { startOutbox } from '../src/installation/start-outbox.ts';
import { newId, randomBytes } from '../src/lib/ids.ts';
import { createLogger } from '../src/lib/log.ts';
import { findDueTargets, type Target } from '../src/outbox/target.ts';
import type { Context } from '../src/waitlist/queue/context.ts';
import type { Queue } from '../src/waitlist/queue/queue.ts';
import { createWaitlist } from '../src/waitlist/settings/waitlists.ts';
import { openSignups } from '../src/waitlist/signup/signup.ts';
import { parseSignupRequest } from '../src/waitlist/signup/signup-input.ts';
import { createEndpoint, deleteEndpoint } from '../src/webhooks/change-endpoints.ts';
import { listEndpoints } from '../src/webhooks/endpoints.ts';
import { createDatabase } from '../test/support/databases.ts';
import { freePort } from '../test/support/free-port.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { guard } from '../test/support/webhooks.ts';
import { delivered, signUp } from './backlog.ts';
import { median, printTable, type Row } from './report.ts';

const ROUNDS = 3;
const ENDPOINTS = 10;
const EVENTS = 1_500;
const CONNECTIONS = 64;
const LATENCY_ENDPOINTS = 100;
const LATENCY_SIGNUPS = 30;
const LATENCY_PAUSE_MS = 200;

interface Sink {
  url: string;
  ages(): Promise<number[]>;
  stop(): Promise<void>;
}

/**
 * Deliveries compared with bare undici to the same sink, the cost of a claim in a backlog, and one endpoint
 * that hangs.
 */
export async function benchWebhooks(): Promise<boolean> {
  const sink = await startSink();
  const server = await startPostgres();
  const database = async () => ({ DATABASE_URL: (await createDatabase(server.url)).url });
  try {
    const sqlite = await onEngine('SQLite', async () => ({}), sink, 0.4);
    const postgres = await onEngine('PostgreSQL', database, sink, 0.3);
    return sqlite && postgres;
  } finally {
    await sink.stop();
    await server.stop();
  }
}

async function onEngine(
  name: string,
  storage: () => Promise<Record<string, string>>,
  sink: Sink,
  bar: number,
): Promise<boolean> {
  const directories: string[] = [];
  const contexts: Context[] = [];
  const open = async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-bench-'));
    directories.push(directory);
    const variables = { DOORLIST_DATA_DIR: directory, DOORLIST_WEBHOOK_ALLOW: '127.0.0.1' };
    const config = readConfig({ ...variables, ...(await storage()) });
    const context = await openContext(config, createLogger('silent'));
    contexts.push(context);
    return { config, context };
  };
  try {
    const { config, context } = await open();
    const rows = [await measureRate(context, config, sink, bar)];
    rows.push(await measureHanging(context, config, sink));
    rows.push(await measureClaims([(await open()).context, (await open()).context]));
    return printTable(`Webhooks on ${name}`, rows);
  } finally {
    for (const context of contexts) await context.db.close();
    for (const directory of directories) rmSync(directory, { recursive: true, force: true });
  }
}

type Config = ReturnType<typeof readConfig>;

/** A backlog for ten endpoints, recorded beforehand. */
async function measureRate(context: Context, config: Config, sink: Sink, atLeast: number): Promise<Row> {
  const measured: number[] = [];
  const limit: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    limit.push(await postBare(`${sink.url}/fast`, ENDPOINTS * EVENTS));
    const queue = await queueWith(context, `wl_rate${round}`, Array(ENDPOINTS).fill(`${sink.url}/fast`));
    await signUp(context, queue, EVENTS, { metadata: { plan: 'pro', source: 'bench' } });
    const startedAt = performance.now();
    const outbox = await startOutbox(context, config);
    await delivered(context, queue);
    measured.push((ENDPOINTS * EVENTS * 1000) / (performance.now() - startedAt));
    await outbox.stop();
  }
  // The first round was a warm-up.
  const [ours, theirs] = [measured, limit].map((all) => median(all.slice(1)));
  return {
    what: 'deliveries, against bare undici',
    measured: ours ?? 0,
    limit: theirs ?? 1,
    atLeast,
    unit: '/s',
  };
}

async function postBare(url: string, total: number): Promise<number> {
  const dispatcher = new Agent({ connections: CONNECTIONS, pipelining: 1 });
  const body = JSON.stringify({ event: 'signup.created', data: 'x'.repeat(480) });
  let left = total;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (left-- > 0) {
        const answer = await request(url, {
          dispatcher,
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        });
        await answer.body.dump();
      }
    }),
  );
  const perSecond = (total * 1000) / (performance.now() - startedAt);
  await dispatcher.close();
  return perSecond;
}

async function queueWith(context: Context, id: string, urls: string[]): Promise<Queue> {
  await createWaitlist(context, { id, name: 'Bench' });
  const queue = (await context.registry.queue(id, 'production')) as Queue;
  for (const url of urls) await createEndpoint(context, guard, queue, { url });
  return queue;
}

/** The age of deliveries on arrival at 99 endpoints, while the hundredth responds and while it hangs. */
async function measureHanging(context: Context, config: Config, sink: Sink): Promise<Row> {
  const urls = (last: string) => [
    ...Array(LATENCY_ENDPOINTS - 1).fill(`${sink.url}/timed`),
    `${sink.url}/${last}`,
  ];
  const p99: Record<string, number[]> = { fast: [], hang: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const last of ['fast', 'hang']) {
      const queue = await queueWith(context, `wl_${last}${round}`, urls(last));
      const outbox = await startOutbox(context, config, { drainMs: 0 });
      const signups = openSignups(context, 1_000);
      for (let i = 0; i < LATENCY_SIGNUPS; i += 1) {
        const { entries } = parseSignupRequest({
          waitlistId: queue.waitlist.id,
          entries: [{ email: `e${i}@example.com` }],
        });
        await signups.submit(queue, entries);
        await pause(LATENCY_PAUSE_MS);
      }
      const expected = (LATENCY_ENDPOINTS - 1) * LATENCY_SIGNUPS;
      const ages: number[] = [];
      while (ages.length < expected) {
        await pause(100);
        ages.push(...(await sink.ages()));
      }
      ages.sort((a, b) => a - b);
      if (round > 0) p99[last]?.push(ages[Math.floor(ages.length * 0.99)] ?? 0);
      await outbox.stop();
      // With its backlog.
      for (const { id } of await listEndpoints(context, queue)) await deleteEndpoint(context, id);
    }
  }
  // A ratio of at least 1 / 1.3: the time without the hanging endpoint compared with the time with it.
  const [alone, beside] = [median(p99.fast ?? []), median(p99.hang ?? [])];
  return {
    what: 'p99 of 99 while 1 answers, against while it hangs',
    measured: alone,
    limit: beside,
    atLeast: 1 / 1.3,
    unit: 'ms',
  };
}

const BACKLOGS = [1_000, 1_000_000];
const CLAIM_TARGETS = 100;
const CLAIMS = 300;

/** Finding and claiming a few deliveries, alternating between a small and a large backlog. */
async function measureClaims(contexts: Context[]): Promise<Row> {
  const targets = Array.from({ length: CLAIM_TARGETS }, (_, i) => ({
    queueId: 1_000_000 + (i % 10),
    channel: 'webhook',
    id: newId(Date.now()),
  }));
  for (const [index, context] of contexts.entries()) await fill(context, targets, BACKLOGS[index] ?? 0);
  const costs = contexts.map((): number[] => []);
  for (let i = 0; i < CLAIMS; i += 1) {
    for (const [index, context] of contexts.entries()) {
      const target = targets[i % 2 === 0 ? 0 : i % targets.length] as Target;
      costs[index]?.push(await claimCost(context, target));
    }
  }
  const [small = 0, large = 1] = costs.map(median);
  return {
    what: 'claim among 1 thousand, against among 1 million',
    measured: small,
    limit: large,
    atLeast: 1 / 1.5,
    unit: 'µs',
  };
}

/** Nine of ten go to one target: the worst backlog is that of one dead endpoint. */
async function fill({ db }: Context, targets: Target[], count: number): Promise<void> {
  const now = Date.now();
  for (let done = 0; done < count; done += 10_000) {
    const rows = Array.from({ length: Math.min(10_000, count - done) }, (_, i) => {
      const { queueId, channel, id } = targets[
        count < 10_000 || i % 10 === 0 ? i % targets.length : 0
      ] as Target;
      return { queue_id: queueId, channel, target_id: id, event_id: newId(now), due_at: now - 1_000 };
    });
    const events = rows.map(({ queue_id, event_id: id }) => ({
      queue_id,
      id,
      kind: 'signup.created',
      body: Buffer.alloc(300),
      created_at: now,
    }));
    await db.transaction(async (trx) => {
      trx.insert('event', events);
      trx.insert('delivery', rows);
    });
  }
}

async function claimCost({ db }: Context, target: Target): Promise<number> {
  const startedAt = performance.now();
  await findDueTargets(db);
  const now = Date.now();
  const terms = { now, leaseEnd: now + 45_000, token: randomBytes(16) };
  await db.transaction((trx) =>
    db.claimDeliveries(trx, [{ ...target, targetId: target.id, limit: 4 }], terms),
  );
  return (performance.now() - startedAt) * 1000;
}

async function startSink(): Promise<Sink> {
  const port = await freePort();
  const child: ChildProcess = fork(path.join(import.meta.dirname, 'sink.ts'), {
    env: { ...process.env, PORT: String(port) },
  });
  await once(child, 'message');
  return {
    url: `http://127.0.0.1:${port}`,
    ages: async () => {
      const told = once(child, 'message');
      child.send('ages');
      return (await told)[0] as number[];
    },
    stop: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
