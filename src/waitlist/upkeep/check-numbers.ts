import { sql } from 'kysely';
import type { Column } from '../../db/column.ts';
import { TABLES, type TableName } from '../../db/tables.ts';
import type { Context } from '../queue/context.ts';
import { damagedSettings } from '../queue/setting-ranges.ts';
import type { Finding } from './health.ts';

/** Numbers that cannot be right. What they belong to still works, as far as it can. */
export async function checkNumbers(context: Context): Promise<Finding> {
  const damaged = [...(await outOfRange(context)), ...(await settingsOutOfRange(context))];
  return {
    what: 'numbers',
    ok: damaged.length === 0,
    detail: damaged.length === 0 ? 'all within their range' : damaged.join('; '),
  };
}

/** Beyond what can be read exactly. Reads every table once. */
async function outOfRange({ db }: Context): Promise<string[]> {
  const found: string[] = [];
  for (const [table, columns] of Object.entries(TABLES) as [TableName, Record<string, Column<unknown>>][]) {
    const names = Object.keys(columns).filter((name) => columns[name]?.type === 'bigint');
    if (names.length === 0) continue;
    const counts = names.map((name) => {
      const column = sql.ref(name);
      const isOutside = sql`${column} not between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`;
      return sql`sum(case when ${isOutside} then 1 else 0 end) as ${column}`;
    });
    const { rows } = await sql<Record<string, number | string | null>>`
      select ${sql.join(counts)} from ${sql.table(table)}`.execute(db.unlimited.query);
    for (const [name, count] of Object.entries(rows[0] ?? {}))
      if (Number(count ?? 0) > 0)
        found.push(`${table}.${name}: ${count} beyond the range of exact whole numbers`);
  }
  return found;
}

async function settingsOutOfRange({ db }: Context): Promise<string[]> {
  const rows = await db.query
    .selectFrom('waitlist')
    .select(['public_id', 'referral_cap', 'invite_expiry_ms', 'invite_reminder_ms'])
    .where('deleted_at', 'is', null)
    .execute();
  return rows.flatMap((row) =>
    damagedSettings(row).map(
      (name) => `${row.public_id}: ${name} is out of range, so its default applies: set it again`,
    ),
  );
}
