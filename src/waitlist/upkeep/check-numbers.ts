import { sql } from 'kysely';
import type { Column } from '../../db/column.ts';
import type { Trx } from '../../db/database.ts';
import { TABLES, type TableName } from '../../db/tables.ts';
import { columnsOf } from '../../lib/setting.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { INVITE_REMINDER, WAITLIST_SETTINGS } from '../queue/waitlist-settings.ts';
import { openHole } from '../referrals/close-places.ts';
import { rerank } from '../referrals/rerank.ts';
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

const SETTINGS = { ...WAITLIST_SETTINGS, inviteReminderMs: INVITE_REMINDER };
const NUMBERS = Object.entries(SETTINGS).filter(([, { schema }]) => [schema.type].flat().includes('integer'));

async function settingsOutOfRange({ db }: Context): Promise<string[]> {
  const rows = await db.query
    .selectFrom('waitlist')
    .select(['public_id', ...columnsOf(SETTINGS)])
    .where('deleted_at', 'is', null)
    .execute();
  return rows.flatMap((row) =>
    NUMBERS.filter(([, { column, read }]) => read(row[column] as never) === undefined).map(
      ([name]) => `${row.public_id}: ${name} is out of range, so its default applies: set it again`,
    ),
  );
}

interface Misplaced {
  /** Entries whose place counts more or fewer than joined before them. */
  entries: number;
  /** How much further behind than the last entry the next one would be placed, beyond one place. */
  ahead: number;
  /** Entries before which more places were opened than before those who joined later. */
  opened: number;
}

/** Nobody while places are being closed up. `trx` shows one moment: in two statements, so that people are read once. */
async function findMisplaced(trx: Trx, queue: Queue): Promise<Misplaced> {
  const state = await trx
    .selectFrom('queue_state')
    .select(['close_after', 'last_seq', 'closed', 'opened'])
    .where('queue_id', '=', queue.id)
    .executeTakeFirst();
  if (!state) return { entries: 0, ahead: 0, opened: 0 };
  const { rows } = await sql<{ total: number; highest: number; closed: number; opened: number }>`
    select count(*) as total, coalesce(max(seq), 0) as highest,
      count(case when closed <> seq - nth then 1 end) as closed,
      count(case when opened < least_opened or opened > ${state.opened} then 1 end) as opened
    from (
      select seq, closed, opened, row_number() over (order by seq) as nth,
        coalesce(max(opened) over (order by seq rows between unbounded preceding and 1 preceding), 0) as least_opened
      from entry where queue_id = ${queue.id}
    ) as numbered`.execute(trx);
  const { total, highest, closed, opened } = rows[0] as (typeof rows)[number];
  if (state.close_after !== null) return { entries: 0, ahead: 0, opened };
  return { entries: closed, ahead: Math.max(highest, state.last_seq) - state.closed - total, opened };
}

export async function comparePlaces(trx: Trx, queue: Queue): Promise<string[]> {
  const { entries, ahead, opened } = await findMisplaced(trx, queue);
  const findings: string[] = [];
  if (entries > 0)
    findings.push(`places: ${entries} entries have another place than those who joined before them give`);
  if (ahead !== 0) findings.push(`places: the next place is off by ${ahead}`);
  if (opened > 0) findings.push(`places: ${opened} entries count places opened after they joined`);
  return findings;
}

/** In steps, while signups continue. */
export async function repairPlaces(context: Context, queue: Queue): Promise<void> {
  await changeQueue(context, queue, async (change) => {
    await sql`update entry set opened = r.opened from (
        select seq, max(case when opened > ${change.places.opened} or opened < 0 then 0 else opened end)
          over (order by seq rows unbounded preceding) as opened
        from entry where queue_id = ${queue.id}
      ) as r where entry.queue_id = ${queue.id} and entry.seq = r.seq and entry.opened <> r.opened`.execute(
      change.trx,
    );
    const { highest } = await change.trx
      .selectFrom('entry')
      .select((e) => e.fn.max<number | null>('seq').as('highest'))
      .where('queue_id', '=', queue.id)
      .executeTakeFirstOrThrow();
    change.lastSeq = Math.max(change.lastSeq, highest ?? 0);
    await openHole(change, 1);
  });
  await rerank(context, queue);
}
