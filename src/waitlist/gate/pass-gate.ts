import { DoorlistError } from '../../lib/errors.ts';
import { bytesKey, type Id } from '../../lib/ids.ts';
import { findCode } from '../codes/codes.ts';
import { findByEmails } from '../entries/move-entry.ts';
import { type Acceptance, type Claim, hashIdempotencyKey, wasRedeemedBy } from '../invites/claim.ts';
import {
  checkCodeLength,
  findInvite,
  findInvitesOf,
  type InviteRow,
  inviteState,
} from '../invites/invites.ts';
import { redeemInvite } from '../invites/redeem-invite.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { admissionOf, admit } from './admit.ts';

export const DENIAL_REASONS = ['not_invited', 'expired', 'revoked', 'already_used', 'closed'] as const;
export type DenialReason = (typeof DENIAL_REASONS)[number];

export interface GateInput {
  email: string;
  /** Without it, the open invite of the email is redeemed. */
  code?: string | undefined;
  idempotencyKey?: string | undefined;
  /** How long a repetition with that key gets the first answer again. For good unless given. */
  repeatableMs?: number | undefined;
}

export type GateDecision =
  | { allow: true; entryId: Id<'ent'> | null }
  | { allow: false; reason: DenialReason };

/**
 * Lets a person sign up to the product if they were invited, and redeems their invite: it lets nobody in twice. A code
 * counts only for the email that it was sent to.
 */
export async function passGate(context: Context, queue: Queue, input: GateInput): Promise<GateDecision> {
  if (input.code !== undefined) checkCodeLength(input.code);
  const { idempotencyKey, repeatableMs } = input;
  const admission = admissionOf(queue, input.email);
  const claim = { ...admission, keyHash: hashIdempotencyKey(queue, idempotencyKey), repeatableMs };
  const code = input.code === undefined ? undefined : await findCode(context, input.code);
  return changeQueue(context, queue, async (change) => {
    const decision =
      code?.queue.id === queue.id && code.row.does === 'admit'
        ? await decide(admit(context, change, code.row.id, claim))
        : await redeemTheirs(change, input.code, claim);
    if (decision && (decision.allow || !(await isDeclined(change, claim.emailHash)))) return decision;
    return { allow: false, reason: change.settings.closed ? 'closed' : 'not_invited' };
  });
}

/** Undefined if they have no such invite. */
async function redeemTheirs(
  change: QueueChange,
  code: string | undefined,
  claim: Claim & { emailHash: Buffer },
): Promise<GateDecision | undefined> {
  const row =
    code === undefined ? await findTheirs(change, claim) : await findByCode(change, code, claim.emailHash);
  return row && decide(redeemInvite(change, row, claim));
}

/** Which is nobody's business: it is as if they had never been invited. */
async function isDeclined(change: QueueChange, emailHash: Buffer): Promise<boolean> {
  return (await findByEmails(change, [emailHash])).get(bytesKey(emailHash))?.status === 'declined';
}

/** What became of somebody else's invite is not for this person to know. */
async function findByCode(
  { trx, queue }: QueueChange,
  code: string,
  emailHash: Buffer,
): Promise<InviteRow | undefined> {
  const hash = queue.vault.hash('invite', code);
  const [row] = await trx.run(findInvite, { queueId: queue.id, hash });
  return row && emailHash.equals(row.email_hash) ? row : undefined;
}

/** The one that this request has redeemed before, or one that is open, or the newest, which says why there is none. */
async function findTheirs(
  { trx, queue, now }: QueueChange,
  claim: Claim & { emailHash: Buffer },
): Promise<InviteRow | undefined> {
  const { emailHash } = claim;
  const rows = await trx.run(findInvitesOf, { queueId: queue.id, emailHash });
  return (
    rows.find((row) => wasRedeemedBy(row, claim, now)) ??
    rows.find((row) => inviteState(row, now) === 'live') ??
    rows[0]
  );
}

async function decide(redeeming: Promise<Acceptance>): Promise<GateDecision> {
  let acceptance: Acceptance;
  try {
    acceptance = await redeeming;
  } catch (error) {
    const reason = error instanceof DoorlistError ? REASONS[error.code] : undefined;
    if (reason === undefined) throw error;
    return { allow: false, reason };
  }
  return { allow: true, entryId: acceptance.entryId };
}

/** A refusal of an invite has changed nothing, so the transaction can end with it. */
const REASONS: Partial<Record<DoorlistError['code'], DenialReason>> = {
  accepted: 'already_used',
  revoked: 'revoked',
  expired: 'expired',
};
