import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { DatabaseUnavailable } from '../database.ts';
import type { TableName, Tables } from '../tables.ts';
import { rethrow } from './errors.ts';
import type { Pool } from './pool.ts';
import type { Session } from './session.ts';
import { setLocal } from './settings.ts';
import { inTransaction, repeatRolledBack, runAlone } from './transaction.ts';

/**
 * An ordinary write, which fails on a read-only server, and whose commit waits for the disk. In one statement, so that
 * a process that hangs holds no lock. As a query, so that nobody takes it for a change.
 */
const WRITE = `with touched as (update schema_version set version = version returning version)
  select count(*) from touched`;

/** Exceeds its memory limit and spills to a file next to the tables, which fails on a full disk. */
const SPILL = 'select count(*) from generate_series(1, 10000)';
const LITTLE_MEMORY = { work_mem: '64kB', temp_tablespaces: '' };

const PRIVILEGES = ['select', 'insert', 'update', 'delete'];

/** A server without one of them cannot take signups. */
const OF_A_SIGNUP: readonly TableName[] = [
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

/** The write shows only that one table can be used. */
const GRANTS = selectDenied(OF_A_SIGNUP);

/** A server that does not know what the spill or the question about grants needs. */
const UNSUPPORTED_STATE = /^(0A|42)/;

/** Changes nothing, and fails on everything that a signup could fail on. */
export function createProbe(pool: Pool): () => Promise<void> {
  let canLook = true;
  const look = async (_: unknown, session: Session) => {
    const { rows } = await session.run({ text: GRANTS });
    const missing = grantsMissing(rows[0]);
    if (missing !== undefined) throw new DatabaseUnavailable(missing);
    await session.run(setLocal(LITTLE_MEMORY, pool.refusedSettings));
    await session.run({ text: SPILL });
  };
  return async () => {
    await repeatRolledBack(() => runAlone(pool, { text: WRITE }));
    if (!canLook) return;
    await inTransaction(pool, look).catch((error: Error) => {
      canLook = !(error instanceof pg.DatabaseError && UNSUPPORTED_STATE.test(error.code ?? ''));
      if (canLook) rethrow(error);
    });
  };
}

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
