import { CompiledQuery } from 'kysely';
import type { Trx } from '../database.ts';
import { TABLES, type TableName } from '../tables.ts';
import { citusTables } from './citus-tables.ts';

/** The setting in which a session tells which schema version it knows. */
export const KNOWN_SCHEMA = 'doorlist.schema';
/** In a class that every release reports as "the database is unavailable": callers get a 503. */
export const SUPERSEDED_STATE = '57D01';

/** Only written in transactions that also write to the queue, to a delivery or to a job. */
const WRITTEN_ALONG: ReadonlySet<TableName> = new Set([
  'entry',
  'rank_count',
  'metadata_pair',
  'queue_stat',
  'queue_histogram',
  'metadata_key',
  'metadata_value',
  'metadata_count',
  'import_code',
  'import_link',
  'referral_alias',
  'operator_confirmation',
  'entry_decision',
  'entry_rule',
  'invite',
  'event',
  'event_subject',
  'delivery_attempt',
  'delivery_stat',
  'referral_source',
  'referral_review',
  'erasure_request',
  'code',
  'code_use',
]);

/** The state of queues comes first, as in the transactions that write to it, so that none waits in a circle. */
const GATED: readonly string[] = [
  'queue_state',
  ...(Object.keys(TABLES) as TableName[]).filter(
    (table) => table !== 'queue_state' && !WRITTEN_ALONG.has(table),
  ),
  'schema_version',
];

/**
 * Statement triggers refuse sessions that know only earlier versions. Those that do not say so are recognized by
 * their application name; an operator with `psql` is not refused. Creating a trigger waits
 * for the transactions that write to its table, and the next ones already meet it.
 */
export async function closeToEarlier(trx: Trx, version: number): Promise<void> {
  const known = `nullif(current_setting('${KNOWN_SCHEMA}', true), '')`;
  await run(
    trx,
    `create or replace function doorlist_schema_gate() returns trigger language plpgsql as $gate$
    begin
      if ${known}::bigint >= ${version} then return null; end if;
      if ${known} is null and current_setting('application_name') not like 'doorlist%' then return null; end if;
      raise exception using errcode = '${SUPERSEDED_STATE}', message =
        'a newer release of Doorlist has updated this database to schema version ${version}: stop this server and start the newer release';
    end $gate$`,
  );
  const { rows } = await trx.executeQuery<{ name: string }>(
    CompiledQuery.raw(
      'select table_name as name from information_schema.tables where table_schema = current_schema()',
    ),
  );
  const existing = new Set(rows.map(({ name }) => name));
  // Citus has no triggers on what it spreads.
  for (const table of await citusTables(trx)) existing.delete(table);
  for (const table of GATED.filter((name) => existing.has(name)))
    await run(
      trx,
      `create or replace trigger doorlist_schema_gate before insert or update or delete on ${table}
      for each statement execute function doorlist_schema_gate()`,
    );
}

async function run(trx: Trx, statement: string): Promise<void> {
  await trx.executeQuery(CompiledQuery.raw(statement));
}
