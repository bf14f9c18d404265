import type { Trx } from '../db/database.ts';
import { sharedNow } from '../db/shared-clock.ts';
import { notFound } from '../lib/errors.ts';
import { formatId, newId, parseId, randomBytes } from '../lib/ids.ts';
import { ifReadable } from '../vault/crypto.ts';
import { changeOperators, recordAudit } from './audit.ts';
import type { OperatorContext } from './context.ts';
import { type Operator, readOperator } from './operator.ts';
import type { Actor } from './roles.ts';

export interface SessionLimits {
  /** Ends after this long without a request. */
  idleMs: number;
  /** Ends after this long in any case. */
  lifetimeMs: number;
}

/** Where a person signed in from. */
export interface Client {
  address: string;
  agent: string;
}

export interface Session {
  id: string;
  createdAt: number;
  seenAt: number;
  expiresAt: number;
  client: Client;
}

const SECRET_BYTES = 32;
const AGENT_MAX_CHARACTERS = 256;
/** A page sends many requests at once, and one write for them is enough. */
const SEEN_EVERY_MS = 1_000;

/** Replaces the browser's previous session, if any. Returns the secret for its cookie. */
export async function createSession(
  { vault }: OperatorContext,
  trx: Trx,
  operatorId: Uint8Array,
  { client, limits, replaces }: { client: Client; limits: SessionLimits; replaces: string | undefined },
  now: number,
): Promise<{ id: string; secret: string }> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const id = newId(now);
  await trx
    .deleteFrom('operator_session')
    .where('operator_id', '=', operatorId)
    .where((e) => e.or([e('expires_at', '<=', now), e('seen_at', '<=', now - limits.idleMs)]))
    .execute();
  if (replaces !== undefined)
    await trx
      .deleteFrom('operator_session')
      .where('secret_hash', '=', vault.hash('session', replaces))
      .execute();
  await trx
    .insertInto('operator_session')
    .values({
      id,
      secret_hash: vault.hash('session', secret),
      operator_id: operatorId,
      client: vault.seal('operator_session.client', id, {
        address: client.address,
        agent: client.agent.slice(0, AGENT_MAX_CHARACTERS),
      } satisfies Client),
      created_at: now,
      seen_at: now,
      expires_at: now + limits.lifetimeMs,
    })
    .execute();
  return { id: formatId('ses', id), secret };
}

/**
 * Returns the owner of this cookie, or undefined if the session has ended or the account is damaged. Looking on, as an open stream
 * does, does not count as use.
 */
export async function findSession(
  context: OperatorContext,
  secret: string,
  { idleMs }: SessionLimits,
  { countsAsUse = true } = {},
): Promise<{ id: string; operator: Operator } | undefined> {
  const { db, vault } = context;
  const now = await sharedNow(context);
  const row = await db.query
    .selectFrom('operator_session as session')
    .innerJoin('operator', 'operator.id', 'session.operator_id')
    .selectAll('operator')
    .select(['session.id as sessionId', 'session.seen_at'])
    .where('session.secret_hash', '=', vault.hash('session', secret))
    .where('session.expires_at', '>', now)
    .where('session.seen_at', '>', now - idleMs)
    .executeTakeFirst();
  const operator = row && ifReadable(() => readOperator(vault, row));
  if (!operator) return undefined;
  if (countsAsUse && now - row.seen_at >= SEEN_EVERY_MS)
    await db.query
      .updateTable('operator_session')
      .set({ seen_at: now })
      .where('id', '=', row.sessionId)
      .execute();
  return { id: formatId('ses', row.sessionId), operator };
}

export async function listSessions(
  context: OperatorContext,
  operatorId: string,
  { idleMs }: SessionLimits,
): Promise<Session[]> {
  const { db, vault } = context;
  const now = await sharedNow(context);
  const rows = await db.query
    .selectFrom('operator_session')
    .selectAll()
    .where('operator_id', '=', parseId('opr', operatorId) ?? Buffer.alloc(0))
    .where('expires_at', '>', now)
    .where('seen_at', '>', now - idleMs)
    .orderBy('id', 'desc')
    .execute();
  return rows.map(({ id, client, created_at, seen_at, expires_at }) => ({
    id: formatId('ses', id),
    createdAt: created_at,
    seenAt: seen_at,
    expiresAt: expires_at,
    client: ifReadable(() => vault.open<Client>('operator_session.client', id, client)) ?? UNKNOWN_CLIENT,
  }));
}

/** Of a session whose row is damaged. It can be ended all the same. */
const UNKNOWN_CLIENT: Client = { address: '', agent: '' };

/** Ends one of the actor's own sessions, including the current one. */
export async function endSession(context: OperatorContext, actor: Actor, id: string): Promise<void> {
  await changeOperators(context, async (trx, now) => {
    const { numDeletedRows } = await trx
      .deleteFrom('operator_session')
      .where('id', '=', parseId('ses', id) ?? Buffer.alloc(0))
      .where('operator_id', '=', ownId(actor))
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw notFound('there is no such session');
    const event = { action: 'session.ended' as const, object: { kind: 'session' as const, id } };
    await recordAudit(context, trx, actor, event, now);
  });
}

/** Ends all of the actor's sessions except the current one, and returns how many there were. */
export async function endOtherSessions(
  context: OperatorContext,
  actor: Actor,
  keptId: string,
): Promise<number> {
  return changeOperators(context, async (trx, now) => {
    const { numDeletedRows } = await trx
      .deleteFrom('operator_session')
      .where('operator_id', '=', ownId(actor))
      .where('id', '!=', parseId('ses', keptId) ?? Buffer.alloc(0))
      .executeTakeFirst();
    const ended = Number(numDeletedRows);
    if (ended > 0) await recordAudit(context, trx, actor, { action: 'session.ended', after: { ended } }, now);
    return ended;
  });
}

export function ownId({ id }: Actor): Buffer {
  return parseId('opr', id ?? '') ?? Buffer.alloc(0);
}

export interface EndedAccess {
  sessions: number;
  links: number;
  tokens: number;
}

/** Ends every session, one-time link and token, for example those that a restored backup has revived. */
export async function endAllAccess(context: OperatorContext, actor: Actor): Promise<EndedAccess> {
  return changeOperators(context, async (trx, now) => {
    const sessions = await trx.deleteFrom('operator_session').executeTakeFirst();
    const links = await trx.deleteFrom('operator_link').executeTakeFirst();
    const tokens = await trx
      .updateTable('admin_token')
      .set({ revoked_at: now })
      .where('revoked_at', 'is', null)
      .executeTakeFirst();
    const ended = {
      sessions: Number(sessions.numDeletedRows),
      links: Number(links.numDeletedRows),
      tokens: Number(tokens.numUpdatedRows),
    };
    await recordAudit(context, trx, actor, { action: 'access.ended', after: { ...ended } }, now);
    return ended;
  });
}
