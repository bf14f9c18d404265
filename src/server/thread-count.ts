import { availableParallelism, totalmem } from 'node:os';
import type { Config } from '../config/config.ts';
import { REPLICA_POOL } from '../db/postgres/open.ts';
import type { ConnectionShare } from '../installation/open-postgres.ts';
import { canSharePorts } from './listen.ts';

/** With one connection, a thread whose transaction waits for a lock could not read. */
const LEAST_POOL = 2;

/** Private memory of a server with one thread after a load of hundreds of requests at once, as a package. */
const SERVER_BYTES = 340e6;
/** What each further thread adds: half of it at the start. */
const THREAD_BYTES = 130e6;
/** For an import. A million people who have to be sorted take 140 MB: `npm run bench -- memory` fails above this. */
export const IMPORT_BYTES = 100e6;

interface ThreadCount {
  threads: number;
  /** Why there are fewer than were asked for. */
  reason?: string;
}

/** How many threads answer requests: as many as asked for, unless something stands in the way. */
export async function countThreads(config: Config): Promise<ThreadCount> {
  const isAsked = config.workers !== 'auto';
  const wanted =
    config.workers === 'auto' ? threadsFor(availableParallelism(), usableMemory()) : config.workers;
  const { threads, reason } = await limitThreads(config, wanted);
  return isAsked && threads < wanted && reason !== undefined ? { threads, reason } : { threads };
}

/** A limit of the container or the service, such as a cgroup's, or all that the machine has. */
function usableMemory(): number {
  const limit = process.constrainedMemory();
  return Math.min(limit === 0 ? Number.POSITIVE_INFINITY : limit, totalmem());
}

/** What a server with so many threads takes at most, while it imports. */
export function memoryFor(threads: number): number {
  return SERVER_BYTES + (threads - 1) * THREAD_BYTES + IMPORT_BYTES;
}

/**
 * Another thread pays off only if it has a processor, beside the one that writes to SQLite, or beside PostgreSQL. Without
 * the memory for it, the system would end the whole server.
 */
export function threadsFor(processors: number, memory: number): number {
  const most = processors < 4 ? 1 : processors < 6 ? 2 : 3;
  for (let threads = most; threads > 1; threads -= 1) if (memoryFor(threads) <= memory) return threads;
  return 1;
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
