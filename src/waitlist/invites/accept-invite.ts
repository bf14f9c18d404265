import { requireEmail } from '../../lib/email.ts';
import { DoorlistError, notFound } from '../../lib/errors.ts';
import { bytesKey, formatId, type Id } from '../../lib/ids.ts';
import { canMove, findByEmails, moveEntries } from '../entries/move-entry.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import {
  checkCodeLength,
  findInvite,
  type InviteRow,
  inviteState,
  queueOfCode,
  type SealedInvite,
} from './invites.ts';

interface AcceptInput {
  code: string;
  /** If given, it must match the invited email. */
  email?: string | undefined;
  idempotencyKey?: string | undefined;
}

export interface Acceptance {
  email: string;
  waitlist: { id: string; name: string };
  acceptedAt: number;
  /** Of the invited person. null if they are not on the waitlist. */
  entryId: Id<'ent'> | null;
}

/** Redeems a code. Of all accepts of one code, across processes and crashes, exactly one succeeds. */
export async function acceptInvite(context: Context, input: AcceptInput): Promise<Acceptance> {
  checkCodeLength(input.code);
  const queue = await queueOfCode(context, input.code);
  if (!queue) throw unknownCode();
  const hash = queue.vault.hash('invite', input.code);
  const claim: Claim = {
    emailHash: input.email === undefined ? undefined : hashClaimedEmail(queue, input.email),
    keyHash: hashIdempotencyKey(queue, input.idempotencyKey),
  };
  return changeQueue(context, queue, async (change) => {
    const [row] = await change.trx.run(findInvite, { queueId: queue.id, hash });
    if (!row) throw unknownCode();
    return redeemInvite(change, row, claim);
  });
}

/** What a request says about itself. */
export interface Claim {
  /** If given, it must be that of the invited email. */
  emailHash?: Buffer | undefined;
  /** Of the idempotency key. */
  keyHash: Buffer | null;
  /** For how long the key gets the first answer again. For good unless given. */
  repeatableMs?: number | undefined;
}

/** Redeems an invite, or returns the result of the earlier request with the same idempotency key. */
export async function redeemInvite(change: QueueChange, row: InviteRow, claim: Claim): Promise<Acceptance> {
  const { trx, now, queue } = change;
  const { emailHash, keyHash } = claim;
  const { vault, waitlist } = queue;
  const isTheirs = !emailHash || emailHash.equals(row.email_hash);
  const earlier = isTheirs && wasRedeemedBy(row, claim, now) ? openAcceptance(queue, row) : undefined;
  if (earlier) return earlier;
  refuseUnlessLive(row, now);
  if (!isTheirs)
    throw new DoorlistError('email_mismatch', 'email: this invite is for a different email address');
  const entry = (await findByEmails(change, [row.email_hash])).get(bytesKey(row.email_hash));
  if (entry?.status === 'removed' || entry?.status === 'declined')
    throw new DoorlistError('revoked', 'this invite was revoked');
  const { email } = vault.open<SealedInvite>('invite.sealed', row.id, row.sealed);
  const acceptance: Acceptance = {
    email,
    waitlist: { id: waitlist.id, name: waitlist.name },
    acceptedAt: now,
    entryId: entry ? formatId('ent', entry.id) : null,
  };
  const accepted = await trx
    .updateTable('invite')
    .set({
      accepted_at: now,
      accept_key_hash: keyHash,
      accept_answer: keyHash && vault.seal('invite.accept_answer', row.id, acceptance),
    })
    .where('queue_id', '=', queue.id)
    .where('id', '=', row.id)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expired_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (!accepted) throw new DoorlistError('accepted', 'this invite has already been accepted');
  if (entry && canMove(entry.status, 'joined')) await moveEntries(change, [entry], 'joined');
  change.tally.slots.addAccept(now, row.created_at);
  const invite = { id: row.id, email, expiresAt: row.expires_at };
  change.record({ kind: 'invite.accepted', invite, entry: entry?.seq ?? null });
  return acceptance;
}

function unknownCode(): DoorlistError {
  return notFound('there is no invite with this code');
}

export function hashClaimedEmail({ vault }: Queue, email: string): Buffer {
  return vault.hash('email', requireEmail(email).key);
}

export function hashIdempotencyKey({ vault }: Queue, key: string | undefined): Buffer | null {
  return key === undefined ? null : vault.hash('idempotency', key);
}

export function wasRedeemedBy(
  { accept_key_hash, accepted_at }: InviteRow,
  { keyHash, repeatableMs = Number.POSITIVE_INFINITY }: Claim,
  now: number,
): boolean {
  if (keyHash === null || accept_key_hash === null || accepted_at === null) return false;
  return keyHash.equals(accept_key_hash) && now - accepted_at <= repeatableMs;
}

/** As it was then: the waitlist may have been renamed since. */
function openAcceptance({ vault }: Queue, row: InviteRow): Acceptance | undefined {
  if (!row.accept_answer) return undefined;
  return vault.open<Acceptance>('invite.accept_answer', row.id, row.accept_answer);
}

function refuseUnlessLive(row: InviteRow, now: number): void {
  switch (inviteState(row, now)) {
    case 'accepted':
      throw new DoorlistError('accepted', 'this invite has already been accepted');
    case 'revoked':
      throw new DoorlistError('revoked', 'this invite was revoked');
    case 'expired':
      throw new DoorlistError('expired', 'this invite has expired');
    case 'live':
  }
}
