import { availableParallelism } from 'node:os';
import type { Config } from '../config/config.ts';
import { REPLICA_POOL } from '../db/postgres/open.ts';
import type { ConnectionShare } from '../installation/open.ts';
import { canSharePorts } from './listen.ts';

/** With one connection, a thread whose transaction waits for a lock could not read. */
const LEAST_POOL = 2;

interface ThreadCount {
  threads: number;
  /** Why there are fewer than were asked for. */
  reason?: string;
}

/** How many threads answer requests: as many as asked for, unless something stands in the way. */
export async function countThreads(config: Config): Promise<ThreadCount> {
  const isAsked = config.workers !== 'auto';
  const wanted = config.workers === 'auto' ? threadsFor(availableParallelism()) : config.workers;
  const { threads, reason } = await limitThreads(config, wanted);
  return isAsked && threads < wanted && reason !== undefined ? { threads, reason } : { threads };
}

/** Another thread pays off only if it has a processor, beside the one that writes to SQLite, or beside PostgreSQL. */
export function threadsFor(processors: number): number {
  if (processors < 4) return 1;
  return processors < 6 ? 2 : 3;
}

async function limitThreads(config: Config, wanted: number): Promise<ThreadCount> {
  if (wanted === 1) return { threads: 1 };
  if (config.role === 'worker')
    return {
      threads: 1,
      reason: 'an instance with the role worker has only health checks and metrics to answer',
    };
  if (!(await canSharePorts(config.host)))
    return { threads: 1, reason: 'this system does not let several threads listen on one port' };
  const most = config.databaseUrl === undefined ? wanted : Math.floor(config.databasePool / LEAST_POOL);
  if (most >= wanted) return { threads: wanted };
  return {
    threads: Math.max(1, most),
    reason: `each thread needs ${LEAST_POOL} connections to PostgreSQL: raise DOORLIST_DATABASE_POOL`,
  };
}

/** So that a server has as many connections to PostgreSQL as the configuration says. The main thread is the first. */
export function shareConnections({ databasePool }: Config, threads: number): ConnectionShare[] {
  const share = (all: number, thread: number) =>
    Math.max(1, Math.floor((all + threads - 1 - thread) / threads));
  return Array.from({ length: threads }, (_, thread) => ({
    pool: share(databasePool, thread),
    replica: share(REPLICA_POOL, thread),
  }));
}
