import { DoorlistError, invalid, notFound } from '../../lib/errors.ts';
import { bytesKey, formatId } from '../../lib/ids.ts';
import { findCode } from '../codes/codes.ts';
import { canMove, findByEmails, moveEntries } from '../entries/move-entry.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { admissionOf, admit } from './admit.ts';
import {
  type Acceptance,
  type Claim,
  hashClaimedEmail,
  hashIdempotencyKey,
  openAcceptance,
  wasRedeemedBy,
} from './claim.ts';
import {
  checkCodeLength,
  findInvite,
  type InviteRow,
  inviteState,
  queueOfCode,
  refuse,
  type SealedInvite,
} from './invites.ts';

interface AcceptInput {
  code: string;
  /** If given, it must match the invited email. */
  email?: string | undefined;
  idempotencyKey?: string | undefined;
}

/** Redeems a code. Of all accepts of one code, across processes and crashes, exactly one succeeds. */
export async function acceptInvite(context: Context, input: AcceptInput): Promise<Acceptance> {
  checkCodeLength(input.code);
  const queue = await queueOfCode(context, input.code);
  if (!queue) return acceptCode(context, input);
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

/** Of a code for many, which is not tied to a person. */
async function acceptCode(
  context: Context,
  { code, email, idempotencyKey }: AcceptInput,
): Promise<Acceptance> {
  const found = await findCode(context, code);
  if (!found) throw unknownCode();
  const { queue, row } = found;
  if (email === undefined) throw invalid('email: is required, because this code is for anybody who has it');
  const keyHash = hashIdempotencyKey(queue, idempotencyKey);
  const admission = { ...admissionOf(queue, email), keyHash };
  return changeQueue(context, queue, (change) => admit(context, change, row.id, admission));
}

function unknownCode(): DoorlistError {
  return notFound('there is no invite with this code');
}

function refuseUnlessLive(row: InviteRow, now: number): void {
  const state = inviteState(row, now);
  if (state !== 'live') refuse(state);
}
