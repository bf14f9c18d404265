import type { Selectable } from 'kysely';
import type { Trx } from '../db/database.ts';
import { sharedNow } from '../db/shared-clock.ts';
import type { AuditHeadTable } from '../db/tables.ts';
import {
  type AuditTrail,
  WAITLIST_ACTIONS,
  type AuditEvent as WaitlistEvent,
} from '../waitlist/queue/audit-trail.ts';
import { BROKEN_SEAL, chainHash, isIntact, sealOf } from './audit-chain.ts';
import type { Notice, OperatorContext, Recipient } from './context.ts';
import { type Actor, referenceTo } from './roles.ts';

export const AUDIT_ACTIONS = [
  'setup.completed',
  'session.created',
  'session.ended',
  'access.ended',
  'operator.created',
  'operator.updated',
  'operator.role_changed',
  'operator.removed',
  'operator.link_created',
  'password.set',
  'password.changed',
  'password.reset_requested',
  'two_factor.enabled',
  'two_factor.disabled',
  'recovery_code.used',
  'recovery_codes.replaced',
  'passkey.added',
  'passkey.renamed',
  'passkey.removed',
  'token.created',
  'token.changed',
  'token.revoked',
  'audit.trimmed',
  ...WAITLIST_ACTIONS,
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

interface AuditEvent {
  action: AuditAction;
  /** What was changed: kind and public id. */
  object?: {
    kind: 'operator' | 'session' | 'token' | 'passkey' | WaitlistEvent['object']['kind'];
    id: string;
    name?: string;
  };
  /** Without secrets and without data of people on a waitlist. */
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
}

/** Sealed, because only operators may read it. */
export interface AuditDetails {
  actorName: string | null;
  address: string | null;
  objectName: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/**
 * Adds a record to the trail, in the transaction of the change. The head's row is the lock: records are
 * numbered without gaps, each hash covers the one before, and a seal marks the last.
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
    actor: referenceTo(actor),
    object: object ? `${object.kind}:${object.id}` : null,
    details: vault.seal('audit.details', auditRow(seq), details),
  };
  const hash = chainHash(vault, head.hash, row);
  const seal = isIntact(vault, head) ? sealOf(vault, { seq, hash }) : BROKEN_SEAL;
  await trx
    .insertInto('audit')
    .values({ ...row, hash })
    .execute();
  await trx.updateTable('audit_head').set({ seq, hash, seal }).execute();
}

/**
 * The trail for changes to waitlists. The domain calls it at the end of a transaction, so the end of the trail
 * is always locked after the row of the queue or the instance, never before.
 */
export function auditAs(context: OperatorContext, actor: Actor): AuditTrail {
  return async (trx, event) => recordAudit(context, trx, actor, event, await sharedNow(context, trx));
}

/**
 * Runs every change to operators, sessions and tokens. Each one locks the end of the trail first, so they run
 * one after the other, and what one checks, such as whether there is another owner, stays true until it
 * commits.
 */
export async function changeOperators<T>(
  context: OperatorContext,
  work: (trx: Trx, now: number, tell: Tell) => Promise<T>,
): Promise<T> {
  const { db, notices } = context;
  let noticed = false;
  const attempt = async (trx: Trx) => {
    noticed = false;
    await lockAuditTrail(trx);
    const now = await sharedNow(context, trx);
    return work(trx, now, (to, notice) => {
      notices?.write(trx, to, notice, now);
      noticed = true;
    });
  };
  const result = await db.transaction(attempt);
  if (noticed) notices?.wake();
  return result;
}

/** Tells an operator about the change, if it is committed. */
export type Tell = (to: Recipient, notice: Notice) => void;

async function lockAuditTrail(trx: Trx): Promise<Pick<Selectable<AuditHeadTable>, 'seq' | 'hash' | 'seal'>> {
  await trx
    .insertInto('audit_head')
    .values({ id: 1, seq: 0, hash: Buffer.alloc(0) })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  return trx
    .updateTable('audit_head')
    .set((e) => ({ seq: e.ref('seq') }))
    .returning(['seq', 'hash', 'seal'])
    .executeTakeFirstOrThrow();
}

export function auditRow(seq: number): Buffer {
  const row = Buffer.alloc(8);
  row.writeBigUInt64BE(BigInt(seq));
  return row;
}
