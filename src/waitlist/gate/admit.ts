import { type Email, requireEmail } from '../../lib/email.ts';
import { DoorlistError } from '../../lib/errors.ts';
import { bytesKey, formatId, newId, randomBytes } from '../../lib/ids.ts';
import { codeState, type SealedCode, selectCodes } from '../codes/codes.ts';
import { takePlace } from '../codes/places.ts';
import { findByEmails, moveEntries } from '../entries/move-entry.ts';
import { addMetadata } from '../entries/update-entry.ts';
import { type Acceptance, type Claim, openAcceptance, wasRedeemedBy } from '../invites/claim.ts';
import { findInvitesOf, type InviteRow, refuse, type SealedInvite } from '../invites/invites.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { findMembers } from '../referrals/members.ts';
import { addEntries } from '../signup/add-entries.ts';
import { prepareCandidate } from '../signup/candidate.ts';

interface Admission extends Claim {
  email: Email;
  emailHash: Buffer;
}

export function admissionOf({ vault }: Queue, text: string): Pick<Admission, 'email' | 'emailHash'> {
  const email = requireEmail(text);
  return { email, emailHash: vault.hash('email', email.key) };
}

/**
 * Lets somebody in with a code for many, if it has a place left. They are added as joined, or their entry joins, and they
 * have an accepted invite from then on, like everybody who was let in.
 */
export async function admit(
  context: Context,
  change: QueueChange,
  codeId: Uint8Array,
  admission: Admission,
): Promise<Acceptance> {
  const { trx, queue, now, tally } = change;
  const { vault, waitlist } = queue;
  const { email, emailHash, keyHash } = admission;
  const row = await selectCodes(trx, queue).where('id', '=', codeId).executeTakeFirstOrThrow();
  const { code, tag } = vault.open<SealedCode>('code.sealed', row.id, row.sealed);
  const earlier = await findEarlier(change, row.id, admission);
  if (earlier) return earlier;
  const state = codeState(row, now);
  if (state === 'accepted') throw usedUp();
  if (state !== 'live') refuse(state);
  const known = (await findByEmails(change, [emailHash])).get(bytesKey(emailHash));
  if (known?.status === 'removed' || known?.status === 'declined') refuse('revoked');
  if (known?.status === 'joined')
    throw new DoorlistError('accepted', 'email: this person has joined already');
  if (!(await takePlace(change, row.id))) throw usedUp();
  const entry = known ?? (await addJoined(change, email, tag));
  if (known) {
    await moveEntries(change, [known], 'joined');
    if (tag !== null) await addMetadata(context, change, formatId('ent', known.id), { tag });
  }
  trx.insert('code_use', [
    { queue_id: queue.id, code_id: row.id, seq: entry.seq, used_at: now, returned_at: null },
  ]);
  const id = newId(now);
  const acceptance: Acceptance = {
    email: email.shown,
    waitlist: { id: waitlist.id, name: waitlist.name },
    acceptedAt: now,
    entryId: formatId('ent', entry.id),
  };
  trx.insert('invite', [
    {
      ...{ queue_id: queue.id, id, code_id: row.id, email_hash: emailHash },
      ...{ created_at: now, accepted_at: now },
      code_hash: randomBytes(32), // It is not found by its code, which is of many.
      sealed: vault.seal('invite.sealed', id, { email: email.shown, code } satisfies SealedInvite),
      accept_key_hash: keyHash,
      accept_answer: keyHash && vault.seal('invite.accept_answer', id, acceptance),
    },
  ]);
  tally.slots.add('invited', now);
  tally.slots.add('accepted', now);
  const invite = { id, email: email.shown, expiresAt: null };
  change.record({ kind: 'invite.accepted', invite, entry: entry.seq });
  return acceptance;
}

function usedUp(): DoorlistError {
  return new DoorlistError('accepted', 'this code has been used as often as it can be');
}

/** What an earlier request with the same key, code and email got. */
async function findEarlier(
  { trx, queue, now }: QueueChange,
  codeId: Uint8Array,
  admission: Admission,
): Promise<Acceptance | undefined> {
  if (admission.keyHash === null) return undefined;
  const rows = await trx.run(findInvitesOf, { queueId: queue.id, emailHash: admission.emailHash });
  const ofCode = ({ code_id }: InviteRow) => code_id !== null && Buffer.compare(code_id, codeId) === 0;
  const row = rows.find((each) => ofCode(each) && wasRedeemedBy(each, admission, now));
  return row && openAcceptance(queue, row);
}

async function addJoined(change: QueueChange, email: Email, tag: string | null) {
  const { trx, queue, now } = change;
  const metadata = tag === null ? null : { tag };
  const signup = { email, phone: null, metadata, referrer: null };
  const candidate = {
    ...prepareCandidate(queue, signup, now),
    standing: { status: 'joined', invitedAt: null, acceptedAt: now } as const,
  };
  addEntries(change, await findMembers(trx, queue, [candidate]), [candidate]);
  return { seq: change.lastSeq, id: candidate.id };
}
