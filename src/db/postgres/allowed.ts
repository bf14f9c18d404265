import { type Kysely, sql } from 'kysely';
import type { TableName, Tables } from '../tables.ts';

const PRIVILEGES = ['select', 'insert', 'update', 'delete'];

/** A server without one of them cannot take signups. */
export const OF_A_SIGNUP: readonly TableName[] = [
  'queue_state',
  'entry',
  'metadata_pair',
  'rank_count',
  'queue_stat',
  'queue_histogram',
  'event',
  'event_subject',
  'delivery',
];

/** SQL for the user, and for those of the tables that it may not read and write, or null. */
export function selectDenied(tables: readonly string[]): string {
  const names = tables.map((name) => `'${name}'`).join(', ');
  const isDenied = PRIVILEGES.map((each) => `not has_table_privilege(to_regclass(name), '${each}')`);
  return `select current_user::text as "user", string_agg(name, ', ' order by name) as denied
    from unnest(array[${names}]) as t (name) where ${isDenied.join(' or ')}`;
}

/** Returns undefined if nothing is denied. */
export function grantsMissing(row: Record<string, unknown> | undefined): string | undefined {
  if (!row?.denied) return undefined;
  return `user "${row.user}" may not use ${row.denied}: grant it ${inWords(PRIVILEGES)} on all tables of Doorlist`;
}

/** The least of what the server, the database and the role allow. */
export async function readConnectionLimit(query: Kysely<Tables>): Promise<number | null> {
  const { rows } = await sql<{ most: number | null }>`select least(
    current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint
      - coalesce(nullif(current_setting('reserved_connections', true), '')::bigint, 0),
    (select nullif(datconnlimit, -1) from pg_database where datname = current_database()),
    (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user)) as most`
    .execute(query)
    .catch(() => ({ rows: [] })); // Another engine, or a role that may not read this: then it is not known.
  return rows[0]?.most ?? null;
}

function inWords(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
