import { bytesKey } from '../../lib/bytes-key.ts';
import type { QueueVault } from '../../vault/queue-vault.ts';
import type { Metadata } from '../people/metadata.ts';
import { metadataPairs } from '../people/metadata-pairs.ts';

/** Longer texts are hardly categories. They count among the others. */
const VALUE_CHARACTERS_MAX = 100;

/** Stands for all values that are not counted by themselves. */
export const OTHERS: Uint8Array = new Uint8Array();

export type CountableValue = string | number | boolean;

export interface CountedValue {
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
