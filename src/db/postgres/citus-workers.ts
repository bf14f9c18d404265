import { type Kysely, sql } from 'kysely';
import type { Worker } from '../cluster.ts';
import type { Tables } from '../tables.ts';
import { isDistributed } from './citus-tables.ts';

/** Returns null if the queues are not spread. */
export async function readWorkers(query: Kysely<Tables>): Promise<Worker[] | null> {
  if (!(await isDistributed(query))) return null;
  const { rows } = await sql<{ host: string; port: number; queues: number }>`
    select n.nodename as host, n.nodeport as port, count(q.id) as queues
    from pg_dist_node as n left join pg_dist_placement as p on p.groupid = n.groupid
      and p.shardid in (select shardid from pg_dist_shard where logicalrelid = 'queue_state'::regclass)
    left join (select id, get_shard_id_for_distribution_column('queue_state', id) as shardid from queue) as q
      on q.shardid = p.shardid
    where n.groupid <> 0 and n.noderole = 'primary' group by 1, 2 order by 1, 2`.execute(query);
  const answers = await sql<{ host: string; port: number; up: boolean }>`
    select nodename as host, nodeport as port, success as up from run_command_on_workers('select 1')`.execute(
    query,
  );
  return rows.map(({ host, port, queues }) => ({
    name: `${host}:${port}`,
    queues: Number(queues),
    isUp: answers.rows.some((answer) => answer.host === host && answer.port === port && answer.up),
  }));
}
