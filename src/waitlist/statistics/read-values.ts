import { sql } from 'kysely';
import { statement } from '../../db/statement.ts';
import { compareText } from '../../lib/compare-text.ts';
import { ifReadable } from '../../vault/crypto.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { CountableValue } from './counted-value.ts';
import { readableMetadataKeys } from './metadata-keys.ts';

export interface KeyStatistics {
  key: string;
  /** Most frequent first. */
  values: { value: CountableValue; signups: number }[];
  /** Signups with any other value. */
  other: number;
}

interface ValueRow {
  key: string;
  pair_hash: Uint8Array;
  label: Uint8Array | null;
  signups: number;
}

const readWaitlist = statement<{ waitlistId: number }, { metadata_keys: string }>((db, parameter) =>
  db.query.selectFrom('waitlist').select('metadata_keys').where('id', '=', parameter('waitlistId')),
);

const readCounts = statement<{ queueId: number; from: number; to: number }, ValueRow>((db, parameter) =>
  db.query
    .selectFrom('metadata_count as c')
    .leftJoin('metadata_value as v', (join) =>
      join
        .onRef('v.queue_id', '=', 'c.queue_id')
        .onRef('v.key', '=', 'c.key')
        .onRef('v.pair_hash', '=', 'c.pair_hash'),
    )
    .select(['c.key', 'c.pair_hash', 'v.label', sql<number>`cast(sum(c.signups) as bigint)`.as('signups')])
    .where('c.queue_id', '=', parameter('queueId'))
    .where('c.day', '>=', parameter('from'))
    .where('c.day', '<', parameter('to'))
    .groupBy(['c.key', 'c.pair_hash', 'v.label']),
);

/** Values of the chosen metadata keys, of those who joined on days that begin in the period, in UTC. */
export async function readValues(
  context: Context,
  queue: Queue,
  { from, to }: { from: number; to: number },
): Promise<KeyStatistics[]> {
  const [keys, rows] = await Promise.all([
    readChosenKeys(context, queue),
    context.db.run(readCounts, { queueId: queue.id, from, to }),
  ]);
  return keys.map((key) => {
    const found: KeyStatistics = { key, values: [], other: 0 };
    for (const row of rows.filter((each) => each.key === key && each.signups !== 0)) {
      const value = openLabel(queue, row);
      if (value === undefined) found.other += row.signups;
      else found.values.push({ value, signups: row.signups });
    }
    found.values.sort(byFrequency);
    return found;
  });
}

async function readChosenKeys({ db }: Context, queue: Queue): Promise<string[]> {
  const [waitlist] = await db.run(readWaitlist, { waitlistId: queue.waitlist.internalId });
  return waitlist ? readableMetadataKeys(waitlist) : [];
}

type CountOfValue = KeyStatistics['values'][number];

function byFrequency(a: CountOfValue, b: CountOfValue): number {
  return b.signups - a.signups || compareText(JSON.stringify(a.value), JSON.stringify(b.value));
}

function openLabel(
  { vault }: Queue,
  { label, pair_hash }: Pick<ValueRow, 'label' | 'pair_hash'>,
): CountableValue | undefined {
  return label ? ifReadable(() => vault.open<CountableValue>('metadata.label', pair_hash, label)) : undefined;
}
