import { type DoorlistError, invalid, notFound } from '../../lib/errors.ts';
import { findCode } from '../codes/codes.ts';
import { type Acceptance, type Claim, hashClaimedEmail, hashIdempotencyKey } from '../invites/claim.ts';
import { checkCodeLength, findInvite, queueOfCode } from '../invites/invites.ts';
import { redeemInvite } from '../invites/redeem-invite.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import { admissionOf, admit } from './admit.ts';

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

/** Of a code for many, which is not tied to a person. */
async function acceptCode(
  context: Context,
  { code, email, idempotencyKey }: AcceptInput,
): Promise<Acceptance> {
  const found = await findCode(context, code);
  if (!found) throw unknownCode();
  const { queue, row } = found;
  if (row.does !== 'admit')
    throw invalid('code: lets nobody in, because it is for joining the waitlist: name it in a signup');
  if (email === undefined) throw invalid('email: is required, because this code is for anybody who has it');
  const keyHash = hashIdempotencyKey(queue, idempotencyKey);
  const admission = { ...admissionOf(queue, email), keyHash };
  return changeQueue(context, queue, (change) => admit(context, change, row.id, admission));
}

function unknownCode(): DoorlistError {
  return notFound('there is no invite with this code');
}
