import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

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
