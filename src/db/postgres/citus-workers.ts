import { setTimeout as pause } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Worker, WorkersWatch } from '../cluster.ts';
import type { Tables } from '../tables.ts';
import { isDistributed, NO_QUEUE } from './citus-tables.ts';

interface WorkerQueues {
  name: string;
  queueIds: number[];
  isUp: boolean;
}

/** Returns null if the queues are not spread. */
export async function readWorkers(query: Kysely<Tables>): Promise<Worker[] | null> {
  if (!(await isDistributed(query))) return null;
  const workers = await askWorkers(query);
  return workers.map(({ name, queueIds, isUp }) => ({
    ...{ name, isUp },
    queues: queueIds.filter((id) => id !== NO_QUEUE).length,
  }));
}

/** Which queues each has, and whether it answers the coordinator. */
export async function askWorkers(query: Kysely<Tables>): Promise<WorkerQueues[]> {
  const { rows } = await sql<{ host: string; port: number; id: number | null }>`
    select n.nodename as host, n.nodeport as port, q.id
    from pg_dist_node as n left join pg_dist_placement as p on p.groupid = n.groupid
      and p.shardid in (select shardid from pg_dist_shard where logicalrelid = 'queue_state'::regclass)
    left join (
      select id, get_shard_id_for_distribution_column('queue_state', id) as shardid
      from (select id from queue union all select ${sql.lit(NO_QUEUE)}) as ids
    ) as q on q.shardid = p.shardid
    where n.groupid <> 0 and n.noderole = 'primary' order by 1, 2`.execute(query);
  const byNode = Map.groupBy(rows, ({ host, port }) => `${host}:${port}`);
  return Promise.all(
    [...byNode].map(async ([name, some]) => ({
      name,
      queueIds: some.flatMap(({ id }) => id ?? []),
      isUp: await answers(query, some[0]),
    })),
  );
}

/** One that is gone without a trace makes the server cancel the question. */
async function answers(
  query: Kysely<Tables>,
  node: { host: string; port: number } | undefined,
): Promise<boolean> {
  try {
    const { rows } = await sql<{ up: boolean }>`
      select citus_check_connection_to_node(${node?.host}, ${node?.port}::integer) as up`.execute(query);
    return rows[0]?.up === true;
  } catch {
    return false;
  }
}

const ASK_AGAIN_MS = 5_000;

/** Which queues can be asked while a worker is down. */
export interface Reach {
  /** Null while all workers answer, as far as is known. */
  readonly queues: ReadonlySet<number> | null;
  /** Asks the workers, again and again until all of them answer. Called after a failure. */
  doubt(): void;
  close(): Promise<void>;
}

/** `restored` is called when all workers answer again. */
export function createReach(
  query: Kysely<Tables>,
  { restored, onWorkers = () => {} }: { restored: () => void; onWorkers?: WorkersWatch | undefined },
): Reach {
  const closing = new AbortController();
  let queues: ReadonlySet<number> | null = null;
  let watching: Promise<void> | undefined;
  /** Returns whether all answer. */
  const look = async () => {
    const workers = await askWorkers(query);
    const up = workers.filter(({ isUp }) => isUp);
    const wasDown = queues !== null;
    queues = up.length === workers.length ? null : new Set(up.flatMap(({ queueIds }) => queueIds));
    onWorkers(workers.filter(({ isUp }) => !isUp).map(({ name }) => name));
    if (queues === null && wasDown) restored();
    return queues === null;
  };
  const watch = async () => {
    // If the coordinator does not answer, nothing is known, and nothing can be asked.
    while (!closing.signal.aborted && !(await look().catch(() => queues === null)))
      await pause(ASK_AGAIN_MS, undefined, { signal: closing.signal, ref: false }).catch(() => {});
    watching = undefined;
  };
  return {
    get queues() {
      return queues;
    },
    doubt: () => {
      if (!closing.signal.aborted) watching ??= watch();
    },
    close: async () => {
      closing.abort();
      await watching;
    },
  };
}
