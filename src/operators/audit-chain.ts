import type { Selectable } from 'kysely';
import type { Trx } from '../db/database.ts';
import type { AuditHeadTable, AuditTable } from '../db/tables.ts';
import type { OperatorContext } from './context.ts';

type Vault = OperatorContext['vault'];
type Row = Selectable<AuditTable>;
type Head = Pick<Selectable<AuditHeadTable>, 'seq' | 'hash' | 'seal'>;

/** Of a trail whose end was found to be moved. It never fits, so `doctor` keeps telling. */
export const BROKEN_SEAL = Buffer.alloc(0);
/** Servers of an earlier release write for as long as an upgrade takes. */
const UNSEALED_MAX = 1_000;

/** Covers the record and all before it. */
export function chainHash(vault: Vault, previous: Uint8Array, row: Omit<Row, 'hash'>): Buffer {
  return vault.hash('audit', JSON.stringify(['sealed', ...partsOf(previous, row)]));
}

/** Of a record by an earlier release, which did not seal the end of the trail. */
export function unsealedHash(vault: Vault, previous: Uint8Array, row: Omit<Row, 'hash'>): Buffer {
  return vault.hash('audit', JSON.stringify(partsOf(previous, row)));
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

export function isSealed(vault: Vault, end: Pick<Head, 'seq' | 'hash'>, seal: Uint8Array | null): boolean {
  return seal !== null && sealOf(vault, end).equals(seal);
}

/** Whether the head is where we left it, apart from what servers of an earlier release added since. */
export async function isIntact(vault: Vault, trx: Trx, head: Head): Promise<boolean> {
  if (isSealed(vault, head, head.seal)) return true;
  if (head.seq === 0) return head.seal === null;
  const rows = await trx
    .selectFrom('audit')
    .selectAll()
    .where('seq', '<=', head.seq)
    .orderBy('seq', 'desc')
    .limit(head.seal === null ? 2 : UNSEALED_MAX)
    .execute();
  for (const [index, row] of rows.entries()) {
    const previous = rows[index + 1]?.hash ?? Buffer.alloc(0);
    if (!unsealedHash(vault, previous, row).equals(row.hash)) return isSealed(vault, row, head.seal);
    if (head.seal === null) return true;
  }
  return false;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
