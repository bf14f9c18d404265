import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './free-port.ts';

/** PostgreSQL refuses to run as root. */
const NOBODY = 65_534;
const PATIENCE_MS = 180_000;
/** How soon a primary that is silent loses its role. Patroni's own defaults are 30, 10 and 10. */
export const TIMES = { ttl: 20, loop_wait: 5, retry_timeout: 5 } as const;

export interface Node {
  readonly name: string;
  readonly port: number;
  readonly api: number;
  readonly data: string;
}

export interface PatroniCluster {
  readonly nodes: readonly Node[];
  /** A connection string for a database, through HAProxy or with both nodes. */
  urlOf(database: string, way: 'haproxy' | 'hosts'): string;
  createDatabase(name: string): Promise<void>;
  leader(): Promise<Node>;
  /** Everything of a node at once, as if its machine were gone. */
  kill(node: Node): Promise<void>;
  start(node: Node): void;
  switchOver(from: Node, to: Node): Promise<void>;
  /** Until one node leads and the other has every commit. */
  whole(): Promise<void>;
  /** Resolves as soon as the node accepts writes. */
  promoted(node: Node): Promise<void>;
  close(): Promise<void>;
}

/** Two PostgreSQL nodes that Patroni looks after by means of etcd, and HAProxy in front of them. */
export async function startPatroniCluster(programs: string): Promise<PatroniCluster> {
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-patroni-'));
  chmodSync(directory, 0o755);
  if (user.uid !== undefined) chownSync(directory, user.uid, user.gid);
  const password = randomBytes(12).toString('hex');
  const running = new Map<string, ChildProcess>();
  const environment = { PATH: process.env.PATH ?? '', HOME: directory, LC_ALL: 'C.UTF-8' };
  const run = (name: string, command: string, words: string[]) => {
    const child = spawn(command, words, { ...user, cwd: directory, stdio: 'ignore', env: environment });
    running.set(name, child);
  };

  const etcd = await freePort();
  const peer = `http://127.0.0.1:${await freePort()}`;
  const client = `http://127.0.0.1:${etcd}`;
  run('etcd', 'etcd', [
    ...['--name', 'one', '--data-dir', path.join(directory, 'etcd')],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...[
      '--listen-peer-urls',
      peer,
      '--initial-advertise-peer-urls',
      peer,
      '--initial-cluster',
      `one=${peer}`,
    ],
  ]);

  const nodes: Node[] = [];
  for (const name of ['db1', 'db2'])
    nodes.push({ name, port: await freePort(), api: await freePort(), data: path.join(directory, name) });
  const configOf = (name: string) => path.join(directory, `${name}.yml`);
  for (const node of nodes)
    writeFileSync(
      configOf(node.name),
      JSON.stringify(patroniConfig(node, { directory, etcd, password, programs })),
    );
  const start = ({ name }: Node) => run(name, 'patroni', [configOf(name)]);

  const balancer = await freePort();
  writeFileSync(path.join(directory, 'haproxy.cfg'), haproxyConfig(balancer, nodes));
  const connectionTo = ({ port }: Node) =>
    new pg.Client({ connectionString: `postgres://postgres:${password}@127.0.0.1:${port}/postgres` });
  const isWritable = async (node: Node) => {
    const connection = connectionTo(node).on('error', () => {});
    try {
      await connection.connect();
      const { rows } = await connection.query('select pg_is_in_recovery() as waits');
      return rows[0]?.waits === false;
    } catch {
      return false;
    } finally {
      await connection.end().catch(() => {});
    }
  };
  const members = async () => {
    for (const { api } of nodes) {
      const answer = await fetch(`http://127.0.0.1:${api}/cluster`).catch(() => undefined);
      if (answer?.ok)
        return ((await answer.json()) as { members: { name: string; role: string; state: string }[] })
          .members;
    }
    return [];
  };
  const leader = async () => {
    const name = (await members()).find(({ role }) => role === 'leader')?.name;
    const found = nodes.find((node) => node.name === name);
    if (!found) throw new Error('no node leads');
    return found;
  };
  const whole = () =>
    waitUntil('both nodes are in step', async () => {
      const roles = (await members()).map(({ role }) => role).toSorted();
      return roles.join() === 'leader,sync_standby';
    });

  for (const node of nodes) start(node);
  run('haproxy', '/usr/sbin/haproxy', ['-db', '-f', path.join(directory, 'haproxy.cfg')]);
  const cluster: PatroniCluster = {
    nodes,
    ...{ start, leader, whole },
    urlOf: (database, way) => {
      const hosts = way === 'haproxy' ? [balancer] : nodes.map(({ port }) => port);
      const query = way === 'haproxy' ? '' : '?target_session_attrs=read-write';
      return `postgres://postgres:${password}@${hosts.map((port) => `127.0.0.1:${port}`).join()}/${database}${query}`;
    },
    createDatabase: async (name) => {
      const connection = connectionTo(await leader());
      await connection.connect();
      await connection.query(`create database ${name}`);
      await connection.end();
    },
    kill: async (node) => {
      const postmaster = postmasterOf(node);
      const child = running.get(node.name) as ChildProcess;
      child.kill('SIGKILL');
      for (const pid of [...childrenOf(postmaster), postmaster]) killNow(pid);
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      rmSync(path.join(node.data, 'postmaster.pid'), { force: true });
    },
    switchOver: async (from, to) => {
      const body = JSON.stringify({ leader: from.name, candidate: to.name });
      const answer = await fetch(`http://127.0.0.1:${from.api}/switchover`, { method: 'POST', body });
      if (!answer.ok) throw new Error(`switchover: ${answer.status} ${await answer.text()}`);
    },
    promoted: (node) => waitUntil(`${node.name} is promoted`, () => isWritable(node), 20),
    close: async () => {
      for (const [name, child] of running) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        child.kill(name === 'etcd' || name === 'haproxy' ? 'SIGKILL' : 'SIGTERM'); // Patroni stops its PostgreSQL.
        await once(child, 'exit');
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
  try {
    await whole();
  } catch (error) {
    await cluster.close();
    throw error;
  }
  return cluster;
}

interface Shared {
  directory: string;
  etcd: number;
  password: string;
  programs: string;
}

function patroniConfig({ name, port, api, data }: Node, { directory, etcd, password, programs }: Shared) {
  const own = path.join(directory, `${name}-own`);
  mkdirSync(own, { mode: 0o777 });
  chmodSync(own, 0o777);
  const account = (username: string) => ({ username, password });
  return {
    scope: 'doorlist',
    name,
    restapi: { listen: `127.0.0.1:${api}`, connect_address: `127.0.0.1:${api}` },
    etcd3: { hosts: `127.0.0.1:${etcd}` },
    bootstrap: {
      dcs: {
        ...TIMES,
        synchronous_mode: true,
        postgresql: { use_pg_rewind: true, parameters: { max_connections: 200 } },
      },
      initdb: [{ encoding: 'UTF8' }, 'no-locale'],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: data,
      bin_dir: programs,
      pgpass: path.join(own, 'pgpass'),
      pg_hba: ['host all all 127.0.0.1/32 scram-sha-256', 'host replication all 127.0.0.1/32 scram-sha-256'],
      authentication: {
        superuser: account('postgres'),
        replication: account('replicator'),
        rewind: account('rewind'),
      },
      parameters: { unix_socket_directories: own },
    },
  };
}

/** Connections to a node that no longer leads are closed, as docs/scaling.md recommends. */
function haproxyConfig(port: number, nodes: readonly Node[]): string {
  return `
global
  maxconn 500
defaults
  mode tcp
  timeout connect 2s
  timeout client 30m
  timeout server 30m
listen primary
  bind 127.0.0.1:${port}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map((node) => `  server ${node.name} 127.0.0.1:${node.port} check port ${node.api}`).join('\n')}
`;
}

function postmasterOf({ data }: Node): number {
  return Number(readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
}

function childrenOf(pid: number): number[] {
  return execFileSync('ps', ['--ppid', String(pid), '-o', 'pid='], { encoding: 'utf8' })
    .split('\n')
    .map(Number)
    .filter((each) => each > 0);
}

/** It may have ended meanwhile. */
function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {}
}

async function waitUntil(what: string, is: () => Promise<boolean>, everyMs = 100): Promise<void> {
  for (const giveUpAt = performance.now() + PATIENCE_MS; !(await is()); ) {
    if (performance.now() > giveUpAt) throw new Error(`it did not happen: ${what}`);
    await sleep(everyMs);
  }
}
