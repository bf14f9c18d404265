import type { Column } from './column.ts';
import type { Migration } from './schema/schema.ts';
import { TABLES } from './tables.ts';

/** What versions do besides adding the columns that `tables.ts` says are added. */
const OTHERS: readonly Migration[] = [];

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
