import { sql } from 'kysely';
import type { Database, Trx } from '../../db/database.ts';
import { DoorlistError, notFound } from '../../lib/errors.ts';
import { bytesKey, formatId, parseId } from '../../lib/ids.ts';
import { findByEmails, moveEntries } from '../entries/move-entry.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { findInvite, inviteState, openSealed, queueOfCode } from './invites.ts';

/** Invites per transaction: few enough that signups do not wait long. */
const CHUNK = 500;

interface OpenInvite {
  id: Uint8Array;
  email_hash: Uint8Array;
  sealed: Uint8Array;
  expires_at: number | null;
}

/** Revokes an open invite by code or id. Its entry returns to its old place in the queue. */
export async function revokeInvite(context: Context, codeOrId: string): Promise<{ id: Uint8Array }> {
  const { queue, id } = await findInviteByCodeOrId(context, codeOrId);
  return revokeOne(context, queue, id);
}

export function revokeOne(context: Context, queue: Queue, id: Uint8Array): Promise<{ id: Uint8Array }> {
  return changeQueue(context, queue, async (change) => {
    const row = await change.trx
      .selectFrom('invite')
      .select(['id', 'email_hash', 'sealed', 'expires_at', 'expired_at', 'accepted_at', 'revoked_at'])
      .where('queue_id', '=', queue.id)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw notFound('there is no invite with this code or id');
    const state = inviteState(row, change.now);
    if (state === 'expired') throw new DoorlistError(state, 'this invite has already expired');
    if (state !== 'live') throw new DoorlistError(state, `this invite is already ${state}`);
    await endInvites(context, change, [row], 'revoked');
    const object = { kind: 'invite', id: formatId('inv', row.id) } as const;
    await context.audit?.(change.trx, { action: 'invite.revoked', object });
    return { id: row.id };
  });
}

/** Expires the overdue invites of a queue and returns how many there were. */
export async function expireInvites(context: Context, queue: Queue): Promise<number> {
  let expired = 0;
  for (;;) {
    const ended = await changeQueue(context, queue, async (change) => {
      const due = await openInvites(change.trx, queue)
        .where('expires_at', '<=', change.now)
        .limit(CHUNK)
        .execute();
      await endInvites(context, change, due, 'expired');
      if (due.length < CHUNK) await refreshNextExpiry(change);
      return due.length;
    });
    expired += ended;
    if (ended < CHUNK) return expired;
  }
}

/** Ends the invites of emails: an overdue one has expired, even if upkeep has not ended it yet. */
export async function endInvitesOf(
  context: Context,
  change: QueueChange,
  emailHashes: readonly Uint8Array[],
): Promise<void> {
  const open = await openInvites(change.trx, change.queue)
    .where((e) => context.db.in(e.ref('email_hash'), emailHashes))
    .execute();
  const isLive = ({ expires_at }: OpenInvite) => expires_at === null || expires_at > change.now;
  await endInvites(
    context,
    change,
    open.filter((invite) => !isLive(invite)),
    'expired',
  );
  await endInvites(context, change, open.filter(isLive), 'revoked');
}

/** Those that can still be accepted. */
export function liveInvites(executor: Executor, queue: Queue, now: number) {
  return openInvites(executor, queue).where((e) =>
    e.or([e('expires_at', 'is', null), e('expires_at', '>', now)]),
  );
}

type Executor = Database['query'] | Trx;

function openInvites(executor: Executor, queue: Queue) {
  return executor
    .selectFrom('invite')
    .select(['id', 'email_hash', 'sealed', 'expires_at'])
    .where('queue_id', '=', queue.id)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expired_at', 'is', null)
    .orderBy('expires_at');
}

async function refreshNextExpiry({ trx, queue }: QueueChange): Promise<void> {
  await sql`update queue_state set next_expiry = (
      select min(expires_at) from invite where queue_id = ${queue.id}
        and accepted_at is null and revoked_at is null and expired_at is null
    ) where queue_id = ${queue.id}`.execute(trx);
}

export async function endInvites(
  context: Context,
  change: QueueChange,
  invites: OpenInvite[],
  how: 'revoked' | 'expired',
): Promise<void> {
  if (invites.length === 0) return;
  const { db } = context;
  const { trx, queue, now, settings, tally } = change;
  tally.slots.add(how, now, invites.length);
  await trx
    .updateTable('invite')
    .set(how === 'revoked' ? { revoked_at: now } : { expired_at: now })
    .where('queue_id', '=', queue.id)
    .where((e) =>
      db.in(
        e.ref('id'),
        invites.map(({ id }) => id),
      ),
    )
    .execute();
  const hashes = invites.map(({ email_hash }) => email_hash);
  const entries = await findByEmails(change, hashes);
  const stillInvited = await emailsWithLiveInvite(context, change, hashes);
  const back = [...entries].filter(([email, { status }]) => status === 'invited' && !stillInvited.has(email));
  if (settings.returnToQueue)
    await moveEntries(
      change,
      back.map(([, entry]) => entry),
      'waiting',
    );
  for (const invite of invites) {
    const sealed = openSealed(context, queue, invite);
    if (!sealed) continue;
    const { email } = sealed;
    const { id, email_hash, expires_at } = invite;
    const entry = entries.get(bytesKey(email_hash))?.seq ?? null;
    change.record({ kind: `invite.${how}`, invite: { id, email, expiresAt: expires_at }, entry });
  }
}

/** A person who was invited twice stays invited while one of the invites is live. */
async function emailsWithLiveInvite(
  { db }: Context,
  change: QueueChange,
  hashes: readonly Uint8Array[],
): Promise<Set<string>> {
  const rows = await liveInvites(change.trx, change.queue, change.now)
    .clearSelect()
    .select('email_hash')
    .where((e) => db.in(e.ref('email_hash'), hashes))
    .execute();
  return new Set(rows.map(({ email_hash }) => bytesKey(email_hash)));
}

async function findInviteByCodeOrId(
  context: Context,
  codeOrId: string,
): Promise<{ queue: Queue; id: Uint8Array }> {
  const { db } = context;
  const id = parseId('inv', codeOrId);
  if (id) {
    const row = await db.query
      .selectFrom('invite')
      .select('queue_id')
      .where('id', '=', id)
      .executeTakeFirst();
    const queue = row && (await context.registry.queueById(row.queue_id));
    if (queue) return { queue, id };
  } else {
    const queue = await queueOfCode(context, codeOrId);
    const hash = queue?.vault.hash('invite', codeOrId);
    const row = queue && hash ? await db.find(findInvite, { queueId: queue.id, hash }) : undefined;
    if (queue && row) return { queue, id: row.id };
  }
  throw notFound('there is no invite with this code or id');
}
