import { sql } from 'kysely';
import { invalid, unavailable } from '../../lib/errors.ts';
import type { Distribution } from '../cluster.ts';
import type { Trx } from '../database.ts';
import type { TableName } from '../tables.ts';
import { citusTables, hasCitus, NO_QUEUE, REFERENCE_TABLES, TABLES_OF_QUEUES } from './citus-tables.ts';
import { LISTENER } from './listen.ts';

/**
 * Makes the directory a reference table and spreads everything else that belongs to queues, with its data. What is
 * done already is left alone, so it can run again, also after a migration that created tables.
 */
export async function distributeTables(trx: Trx, shards?: number): Promise<Distribution> {
  await refuseUnprepared(trx);
  const known = await citusTables(trx);
  const copied = REFERENCE_TABLES.filter((table) => !known.has(table));
  const spread = TABLES_OF_QUEUES.filter((table) => !known.has(table));
  if (!known.has('queue_state')) await refuseBesideServers(trx); // Later, only new tables follow.
  if (shards !== undefined) await sql`set local citus.shard_count = ${sql.lit(shards)}`.execute(trx);
  // Tables with references to each other can only be worked on one shard after the other.
  await sql`set local citus.multi_shard_modify_mode = 'sequential'`.execute(trx);
  const dropped: string[] = [];
  for (const table of [...copied, ...spread]) dropped.push(...(await dropReferences(trx, table)));
  for (const table of [...copied, ...spread])
    await sql`drop trigger if exists doorlist_schema_gate on ${sql.table(table)}`.execute(trx);
  for (const table of copied) await sql`select create_reference_table(${sql.lit(table)})`.execute(trx);
  for (const table of spread) {
    dropped.push(...(await replaceUnique(trx, table)));
    const beside = table === 'queue_state' ? 'none' : 'queue_state';
    await sql`select create_distributed_table(${sql.lit(table)}, 'queue_id', colocate_with => ${sql.lit(beside)})`.execute(
      trx,
    );
  }
  for (const table of [...copied, ...spread])
    await sql`select truncate_local_data_after_distributing_table(${sql.lit(table)})`.execute(trx);
  await sql`insert into queue_state (queue_id) values (${sql.lit(NO_QUEUE)}) on conflict do nothing`.execute(
    trx,
  );
  return { copied, spread, dropped };
}

/** A server that began with tables in one place writes statements that fail on spread ones. */
export async function refuseBesideServers(trx: Trx): Promise<void> {
  const { rows } = await sql<{ client: string; count: number }>`
    select coalesce(host(client_addr), 'a local socket') as client, count(*) as count from pg_stat_activity
    where datname = current_database() and application_name in ('doorlist', ${sql.lit(LISTENER)})
      and pid <> pg_backend_pid() group by 1 order by 1`.execute(trx);
  if (rows.length === 0) return;
  const named = rows.map(
    ({ client, count }) => `${client} (${count} ${Number(count) === 1 ? 'connection' : 'connections'})`,
  );
  throw unavailable(
    `Doorlist is still connected to this database, from ${named.join(' and ')}: stop all servers, then run this again`,
  );
}

async function refuseUnprepared(trx: Trx): Promise<void> {
  if (!(await hasCitus(trx)))
    throw invalid(
      'this PostgreSQL has no Citus: run `create extension citus` in the database, on the coordinator and on each worker',
    );
  const { rows } = await sql<{ coordinators: number; workers: number }>`select
    count(*) filter (where groupid = 0) as coordinators,
    count(*) filter (where groupid <> 0 and shouldhaveshards) as workers from pg_dist_node`.execute(trx);
  const { coordinators = 0, workers = 0 } = rows[0] ?? {};
  if (coordinators === 0)
    throw invalid(
      `this is not the coordinator, or it has no name yet: run \`select citus_set_coordinator_host('HOST', PORT)\` on the coordinator`,
    );
  if (workers === 0)
    throw invalid(
      `Citus has no workers: add each with \`select citus_add_node('HOST', PORT)\` on the coordinator`,
    );
}

/** A reference to another table would make each write of it a question to all nodes. */
async function dropReferences(trx: Trx, table: TableName): Promise<string[]> {
  const { rows } = await sql<{
    name: string;
    owner: string;
  }>`select conname as name, conrelid::regclass::text as owner
    from pg_constraint where contype = 'f' and ${sql.lit(table)}::regclass in (conrelid, confrelid)`.execute(
    trx,
  );
  for (const { name, owner } of rows)
    await sql`alter table ${sql.table(owner)} drop constraint ${sql.ref(name)}`.execute(trx);
  return rows.map(({ name }) => name);
}

/** A shard can only keep apart what is in it. The ids and keys are random, so an index to find them by is enough. */
async function replaceUnique(trx: Trx, table: TableName): Promise<string[]> {
  const { rows } = await sql<{ name: string; columns: string; constraint: boolean }>`
    select c.relname as name, pg_get_indexdef(i.indexrelid) as definition,
      (select string_agg(a.attname, ', ' order by k.place) from unnest(i.indkey) with ordinality as k (number, place)
        join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = k.number) as columns,
      exists (select from pg_constraint where conindid = i.indexrelid) as constraint
    from pg_index as i join pg_class as c on c.oid = i.indexrelid
    where i.indrelid = ${sql.lit(table)}::regclass and i.indisunique and not exists (
      select from pg_attribute as a where a.attrelid = i.indrelid and a.attnum = any(i.indkey) and a.attname = 'queue_id'
    )`.execute(trx);
  for (const { name, columns, constraint } of rows) {
    if (constraint) await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(trx);
    else await sql`drop index ${sql.ref(name)}`.execute(trx);
    await sql`create index ${sql.ref(name)} on ${sql.table(table)} (${sql.raw(columns)})`.execute(trx);
  }
  return rows.map(({ name }) => name);
}
