import { sql } from 'kysely';
import { statement } from '../../db/statement.ts';
import { hashKey } from '../people/hash-key.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { isOthers } from './counted-value.ts';
import { byFrequency, type KeyStatistics, openLabel, readChosenKeys } from './read-values.ts';

/** A count of fewer people could tell something about one of them. */
const FEW_PEOPLE = 5;

const DAY_MS = 24 * 60 * 60 * 1000;
const WEEK_MS = 7 * DAY_MS;
/** From the first Monday before 1970 on, so that weeks start on Mondays. */
const FIRST_MONDAY = -3 * DAY_MS;
const WEEKS_PER_BLOCK = 4;

type Range = { queueId: number; from: number; to: number };

interface WeekRow {
  key: string;
  week: number;
  /** Signups on days with at least five of them. */
  many: number;
  /** Signups on the other days. */
  few: number;
}

interface ValueWeekRow extends WeekRow {
  pair_hash: Uint8Array;
  label: Uint8Array | null;
}

/** The engines differ in how they divide. Days are whole numbers, so a cast of both sides settles it. */
const week = sql<number>`(cast(c.day as bigint) + ${sql.lit(-FIRST_MONDAY)}) / ${sql.lit(WEEK_MS)}`;
const sumIf = (condition: '>=' | '<') =>
  sql<number>`cast(sum(case when c.signups ${sql.raw(condition)} ${sql.lit(FEW_PEOPLE)} then c.signups else 0 end) as bigint)`;

const readByValue = statement<Range, ValueWeekRow>((db, parameter) =>
  db.query
    .selectFrom('metadata_count as c')
    .leftJoin('metadata_value as v', (join) =>
      join
        .onRef('v.queue_id', '=', 'c.queue_id')
        .onRef('v.key', '=', 'c.key')
        .onRef('v.pair_hash', '=', 'c.pair_hash'),
    )
    .select(['c.key', 'c.pair_hash', 'v.label', week.as('week')])
    .select([sumIf('>=').as('many'), sumIf('<').as('few')])
    .where('c.queue_id', '=', parameter('queueId'))
    .where('c.day', '>=', parameter('from'))
    .where('c.day', '<', parameter('to'))
    .groupBy(['c.key', 'c.pair_hash', 'v.label', week]),
);

const readByKey = statement<Range, WeekRow>((db, parameter) =>
  db.query
    .selectFrom((days) =>
      days
        .selectFrom('metadata_count')
        .select(['key', 'day', sql<number>`cast(sum(signups) as bigint)`.as('signups')])
        .where('queue_id', '=', parameter('queueId'))
        .where('day', '>=', parameter('from'))
        .where('day', '<', parameter('to'))
        .groupBy(['key', 'day'])
        .as('c'),
    )
    .select(['c.key', week.as('week'), sumIf('>=').as('many'), sumIf('<').as('few')])
    .groupBy(['c.key', week]),
);

/**
 * As `readValues`, for people who may not learn anything about one person. People are counted in groups of at
 * least five: those of a day, or else of a week, or else of four weeks. The groups do not depend on the period,
 * so the difference between two periods is never about fewer people either.
 */
export async function readCommonValues(
  context: Context,
  queue: Queue,
  { from, to }: { from: number; to: number },
  now: number,
): Promise<KeyStatistics[]> {
  const { db } = context;
  const range = { queueId: queue.id, from, to };
  const [keys, byValue, byKey] = await Promise.all([
    readChosenKeys(context, queue),
    db.run(readByValue, range),
    db.run(readByKey, range),
  ]);
  const isWhole = (first: number, weeks: number) => {
    const start = first * WEEK_MS + FIRST_MONDAY;
    return start >= from && (to > now || start + weeks * WEEK_MS <= to);
  };
  return keys.map((key) => {
    const found: KeyStatistics = { key, values: [], other: 0 };
    const ofValues = Map.groupBy(
      byValue.filter((row) => row.key === key && !isOthers(row.pair_hash)),
      ({ pair_hash }) => hashKey(pair_hash),
    );
    for (const rows of ofValues.values()) {
      const value = openLabel(queue, rows[0] as ValueWeekRow);
      const signups = countGroups(rows, isWhole);
      if (value !== undefined && signups > 0) found.values.push({ value, signups });
    }
    found.values.sort(byFrequency);
    const shown = found.values.reduce((sum, { signups }) => sum + signups, 0);
    const everyone = countGroups(
      byKey.filter((row) => row.key === key),
      isWhole,
    );
    found.other = Math.max(0, everyone - shown);
    return found;
  });
}

function countGroups(
  rows: readonly WeekRow[],
  isWhole: (firstWeek: number, weeks: number) => boolean,
): number {
  let count = 0;
  const left = new Map<number, number>();
  for (const { week, many, few } of rows) {
    count += many;
    const block = Math.floor(week / WEEKS_PER_BLOCK);
    if (few >= FEW_PEOPLE && isWhole(week, 1)) count += few;
    else if (few < FEW_PEOPLE) left.set(block, (left.get(block) ?? 0) + few);
  }
  for (const [block, few] of left)
    if (few >= FEW_PEOPLE && isWhole(block * WEEKS_PER_BLOCK, WEEKS_PER_BLOCK)) count += few;
  return count;
}
