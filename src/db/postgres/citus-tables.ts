import { type Kysely, sql } from 'kysely';
import { COPIED_TABLES, TABLE_KEYS } from '../table-keys.ts';
import type { Tables } from '../tables.ts';

type Executor = Kysely<Tables>;

/** Every node has the directory: which queues there are, of which waitlists. */
export const REFERENCE_TABLES = ['environment', 'waitlist', 'queue'] as const;
/** The state of a queue comes first, and the others are where it is. */
export const TABLES_OF_QUEUES = COPIED_TABLES.filter((table) => TABLE_KEYS[table][0] === 'queue_id').toSorted(
  (a, b) => Number(b === 'queue_state') - Number(a === 'queue_state'),
);

/** What belongs to the installation, such as mails to operators, is kept under this id. */
export const NO_QUEUE = 0;

export async function hasCitus(query: Executor): Promise<boolean> {
  const { rows } = await sql`select from pg_extension where extname = 'citus'`.execute(query);
  return rows.length > 0;
}

/** Those that Citus knows, as reference tables or by queue. */
export async function citusTables(query: Executor): Promise<ReadonlySet<string>> {
  if (!(await hasCitus(query))) return new Set();
  const { rows } = await sql<{ name: string }>`select c.relname as name
    from pg_dist_partition as p join pg_class as c on c.oid = p.logicalrelid
    where c.relnamespace = current_schema()::regnamespace
      and (p.partmethod = 'h' or p.partmethod = 'n' and p.repmodel = 't')`.execute(query);
  return new Set(rows.map(({ name }) => name));
}

/** Whether `distribute` has run. */
export async function isDistributed(query: Executor): Promise<boolean> {
  return (await citusTables(query)).has('queue_state');
}
