import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../src/db/database.ts';
import type { Pair } from '../test/support/pair.ts';
import type { PostgresServer } from '../test/support/postgres.ts';
import type { Site } from './site.ts';
import type { SmallDisk } from './small-disk.ts';

/** The server that all databases are on. */
export type Databases = Pick<PostgresServer, 'url' | 'restart'>;

export interface Run {
  readonly site: Site;
  readonly random: () => number;
  /** How often to do it. */
  readonly rounds: number;
  readonly postgres: Databases;
  /** Of scenarios that want one: their data is on it, and on PostgreSQL the server's. */
  readonly disk: SmallDisk | undefined;
  readonly pair: Pair | undefined;
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
  /** The data is on a file system of this size, for which the run must be root's. */
  readonly diskMegabytes?: number;
  /** On a primary with a synchronous standby of its own. */
  readonly paired?: boolean;
  /** On the Citus cluster that DOORLIST_TEST_CITUS_URL names, all of it on this machine. */
  readonly spread?: boolean;
}

export const between = (random: () => number, least: number, most: number): Promise<void> =>
  sleep(least + random() * (most - least));
