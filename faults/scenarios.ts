import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Engine } from '../src/db/database.ts';
import type { PostgresServer } from '../test/support/postgres.ts';
import { startCommand } from '../test/support/process.ts';
import { startTcpProxy } from '../test/support/tcp-proxy.ts';
import type { Site } from './site.ts';

/** The server that all databases are on. */
export type Databases = Pick<PostgresServer, 'url' | 'restart'>;

interface Run {
  readonly site: Site;
  readonly random: () => number;
  /** How often to do it. */
  readonly rounds: number;
  readonly postgres: Databases;
}

export interface Scenario {
  readonly name: string;
  readonly engine: Engine;
  readonly instances: number;
  /** Of a whole run, and of a short one. */
  readonly rounds: readonly [whole: number, short: number];
  /** Breaks something again and again, while clients work. */
  readonly faults: (run: Run) => Promise<void>;
  /** Clients go through this instead of to the servers. */
  readonly balanced?: boolean;
}

const USAGE_ERROR = 2;

const between = (random: () => number, least: number, most: number) =>
  sleep(least + random() * (most - least));

async function killAgainAndAgain({ site, random, rounds }: Run): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await between(random, 100, 600);
    const which = Math.floor(random() * site.ports.length);
    site.ledger.fault();
    await site.end(which, 'SIGKILL');
    await site.start(which);
  }
}

/** A server that neither answers nor dies, as on a machine that swaps or was suspended. */
async function suspend({ site, random, rounds }: Run): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await between(random, 200, 600);
    const server = site.servers[Math.floor(random() * site.ports.length)];
    site.ledger.fault();
    server?.child.kill('SIGSTOP');
    await between(random, 500, 3_000);
    server?.child.kill('SIGCONT');
  }
}

/** The first server loses its database, and the others keep it. */
async function cutOff({ site, random, rounds }: Run): Promise<void> {
  const url = new URL(site.storage.environment.DATABASE_URL ?? '');
  const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
  url.port = String(proxy.port);
  site.environments[0] = { DATABASE_URL: url.href };
  await site.end(0, 'SIGTERM');
  await site.start(0);
  try {
    for (let round = 0; round < rounds; round += 1) {
      await between(random, 200, 600);
      site.ledger.fault();
      if (random() < 0.5) proxy.cut();
      else proxy.silence();
      await between(random, 200, 2_000);
      proxy.restore();
    }
    site.environments[0] = {};
    await site.end(0, 'SIGKILL');
    await site.start(0);
  } finally {
    await proxy.close();
  }
}

async function restartPostgres({ site, random, rounds, postgres }: Run): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await between(random, 300, 800);
    site.ledger.fault();
    await postgres.restart();
  }
}

