import type { MessagePort } from 'node:worker_threads';
import type { Config } from '../config/config.ts';
import type { PostgresLimits } from '../db/postgres/pool.ts';
import type { ConnectionShare } from '../installation/open-postgres.ts';
import type { SharedMemory } from '../lib/shared-counts.ts';
import type { SpanId } from '../lib/telemetry.ts';
import type { Target } from '../outbox/target.ts';
import type { Address } from './listen.ts';
import type { ThreadMetrics } from './metrics.ts';

/** What a thread that answers requests is started with. */
export interface ThreadData {
  config: Config;
  limits: Partial<PostgresLimits> | undefined;
  connections: ConnectionShare;
  memory: SharedMemory;
  /** The program that runs, as the main thread knows it. */
  script: string | undefined;
}

/** Of the dashboard's build, which runs on the main thread. */
export interface BuildState {
  problem: string | undefined;
  building: boolean;
}

/** What the main thread asks of each of the others, in this order. */
export type ThreadOffers = {
  /** With a port to the writer of SQLite. */
  open(input: { port: MessagePort | undefined; dashboard: BuildState }): Promise<void>;
  listen(address: Address): Promise<number>;
  showDashboard(state: BuildState): void;
  metrics(input: undefined): Promise<ThreadMetrics>;
  /** Returns whether a load balancer asks this server for its health. */
  announceStop(input: undefined): boolean;
  drain(input: undefined): Promise<void>;
  close(input: undefined): Promise<void>;
};

/** What the main thread does for the others. */
export type MainOffers = {
  writeLog(lines: string): void;
  reportState(input: { name: string; state: string; fields: object }): void;
  logSparingly(input: { kind: string; level: 'warn' | 'error'; fields: object; message: string }): void;
  /** There is something to deliver. */
  wake(targets: readonly Target[]): void;
  /** Something was written. */
  noteChange(input: undefined): void;
  /** A newer release has updated the schema. */
  noteSuperseded(input: undefined): void;
  /** Tries to write to the database. */
  probe(input: undefined): Promise<void>;
  rememberOrigin(input: { traceId: string; origin: SpanId }): void;
  /** The page about the whole server. */
  readMetrics(input: undefined): Promise<string>;
  hashPassword(password: string): Promise<string>;
  verifyPassword(input: { stored: string | null; password: string; isStranger: boolean }): Promise<boolean>;
};
