import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

/** Nanoseconds on a processor so far, by who spent them. */
export type ProcessorTime = Record<string, number>;

/** Of each thread of a process that has a part in serving, and of a PostgreSQL server if there is one. */
export function processorTimeOf(pid: number, postgres?: number): ProcessorTime {
  const threads = Object.entries(threadTimes(pid));
  const main = threads.find(([id]) => Number(id) === pid)?.[1] ?? 0;
  const all = threads.reduce((sum, [, time]) => sum + time, 0);
  return {
    'main thread': main,
    'other threads': all - main,
    ...(postgres === undefined ? {} : { PostgreSQL: sumOfServer(postgres) }),
  };
}

/** Of each thread by its name; of several with the same name, the sum. */
export function timeByThread(pid: number): ProcessorTime {
  const times: ProcessorTime = {};
  for (const [id, time] of Object.entries(threadTimes(pid))) {
    const name = Number(id) === pid ? 'main thread' : contentsOf(`/proc/${pid}/task/${id}/comm`)?.trim();
    if (name !== undefined) times[name] = (times[name] ?? 0) + time;
  }
  return times;
}

/** In microseconds per request, in words. */
export function perRequest(before: ProcessorTime, after: ProcessorTime, requests: number): string {
  return Object.entries(after)
    .map(([who, time]) => `${who} ${Math.round((time - (before[who] ?? 0)) / 1_000 / requests)} µs`)
    .join(', ');
}

/** The process that the server's other processes are children of. */
export async function postmasterOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query('select pg_backend_pid() as pid');
    return parentOf(rows[0].pid) ?? 0;
  } finally {
    await client.end();
  }
}

function threadTimes(pid: number): Record<string, number> {
  const times: Record<string, number> = {};
  for (const id of namesIn(`/proc/${pid}/task`)) {
    const text = contentsOf(`/proc/${pid}/task/${id}/schedstat`);
    if (text !== undefined) times[id] = Number(text.split(' ')[0]);
  }
  return times;
}

/** Of a process and all its children, also of those that have ended. */
function sumOfServer(pid: number): number {
  const running = [pid, ...childrenOf(pid)].flatMap((each) => Object.values(threadTimes(each)));
  return running.reduce((sum, time) => sum + time, endedChildren(pid));
}

const TICK_NS = 10_000_000;

function endedChildren(pid: number): number {
  const fields = statOf(pid) ?? [];
  return (Number(fields[13]) + Number(fields[14])) * TICK_NS; // In user mode, and in the kernel.
}

function childrenOf(pid: number): number[] {
  return namesIn('/proc')
    .map(Number)
    .filter((id) => id > 0 && parentOf(id) === pid);
}

function parentOf(pid: number): number | undefined {
  const fields = statOf(pid);
  return fields && Number(fields[1]);
}

/** What follows the name in `/proc/PID/stat`. */
function statOf(pid: number): string[] | undefined {
  return contentsOf(`/proc/${pid}/stat`)?.split(') ').at(-1)?.split(' ');
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // The process has ended.
  }
}

function contentsOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