const OTHERS = `from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;

async function inDatabase<T>(site: Site, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: site.storage.environment.DATABASE_URL });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function terminateSessions({ site, random, rounds }: Run): Promise<void> {
  return inDatabase(site, async (client) => {
    for (let round = 0; round < rounds; round += 1) {
      await between(random, 100, 500);
      site.ledger.fault();
      await client.query(`select pg_terminate_backend(pid) ${OTHERS}`);
    }
  });
}

/** Others have taken every connection that the server allows. */
function takeConnections({ site, random, rounds, postgres }: Run): Promise<void> {
  return inDatabase(site, async (client) => {
    for (let round = 0; round < rounds; round += 1) {
      await between(random, 200, 600);
      site.ledger.fault();
      const taken: pg.Client[] = [];
      for (const until = performance.now() + 500 + random() * 1_500; performance.now() < until; ) {
        const other = new pg.Client({ connectionString: postgres.url });
        other.on('error', () => {});
        const connected = await other.connect().then(
          () => true,
          () => false,
        );
        if (connected) taken.push(other);
        else await client.query(`select pg_terminate_backend(pid) ${OTHERS}`);
      }
      await Promise.all(taken.map((other) => other.end()));
    }
  });
}

/** As on a primary that became a standby. */
function turnReadOnly({ site, random, rounds }: Run): Promise<void> {
  return inDatabase(site, async (client) => {
    const { rows } = await client.query('select current_database() as name');
    const readOnly = (state: string) =>
      `alter database ${rows[0].name} set default_transaction_read_only = ${state}`;
    for (let round = 0; round < rounds; round += 1) {
      await between(random, 200, 600);
      site.ledger.fault();
      await client.query(readOnly('on'));
      await client.query(`select pg_terminate_backend(pid) ${OTHERS}`);
      await between(random, 300, 1_500);
      await client.query('set transaction_read_only = off');
      await client.query(readOnly('off'));
    }
  });
}

/** One at a time, behind a load balancer that follows /readyz. */
async function restartInTurn({ site, random, rounds }: Run): Promise<void> {
  site.environments[0] = { DOORLIST_STOP_DELAY: '2s' };
  site.environments[1] = { DOORLIST_STOP_DELAY: '2s' };
  for (let round = 0; round < rounds; round += 1) {
    await between(random, 300, 800);
    const which = round % site.ports.length;
    await site.end(which, 'SIGTERM');
    await site.start(which);
    await sleep(500); // Until the balancer has noticed.
  }
}

/** Commands that read or write everything, killed at any moment. */
async function killCommands({ site, random, rounds }: Run): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-faults-'));
  const commands = [
    (round: number) => ['backup', path.join(directory, `${round}.backup`)],
    () => ['doctor', '--repair'],
    (round: number) => [
      'export',
      '--waitlist',
      site.waitlistId,
      '--out',
      path.join(directory, `${round}.csv`),
    ],
  ];
  try {
    for (let round = 0; round < rounds; round += 1) {
      const words = commands[round % commands.length]?.(round) ?? [];
      const { child, finished } = startCommand(site.storage.environment, ...words);
      await between(random, 50, 900);
      child.kill('SIGKILL');
      const { code, stderr } = await finished;
      if (code === USAGE_ERROR) throw new Error(`doorlist ${words.join(' ')}: ${stderr}`);
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
}

export const SCENARIOS: readonly Scenario[] = [
  { name: 'kill -9', engine: 'sqlite', instances: 1, rounds: [50, 4], faults: killAgainAndAgain },
  { name: 'kill -9', engine: 'postgres', instances: 1, rounds: [50, 3], faults: killAgainAndAgain },
  {
    name: 'kill -9 of one of two',
    engine: 'postgres',
    instances: 2,
    rounds: [25, 3],
    faults: killAgainAndAgain,
  },
  {
    name: 'kill -9 of one of three',
    engine: 'postgres',
    instances: 3,
    rounds: [15, 2],
    faults: killAgainAndAgain,
  },
  {
    name: 'one of three stops answering',
    engine: 'postgres',
    instances: 3,
    rounds: [10, 2],
    faults: suspend,
  },
  { name: 'one of two is cut off', engine: 'postgres', instances: 2, rounds: [10, 2], faults: cutOff },
  { name: 'PostgreSQL restarts', engine: 'postgres', instances: 2, rounds: [10, 1], faults: restartPostgres },
  {
    name: 'sessions are terminated',
    engine: 'postgres',
    instances: 2,
    rounds: [30, 3],
    faults: terminateSessions,
  },
  {
    name: 'no connection is left',
    engine: 'postgres',
    instances: 2,
    rounds: [8, 1],
    faults: takeConnections,
  },
  {
    name: 'the database is read-only',
    engine: 'postgres',
    instances: 2,
    rounds: [8, 1],
    faults: turnReadOnly,
  },
  { name: 'commands are killed', engine: 'sqlite', instances: 1, rounds: [15, 3], faults: killCommands },
  { name: 'commands are killed', engine: 'postgres', instances: 1, rounds: [15, 3], faults: killCommands },
  {
    ...{ name: 'SIGTERM behind a balancer', engine: 'postgres', instances: 2, rounds: [10, 2] },
    ...{ faults: restartInTurn, balanced: true },
  },
];
