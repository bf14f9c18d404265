import { DoorlistError } from '../../lib/errors.ts';
import { bytesKey, formatId } from '../../lib/ids.ts';
import { canMove, findByEmails, moveEntries } from '../entries/move-entry.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { type Acceptance, type Claim, openAcceptance, wasRedeemedBy } from './claim.ts';
import { type InviteRow, inviteState, refuse, type SealedInvite } from './invites.ts';

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

function refuseUnlessLive(row: InviteRow, now: number): void {
  const state = inviteState(row, now);
  if (state !== 'live') refuse(state);
}
