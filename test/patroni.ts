import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTraffic } from '../faults/clients.ts';
import { type Checked, Site } from '../faults/site.ts';
import { type Node, startPatroniCluster, TIMES } from './support/patroni-cluster.ts';
import { commandJson, runCommand } from './support/process.ts';
import { buildScripts } from './support/program.ts';
import { serverOfPgDump } from './support/programs.ts';
import { seededRandom } from './support/random.ts';
import type { Storage } from './support/storage.ts';

/**
 * `bin/node test/patroni.ts`: clients sign up while Patroni fails over. Not part of `npm test`, because it takes minutes and
 * Debian's patroni, etcd-server, haproxy and postgresql.
 */
const CLIENTS = 4;
/** Acknowledged writes between two faults. */
const PHASE = 150;
const PASSPHRASE = 'correct horse battery staple';

const programs = serverOfPgDump();
if (programs === undefined) throw new Error('apt-get install patroni etcd-server haproxy postgresql');
await buildScripts();
const seed = randomInt(2 ** 31);
const cluster = await startPatroniCluster(programs);
try {
  const { ttl, loop_wait, retry_timeout } = TIMES;
  console.log(
    `${cpus()[0]?.model}, ${cpus().length} threads; two nodes, two instances of Doorlist, ${CLIENTS} clients`,
  );
  console.log(
    `Patroni: synchronous_mode, ttl ${ttl} s, loop_wait ${loop_wait} s, retry_timeout ${retry_timeout} s`,
  );
  for (const way of ['haproxy', 'hosts'] as const) await failOver(way);
  await moveData();
} finally {
  await cluster.close();
}

/** The primary vanishes, comes back as standby, and gets its role back. */
async function failOver(way: 'haproxy' | 'hosts'): Promise<void> {
  await cluster.createDatabase(`doorlist_${way}`);
  const site = await Site.open(storageFor(cluster.urlOf(`doorlist_${way}`, way)), 2);
  try {
    const traffic = startTraffic(site, site.ledger, { clients: CLIENTS, random: seededRandom(seed) });
    let killed: Pauses;
    let switched: Pauses;
    try {
      await acknowledged(site, PHASE);
      const [first, second] = await inOrder();
      killed = await pauses(site, second, () => cluster.kill(first));
      await acknowledged(site, PHASE);
      cluster.start(first);
      await cluster.whole();
      await acknowledged(site, PHASE);
      switched = await pauses(site, first, () => cluster.switchOver(second, first));
      await cluster.whole();
      await acknowledged(site, PHASE);
    } finally {
      await traffic.stop();
    }
    report(way, await site.check(), { killed, switched });
    if (site.ledger.problems.length > 0) {
      console.log(site.ledger.problems.slice(0, 5).join('\n'));
      process.exitCode = 1;
    }
  } finally {
    await site.close();
  }
}

async function inOrder(): Promise<[leads: Node, follows: Node]> {
  const leads = await cluster.leader();
  return [leads, cluster.nodes.find((node) => node !== leads) as Node];
}

interface Pauses {
  /** From the fault to the promotion. */
  promotedMs: number;
  /** From there to the next acknowledged write. */
  resumedMs: number;
}

async function pauses(site: Site, next: Node, fault: () => Promise<void>): Promise<Pauses> {
  const begun = performance.now();
  const under = fault();
  await cluster.promoted(next);
  const promoted = performance.now();
  await acknowledged(site, 1);
  const resumed = performance.now();
  await under;
  return { promotedMs: promoted - begun, resumedMs: resumed - promoted };
}

/** Until so many more writes were acknowledged. */
async function acknowledged(site: Site, more: number): Promise<void> {
  const enough = site.ledger.acknowledged + more;
  while (site.ledger.acknowledged < enough) await sleep(5);
}

function report(
  way: string,
  checked: Checked,
  { killed, switched }: Record<'killed' | 'switched', Pauses>,
): void {
  const { lost, doubled, reverted, invented, misplaced, undelivered, unmailed } = checked;
  const lists = { lost, doubled, reverted, invented, misplaced, undelivered, unmailed };
  const counts = Object.entries(lists).map(([name, list]) => `${list.length} ${name}`);
  const inWords = ({ promotedMs, resumedMs }: Pauses) =>
    `promoted after ${seconds(promotedMs)}, next write acknowledged ${seconds(resumedMs)} later`;
  console.log(`
${way === 'haproxy' ? 'Through HAProxy' : 'Both nodes in DATABASE_URL'}: ${checked.acknowledged} acknowledged, ${counts.join(', ')}
  kill -9 of the primary: ${inWords(killed)}
  switchover: ${inWords(switched)}`);
  if (checked.doctor !== '') console.log(`  doctor: ${checked.doctor}`);
  if (checked.doctor !== '' || Object.values(lists).some(({ length }) => length > 0)) process.exitCode = 1;
}

function seconds(ms: number): string {
  return ms < 100 ? 'under 0.1 s' : `${(ms / 1_000).toFixed(1)} s`;
}

/** Both nodes named, as source and as target. */
async function moveData(): Promise<void> {
  for (const name of ['source', 'restored', 'copied']) await cluster.createDatabase(`doorlist_${name}`);
  const [source, restored, copied] = ['source', 'restored', 'copied'].map((name) =>
    storageFor(cluster.urlOf(`doorlist_${name}`, 'hosts')),
  ) as [Storage, Storage, Storage];
  const secret = { DOORLIST_BACKUP_PASSPHRASE: PASSPHRASE };
  const file = path.join(source.dataDir, 'backup');
  try {
    await commandJson(source.environment, 'migrate');
    await commandJson(source.environment, 'waitlist', 'create', 'wl_moved', '--name', 'Moved');
    await succeed({ ...source.environment, ...secret }, 'backup', file);
    await succeed({ ...restored.environment, ...secret }, 'restore', file);
    await succeed({ ...source.environment, DOORLIST_COPY_TO: copied.environment.DATABASE_URL ?? '' }, 'copy');
    const copy = { ...source.environment, DATABASE_URL: copied.environment.DATABASE_URL ?? '' };
    for (const environment of [restored.environment, copy]) {
      const lists = await commandJson<{ id: string }[]>(environment, 'waitlist', 'list');
      assert.deepEqual(
        lists.map(({ id }) => id),
        ['wl_moved'],
      );
    }
    console.log('\nbackup, restore and copy with both nodes in the URL: ok');
  } finally {
    for (const each of [source, restored, copied]) await each.remove();
  }
}

async function succeed(environment: Record<string, string>, ...words: string[]): Promise<void> {
  const { code, stdout, stderr } = await runCommand(environment, ...words);
  assert.equal(code, 0, `${words.join(' ')}: ${stdout}${stderr}`);
}

function storageFor(url: string): Storage {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'doorlist-test-'));
  return {
    engine: 'postgres',
    dataDir,
    environment: { DOORLIST_DATA_DIR: dataDir, DATABASE_URL: url },
    remove: async () => rmSync(dataDir, { recursive: true, force: true }),
  };
}
