import { readdirSync, readFileSync } from 'node:fs';
import { parseEmail } from '../src/lib/email.ts';
import type { Context } from '../src/waitlist/queue/context.ts';
import type { Queue } from '../src/waitlist/queue/queue.ts';
import { openSignups } from '../src/waitlist/signup/signup.ts';
import { CITUS_URL, nodesOf, onNode, WITHOUT_CITUS } from '../test/support/citus.ts';
import { createCitusTemplate } from '../test/support/citus-template.ts';
import { createDatabase } from '../test/support/databases.ts';
import { startService } from '../test/support/harness.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { query } from '../test/support/query.ts';
import { createStorage, type Storage } from '../test/support/storage.ts';

const QUEUES = 64;
const SIGNUPS = 3_200;
/** Every connection has prepared its statements by then, and knows the tables of every shard. */
const WARM_UP_SIGNUPS = 1_600;
/** Each client has queues of its own, so that every signup has a commit of its own. */
const CLIENTS = 8;
/** From a few queues to many: what is left is the noise of the measurement. */
const MOST_GROWTH = 1.15;
/** Of a clock that /proc counts in. */
const TICKS_PER_SECOND = 100;

interface Node {
  name: string;
  url: string;
}

/** Signups over many queues, on one PostgreSQL and on Citus: what each node does for them. */
export async function benchScale(): Promise<boolean> {
  const server = await startPostgres();
  try {
    const storage = await createStorage('postgres', { serverUrl: server.url });
    await measure('one PostgreSQL', storage, [{ name: 'PostgreSQL', url: server.url }], QUEUES);
    await storage.remove();
  } finally {
    await server.stop();
  }
  if (CITUS_URL === undefined) {
    process.stdout.write(`\nCitus was left out: ${WITHOUT_CITUS}\n`);
    return true;
  }
  const template = await createCitusTemplate(CITUS_URL, { shards: 32 });
  try {
    const nodes = (await nodesOf(CITUS_URL)).map((node, at) => ({
      name: node.isCoordinator ? 'coordinator' : `worker ${at}`,
      url: onNode(CITUS_URL ?? '', node),
    }));
    const few = await onCitus(template.name, nodes, CLIENTS);
    const many = await onCitus(template.name, nodes, QUEUES);
    const growth = (many.get('coordinator') ?? 0) / (few.get('coordinator') ?? 1);
    process.stdout.write(
      `\nThe coordinator takes ${growth.toFixed(2)} times as long for a signup with ${QUEUES} queues as with ${CLIENTS}.\n`,
    );
    return growth <= MOST_GROWTH;
  } finally {
    await template.drop();
  }
}

async function onCitus(
  template: string,
  nodes: readonly Node[],
  queues: number,
): Promise<Map<string, number>> {
  const { url, drop } = await createDatabase(CITUS_URL ?? '', template);
  const storage = await createStorage('sqlite');
  const environment = { ...storage.environment, DATABASE_URL: url };
  try {
    return await measure('Citus', { ...storage, engine: 'postgres', environment }, nodes, queues);
  } finally {
    await drop();
    await storage.remove();
  }
}

/** Returns the milliseconds of processor time that each node took for a signup. */
async function measure(
  title: string,
  storage: Storage,
  nodes: readonly Node[],
  queues: number,
): Promise<Map<string, number>> {
  const service = await startService('postgres', { storage, startAt: Date.now() });
  try {
    const lists = [];
    for (let at = 0; at < queues; at += 1) lists.push(await service.waitlist());
    const found = await Promise.all(lists.map((list) => list.queue()));
    await signUp(service.context, found, { from: 0, count: WARM_UP_SIGNUPS });
    const before = await Promise.all(nodes.map(cpuSeconds));
    const startedAt = performance.now();
    await signUp(service.context, found, { from: WARM_UP_SIGNUPS, count: SIGNUPS });
    const seconds = (performance.now() - startedAt) / 1_000;
    const after = await Promise.all(nodes.map(cpuSeconds));
    const workers = (await service.context.db.clusterWorkers()) ?? [];
    process.stdout.write(
      `\n${title}, ${queues} queues: ${SIGNUPS} signups, ${Math.round(SIGNUPS / seconds)} a second\n`,
    );
    const perSignup = nodes.map(({ name }, at): [string, number] => [
      name,
      (((after[at] ?? 0) - (before[at] ?? 0)) * 1_000) / SIGNUPS,
    ]);
    for (const [name, ms] of perSignup)
      process.stdout.write(`  ${name}: ${ms.toFixed(2)} ms of processor time for each signup\n`);
    for (const { name, queues: count } of workers)
      process.stdout.write(`  ${name} has ${count} of the queues, two for each waitlist\n`);
    return new Map(perSignup);
  } finally {
    await service.close();
  }
}

/** Each client goes through its own queues in turn. */
async function signUp(
  context: Context,
  queues: readonly Queue[],
  { from, count }: { from: number; count: number },
): Promise<void> {
  const signups = openSignups(context, Number.POSITIVE_INFINITY);
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    const own = queues.filter((_, at) => at % CLIENTS === client);
    for (let at = 0; at < count / CLIENTS; at += 1) {
      const email = parseEmail(`c${client}-${from + at}@example.com`);
      const queue = own[at % own.length];
      if (!email || !queue) throw new Error('there is nobody to sign up');
      await signups.submit(queue, [{ email, phone: null, metadata: null, referrer: null }]);
    }
  });
  await Promise.all(clients);
}

/** Of a server on this machine: the postmaster, its processes, and those that have ended. */
async function cpuSeconds({ url }: Node): Promise<number> {
  const [row] = (await query(url, `select pg_read_file('postmaster.pid') as text`)) as { text: string }[];
  const postmaster = Number.parseInt(row?.text ?? '', 10);
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const fields = statOf(pid);
    if (!fields) continue;
    const [parent, own, ended] = fields;
    if (Number(pid) === postmaster) ticks += own + ended;
    else if (parent === postmaster) ticks += own;
  }
  return ticks / TICKS_PER_SECOND;
}

/** Parent, own ticks, and those of children that have ended. */
function statOf(pid: string): [number, number, number] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map(
      (at) => fields[at] ?? 0,
    );
    return [parent, user + system, endedUser + endedSystem];
  } catch {
    return undefined; // It has ended since.
  }
}
