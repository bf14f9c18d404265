import type { TableName } from '../tables.ts';

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

function inWords(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
