import type { Trx } from '../../db/database.ts';
import { bytesKey } from '../../lib/ids.ts';
import { utcDay } from '../../lib/time.ts';
import { ifReadable } from '../../vault/crypto.ts';
import type { QueueVault } from '../../vault/vault.ts';
import { type Metadata, metadataPairs, type Person } from '../people/person.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';

/** Entries per transaction: a few milliseconds, so that signups do not wait long. */
const CHUNK = 500;
/** Values of a key that are counted by themselves. Later ones count among the others. */
const VALUES_COUNTED_MAX = 200;

/** Queues with entries whose values have not been counted. */
export async function findUncounted({ db }: Context, limit: number): Promise<number[]> {
  const rows = await db.query
    .selectFrom('metadata_key as k')
    .innerJoin('queue_state as q', 'q.queue_id', 'k.queue_id')
    .select('k.queue_id')
    .distinct()
    .whereRef('k.counted_seq', '<', 'q.last_seq')
    .where((e) => db.reachable(e.ref('q.queue_id')))
    .limit(limit)
    .execute();
  return rows.map(({ queue_id }) => queue_id);
}

/**
 * Counts the values of chosen metadata keys, in steps. It runs behind the signups, so that they cost the same
 * with it, and entries from before a key was chosen are counted in the same way.
 */
export async function countValues(context: Context, queue: Queue): Promise<void> {
  while (await changeQueue(context, queue, countStep));
}

async function countStep(change: QueueChange): Promise<boolean> {
  const { trx, queue, lastSeq } = change;
  const keys = await readKeys(trx, queue);
  const from = Math.min(...keys.map(({ counted_seq }) => counted_seq));
  if (from >= lastSeq) return false; // Also if there are no keys.
  const behind = keys.filter(({ counted_seq }) => counted_seq === from).map(({ key }) => key);
  const others = keys.map(({ counted_seq }) => counted_seq).filter((seq) => seq > from);
  const upTo = Math.min(from + CHUNK, lastSeq, ...others);
  const people = await readPeople(change, from, upTo);
  const labels = await openLabels(change, behind);
  const counts = new ValueCounts();
  for (const { createdAt, metadata } of people) {
    for (const key of behind) {
      const value = countedValueOf(queue.vault, metadata, key);
      if (value) counts.add(key, utcDay(createdAt), labels.hashFor(key, value), 1);
    }
  }
  labels.write();
  trx.insert('metadata_count', counts.rows(queue.id), { onConflict: { add: ['signups'] } });
  const rows = behind.map((key) => ({ queue_id: queue.id, key, counted_seq: upTo }));
  trx.update('metadata_key', { key: ['queue_id', 'key'] }, rows);
  return true;
}

export function readKeys(trx: Trx, queue: Queue): Promise<{ key: string; counted_seq: number }[]> {
  return trx
    .selectFrom('metadata_key')
    .select(['key', 'counted_seq'])
    .where('queue_id', '=', queue.id)
    .execute();
}

interface CountedPerson {
  seq: number;
  createdAt: number;
  metadata: Metadata | null;
}

/** Leaves out those who were removed, and those who cannot be read. */
export async function readPeople(
  { trx, queue }: Pick<QueueChange, 'trx' | 'queue'>,
  after: number,
  upTo: number,
): Promise<CountedPerson[]> {
  const rows = await trx
    .selectFrom('entry')
    .select(['seq', 'id', 'person', 'created_at'])
    .where('queue_id', '=', queue.id)
    .where('seq', '>', after)
    .where('seq', '<=', upTo)
    .where('person', 'is not', null)
    .execute();
  return rows.flatMap(({ seq, id, person: sealed, created_at }) => {
    const person = ifReadable(() => queue.vault.open<Person>('entry.person', id, sealed as Uint8Array));
    return person ? { seq, createdAt: created_at, metadata: person.metadata } : [];
  });
}

interface Labels {
  /** The hash to count a value under. The first values of a key get one of their own. */
  hashFor(key: string, value: CountedValue): Uint8Array;
  isCounted(key: string, value: CountedValue): boolean;
  write(): void;
}

export async function openLabels({ trx, queue }: QueueChange, keys: readonly string[]): Promise<Labels> {
  const known = new Map(keys.map((key) => [key, new Set<string>()]));
  const rows = await trx
    .selectFrom('metadata_value')
    .select(['key', 'pair_hash'])
    .where('queue_id', '=', queue.id)
    .execute();
  for (const { key, pair_hash } of rows) known.get(key)?.add(bytesKey(pair_hash));
  const added: { queue_id: number; key: string; pair_hash: Uint8Array; label: Uint8Array }[] = [];
  return {
    hashFor: (key, { value, pairHash, isShort }) => {
      const values = known.get(key);
      if (!values || !isShort) return OTHERS;
      const name = bytesKey(pairHash);
      if (values.has(name)) return pairHash;
      if (values.size >= VALUES_COUNTED_MAX) return OTHERS;
      values.add(name);
      const label = queue.vault.seal('metadata.label', pairHash, value);
      added.push({ queue_id: queue.id, key, pair_hash: pairHash, label });
      return pairHash;
    },
    isCounted: (key, { pairHash }) => known.get(key)?.has(bytesKey(pairHash)) ?? false,
    write: () => trx.insert('metadata_value', added),
  };
}

/** Longer texts are hardly categories. They count among the others. */
const VALUE_CHARACTERS_MAX = 100;

/** Stands for all values that are not counted by themselves. */
export const OTHERS: Uint8Array = new Uint8Array();

export type CountableValue = string | number | boolean;

interface CountedValue {
  value: CountableValue;
  pairHash: Buffer;
  /** Whether it can be counted by itself. */
  isShort: boolean;
}

/** The value of a key, or undefined if there is none to count. */
export function countedValueOf(
  vault: QueueVault,
  metadata: Metadata | null,
  key: string,
): CountedValue | undefined {
  if (!metadata || !Object.hasOwn(metadata, key)) return undefined;
  const value = metadata[key];
  const [pairHash] = metadataPairs(vault, { [key]: value });
  if (!pairHash) return undefined;
  const isShort = typeof value !== 'string' || value.length <= VALUE_CHARACTERS_MAX;
  return { value: value as CountableValue, pairHash, isShort };
}

/** Collects rows of `metadata_count`, so that each is written once. */
export class ValueCounts {
  readonly #counts = new Map<string, { key: string; day: number; pair_hash: Uint8Array; signups: number }>();

  add(key: string, day: number, pairHash: Uint8Array, signups: number): void {
    const name = `${day} ${bytesKey(pairHash)} ${key}`;
    const found = this.#counts.get(name);
    if (found) found.signups += signups;
    else this.#counts.set(name, { key, day, pair_hash: pairHash, signups });
  }

  rows(queueId: number) {
    return [...this.#counts.values()].map((count) => ({ queue_id: queueId, ...count }));
  }
}
