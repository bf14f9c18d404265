import type { QueueVault } from '../../vault/queue-vault.ts';
import type { Metadata } from './metadata.ts';

/** The pairs that segments can select by: top-level keys with a string, number or boolean. */
export function metadataPairs(vault: QueueVault, metadata: Metadata): Buffer[] {
  const hashes: Buffer[] = [];
  for (const key of Object.keys(metadata)) {
    const value = metadata[key];
    if (isSelectable(value)) hashes.push(hashPair(vault, key, value));
  }
  return hashes;
}

function isSelectable(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function hashPair(vault: QueueVault, key: string, value: unknown): Buffer {
  return vault.hash('metadata', JSON.stringify([key, value]));
}

/** As JSON writes numbers. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i;

/** The pairs that `key=text` can mean: the text itself, and the number or boolean that it spells. */
export function pairsMeant(vault: QueueVault, key: string, text: string): Buffer[] {
  const values: unknown[] = [text];
  if (text === 'true' || text === 'false') values.push(text === 'true');
  if (NUMBER.test(text) && Number.isFinite(Number(text))) values.push(Number(text));
  return values.map((value) => hashPair(vault, key, value));
}
