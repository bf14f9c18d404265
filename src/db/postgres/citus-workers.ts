import { type Kysely, sql } from 'kysely';
import type { Worker } from '../cluster.ts';
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
