import type { Selectable } from 'kysely';
import type { Trx } from '../db/database.ts';
import { sharedNow } from '../db/shared-clock.ts';
import type { AuditTable } from '../db/tables.ts';
import type { Actor } from './actor.ts';
import type { OperatorContext } from './context.ts';

/** Every kind of thing that is written down. */
export const AUDIT_ACTIONS = [
  'setup.completed',
  'session.created',
  'session.ended',
  'operator.created',
  'operator.role_changed',
  'operator.removed',
  'operator.link_created',
  'password.set',
  'password.changed',
  'two_factor.enabled',
  'two_factor.disabled',
  'recovery_code.used',
  'recovery_codes.replaced',
  'token.created',
  'token.revoked',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export interface AuditEvent {
  action: AuditAction;
  /** What it was done to: kind and public id. */
  object?: { kind: 'operator' | 'session' | 'token'; id: string; name?: string };
  /** What changed, without secrets and without the data of people on a waitlist. */
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
}

/** What only operators may read, and so is sealed. */
export interface AuditDetails {
  actorName: string | null;
  address: string | null;
  objectName: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/**
 * Writes one more row of the trail, in the transaction of what it tells. The head's row is the lock: rows are numbered
 * without a gap, and each one's hash covers the one before.
 */
export async function recordAudit(
  { vault }: OperatorContext,
  trx: Trx,
  actor: Actor,
  { action, object, before, after }: AuditEvent,
  at: number,
): Promise<void> {
  const head = await lockAuditTrail(trx);
  const seq = head.seq + 1;
  const details: AuditDetails = {
    actorName: actor.name,
    address: actor.address,
    objectName: object?.name ?? null,
    before: before ?? null,
    after: after ?? null,
  };
  const row = {
    seq,
    at,
    action,
    actor: actor.id === null ? actor.kind : `${actor.kind}:${actor.id}`,
    object: object ? `${object.kind}:${object.id}` : null,
    details: vault.seal('audit.details', auditRow(seq), details),
  };
  const hash = chainHash(vault, head.hash, row);
  await trx
    .insertInto('audit')
    .values({ ...row, hash })
    .execute();
  await trx.updateTable('audit_head').set({ seq, hash }).execute();
}

/**
 * Every change to operators, sessions and tokens: one after the other, because each takes the end of the trail first.
 * So what one decides by, such as whether there is another owner, holds until it is done.
 */
export function changeOperators<T>(
  context: OperatorContext,
  work: (trx: Trx, now: number) => Promise<T>,
): Promise<T> {
  return context.db.transaction(async (trx) => {
    await lockAuditTrail(trx);
    return work(trx, await sharedNow(context, trx));
  });
}

async function lockAuditTrail(trx: Trx): Promise<{ seq: number; hash: Uint8Array }> {
  await trx
    .insertInto('audit_head')
    .values({ id: 1, seq: 0, hash: Buffer.alloc(0) })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  return trx
    .updateTable('audit_head')
    .set((e) => ({ seq: e.ref('seq') }))
    .returning(['seq', 'hash'])
    .executeTakeFirstOrThrow();
}

export function auditRow(seq: number): Buffer {
  const row = Buffer.alloc(8);
  row.writeBigUInt64BE(BigInt(seq));
  return row;
}

export function chainHash(
  vault: OperatorContext['vault'],
  previous: Uint8Array,
  { seq, at, action, actor, object, details }: Omit<Selectable<AuditTable>, 'hash'>,
): Buffer {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  return vault.hash('audit', JSON.stringify([hex(previous), seq, at, action, actor, object, hex(details)]));
}
