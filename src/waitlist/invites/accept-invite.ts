import { parseEmail } from '../../lib/email.ts';
import { DoorlistError, invalid, notFound } from '../../lib/errors.ts';
import { canMove, findByEmails, moveEntries } from '../entries/move-entry.ts';
import { hashKey } from '../people/hash-key.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
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
}

/** Older rows store the time in ISO 8601. */
type StoredAcceptance = Omit<Acceptance, 'acceptedAt'> & { acceptedAt: number | string };

/** Redeems a code. Of all accepts of one code, across processes and crashes, exactly one succeeds. */
export async function acceptInvite(context: Context, input: AcceptInput): Promise<Acceptance> {
  checkCodeLength(input.code);
  const queue = await queueOfCode(context, input.code);
  if (!queue) throw unknownCode();
  const { vault } = queue;
  const hash = vault.hash('invite', input.code);
  const claimedHash = input.email === undefined ? undefined : hashClaimedEmail(queue, input.email);
  const keyHash = input.idempotencyKey === undefined ? null : vault.hash('idempotency', input.idempotencyKey);

  return changeQueue(context, queue, async (change) => {
    const { trx, now } = change;
    const [row] = await trx.run(findInvite, { queueId: queue.id, hash });
    if (!row) throw unknownCode();
    const earlier = earlierAcceptance(queue, row, keyHash, claimedHash);
    if (earlier) return earlier;
    refuseUnlessLive(row, now);
    if (claimedHash && !claimedHash.equals(row.email_hash)) {
      throw new DoorlistError('email_mismatch', 'email: this invite is for a different email address');
    }
    const entry = (await findByEmails(change, [row.email_hash])).get(hashKey(row.email_hash));
    if (entry?.status === 'removed') throw new DoorlistError('revoked', 'this invite was revoked');
    const { email } = vault.open<SealedInvite>('invite.sealed', row.id, row.sealed);
    const { id, name } = queue.waitlist;
    const acceptance: Acceptance = { email, waitlist: { id, name }, acceptedAt: now };
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
    const invite = { id: row.id, email, expiresAt: row.expires_at };
    change.tally.slots.addAccept(now, row.created_at);
    change.record({ kind: 'invite.accepted', invite, entry: entry?.seq ?? null });
    return acceptance;
  });
}

function unknownCode(): DoorlistError {
  return notFound('there is no invite with this code');
}

function hashClaimedEmail({ vault }: Queue, email: string): Buffer {
  const parsed = parseEmail(email);
  if (!parsed) throw invalid('email: not an email address');
  return vault.hash('email', parsed.key);
}

/**
 * The result of an earlier accept with the same key, as it was then: the waitlist may have been renamed
 * since.
 */
function earlierAcceptance(
  { vault }: Queue,
  row: InviteRow,
  keyHash: Buffer | null,
  claimedHash: Buffer | undefined,
): Acceptance | undefined {
  if (!keyHash || !row.accept_key_hash || !row.accept_answer || !keyHash.equals(row.accept_key_hash))
    return undefined;
  if (claimedHash && !claimedHash.equals(row.email_hash)) return undefined;
  const kept = vault.open<StoredAcceptance>('invite.accept_answer', row.id, row.accept_answer);
  const { email, waitlist, acceptedAt } = kept;
  return {
    email,
    waitlist,
    acceptedAt: typeof acceptedAt === 'string' ? Date.parse(acceptedAt) : acceptedAt,
  };
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
