import type { Selectable } from 'kysely';
import type { AuditHeadTable, AuditTable } from '../db/tables.ts';
import type { OperatorContext } from './context.ts';

type Vault = OperatorContext['vault'];
type Row = Selectable<AuditTable>;
type Head = Pick<Selectable<AuditHeadTable>, 'seq' | 'hash' | 'seal'>;

/** Of a trail whose end was found to be moved. It never fits, so `doctor` keeps telling. */
export const BROKEN_SEAL = Buffer.alloc(0);

/** Covers the record and all before it. */
export function chainHash(vault: Vault, previous: Uint8Array, row: Omit<Row, 'hash'>): Buffer {
  return vault.hash('audit', JSON.stringify(['sealed', ...partsOf(previous, row)]));
}

function partsOf(
  previous: Uint8Array,
  { seq, at, action, actor, object, details }: Omit<Row, 'hash'>,
): unknown[] {
  return [hex(previous), seq, at, action, actor, object, hex(details)];
}

/** Without the key, nobody can make another record the last one. */
export function sealOf(vault: Vault, { seq, hash }: Pick<Head, 'seq' | 'hash'>): Buffer {
  return vault.hash('audit', JSON.stringify(['end', seq, hex(hash)]));
}

/** Without the key, nobody can delete the first records and make it look like a trimmed trail. */
export function startSealOf(vault: Vault, { seq, hash }: Pick<Head, 'seq' | 'hash'>): Buffer {
  return vault.hash('audit', JSON.stringify(['start', seq, hex(hash)]));
}

/** Whether the end is where we left it. */
export function isIntact(vault: Vault, { seal, ...end }: Head): boolean {
  if (seal === null) return end.seq === 0;
  return sealOf(vault, end).equals(seal);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
