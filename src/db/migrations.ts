import type { Column } from './column.ts';
import type { Migration } from './schema/schema.ts';
import { TABLES } from './tables.ts';

/** What versions do besides adding the columns that `tables.ts` says are added. */
const OTHERS: readonly Migration[] = [
  {
    version: 42,
    name: 'erasure_request',
    statements: [
      `create table erasure_request (
        queue_id bigint not null references queue (id),
        id bytes not null,
        seq bigint not null,
        reason bytes,
        asked_by text,
        created_at bigint not null,
        decision text check (decision in ('confirmed', 'refused')),
        decided_by text,
        decided_at bigint,
        primary key (queue_id, id)
      ) clustered`,
      'create index erasure_request_entry on erasure_request (queue_id, seq)',
      'create index erasure_request_open on erasure_request (queue_id, id) where decided_at is null',
    ],
  },
  {
    version: 42,
    name: 'entry.status declined',
    statements: [
      "alter table entry widen status ('pending', 'waiting', 'invited', 'joined', 'removed') by ('declined')",
      `create table entry_decision (
        queue_id bigint not null,
        seq bigint not null,
        id bytes not null,
        decision text not null,
        note bytes,
        decided_by text,
        decided_at bigint not null,
        primary key (queue_id, seq, id)
      ) clustered`,
      `create table entry_rule (
        queue_id bigint not null references queue (id),
        id bytes not null,
        conditions bytes not null,
        outcome text not null,
        created_at bigint not null,
        primary key (queue_id, id)
      ) clustered`,
    ],
  },
  {
    version: 42,
    name: 'code',
    statements: [
      `create table code (
        queue_id bigint not null references queue (id),
        id bytes not null,
        code_hash bytes not null,
        sealed bytes not null,
        does text not null check (does in ('admit', 'advance')),
        places bigint check ((does = 'advance') = (places is not null)),
        most bigint not null,
        used bigint not null check (used between 0 and most),
        expires_at bigint,
        created_at bigint not null,
        deleted_at bigint,
        primary key (queue_id, id)
      ) clustered`,
      'create unique index code_text on code (code_hash)',
      `create table code_use (
        queue_id bigint not null references queue (id),
        code_id bytes not null,
        seq bigint not null,
        used_at bigint not null,
        returned_at bigint,
        primary key (queue_id, code_id, seq)
      ) clustered`,
      'create index code_use_entry on code_use (queue_id, seq)',
    ],
  },
];

/** Since version 40, each with the next version. */
export const MIGRATIONS: readonly Migration[] = inOrder([...addedColumns(), ...OTHERS]);

function addedColumns(): Migration[] {
  return Object.entries<Record<string, Column<unknown>>>(TABLES).flatMap(([table, columns]) =>
    Object.entries(columns).flatMap(([name, { type, added }]) => {
      if (!added) return [];
      const { version, initial } = added;
      const value = typeof initial === 'string' ? `'${initial.replaceAll("'", "''")}'` : initial;
      const rule = initial === undefined ? '' : ` not null default ${value}`;
      const statement = `alter table ${table} add column ${name} ${type}${rule}`;
      return [{ version, name: `${table}.${name}`, statements: [statement] }];
    }),
  );
}

/** Those of one version are one step. */
function inOrder(migrations: readonly Migration[]): Migration[] {
  const steps = [...Map.groupBy(migrations, ({ version }) => version)].map(([version, parts]) => ({
    version,
    name: parts.map(({ name }) => name).join(', '),
    statements: parts.flatMap(({ statements }) => statements),
  }));
  return steps.sort((one, other) => one.version - other.version);
}
