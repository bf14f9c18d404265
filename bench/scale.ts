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
/** Of the signups that are measured. */
const TURNS = 8;
/** From a few queues to many: what is left is the noise of the measurement. */
const MOST_GROWTH = 1.15;
/** Of a clock that /proc counts in. */
const TICKS_PER_SECOND = 100;

interface Node {
  name: string;
  url: string;
}

/** A service with signups in its queues, and what they took. */
interface Site {
  context: Context;
  queues: Queue[];
  signedUp: number;
  seconds: number;
  /** Of processor time, by node. */
  nodeSeconds: number[];
  close(): Promise<void>;
}

/** Signups over many queues, on one PostgreSQL and on Citus: what each node does for them. */
export async function benchScale(): Promise<boolean> {
  const server = await startPostgres();
  try {
    const storage = await createStorage('postgres', { serverUrl: server.url });
    const nodes = [{ name: 'PostgreSQL', url: server.url }];
    const site = await openSite(storage, QUEUES);
    await measure([site], nodes);
    await report('one PostgreSQL', site, nodes);
    await site.close();
  } finally {
    await server.stop();
  }
  if (CITUS_URL !== undefined) return benchCitus(CITUS_URL);
  process.stdout.write(`\nCitus was left out: ${WITHOUT_CITUS}\n`);
  return true;
}

async function benchCitus(serverUrl: string): Promise<boolean> {
  const template = await createCitusTemplate(serverUrl, { shards: 32 });
  const sites: Site[] = [];
  try {
    const nodes = (await nodesOf(serverUrl)).map((node, at) => ({
      name: node.isCoordinator ? 'coordinator' : `worker ${at}`,
      url: onNode(serverUrl, node),
    }));
    for (const count of [CLIENTS, QUEUES])
      sites.push(await openSite(await storageFrom(serverUrl, template.name), count));
    await measure(sites, nodes);
    const [few = 0, many = 0] = await Promise.all(sites.map((site) => report('Citus', site, nodes)));
    const growth = many / few;
    process.stdout.write(
      `\nThe coordinator takes ${growth.toFixed(2)} times as long for a signup with ${QUEUES} queues as with ${CLIENTS}.\n`,
    );
    return growth <= MOST_GROWTH;
  } finally {
    for (const site of sites) await site.close();
    await template.drop();
  }
}

async function storageFrom(serverUrl: string, template: string): Promise<Storage> {
  const { url, drop } = await createDatabase(serverUrl, template);
  const storage = await createStorage('sqlite');
  const environment = { ...storage.environment, DATABASE_URL: url };
  const remove = async () => {
    await drop();
    await storage.remove();
  };
  return { ...storage, engine: 'postgres', environment, remove };
}

async function openSite(storage: Storage, count: number): Promise<Site> {
  const service = await startService('postgres', { storage, startAt: Date.now() });
  const queues: Queue[] = [];
  for (let at = 0; at < count; at += 1) queues.push(await (await service.waitlist()).queue());
  const close = async () => {
    await service.close();
    await storage.remove();
  };
  const { context } = service;
  return { context, queues, close, signedUp: 0, seconds: 0, nodeSeconds: [] };
}

/** In short turns, so that other work on the machine slows all of them down alike. */
async function measure(sites: readonly Site[], nodes: readonly Node[]): Promise<void> {
  for (const site of sites) await signUp(site, WARM_UP_SIGNUPS);
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const site of sites) {
      const before = await Promise.all(nodes.map(cpuSeconds));
      const startedAt = performance.now();
      await signUp(site, SIGNUPS / TURNS);
      site.seconds += (performance.now() - startedAt) / 1_000;
      const after = await Promise.all(nodes.map(cpuSeconds));
      site.nodeSeconds = after.map(
        (seconds, at) => (site.nodeSeconds[at] ?? 0) + seconds - (before[at] ?? 0),
      );
    }
  }
}

/** Returns the milliseconds that the first node took for a signup. */
async function report(title: string, site: Site, nodes: readonly Node[]): Promise<number | undefined> {
  const perSignup = site.nodeSeconds.map((seconds) => (seconds * 1_000) / SIGNUPS);
  const workers = (await site.context.db.clusterWorkers()) ?? [];
  const lines = [
    `\n${title}, ${site.queues.length} queues: ${SIGNUPS} signups, ${Math.round(SIGNUPS / site.seconds)} a second`,
    ...nodes.map(
      ({ name }, at) => `  ${name}: ${perSignup[at]?.toFixed(2)} ms of processor time for each signup`,
    ),
    ...workers.map(({ name, queues }) => `  ${name} has ${queues} of the queues, two for each waitlist`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return perSignup[0];
}

/** Each client goes through its own queues in turn. */
async function signUp(site: Site, count: number): Promise<void> {
  const signups = openSignups(site.context, Number.POSITIVE_INFINITY);
  const from = site.signedUp;
  site.signedUp += count;
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    const own = site.queues.filter((_, at) => at % CLIENTS === client);
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
