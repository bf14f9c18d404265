import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { DoorlistError } from '../lib/errors.ts';
import { changeOperators } from './audit.ts';
import { openSession, type SignedIn, type SigningBrowser } from './open-session.ts';
import { readOperator } from './operator.ts';
import {
  type Challenge,
  expectedChallenge,
  newChallenge,
  siteOf,
  useChallenge,
} from './passkey-challenge.ts';
import { openCredential } from './passkeys.ts';
import type { SignInParts } from './sign-in.ts';

/** The same message whatever is wrong. */
export const PASSKEY_REFUSAL = 'this passkey was not accepted';

const PURPOSE = 'sign in';

/** The options for `navigator.credentials.get()`. The browser finds the account by itself. */
export async function startPasskeySignIn({
  context,
  publicUrl,
}: SignInParts & { publicUrl: string }): Promise<{ options: object; challenge: Challenge }> {
  const site = siteOf(publicUrl);
  const challenge = await newChallenge(context, PURPOSE);
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  const options = await generateAuthenticationOptions({
    rpID: site.id,
    challenge: new Uint8Array(Buffer.from(challenge.challenge, 'base64url')),
    userVerification: 'required',
  });
  return { options, challenge };
}

/** A passkey is two factors in one: the device, and the finger, face or PIN that it asks for. */
export async function signInWithPasskey(
  parts: SignInParts & { publicUrl: string },
  attempt: SigningBrowser & { response: object; kept: string | undefined },
): Promise<SignedIn> {
  const { context } = parts;
  const { db, vault } = context;
  const { kept } = attempt;
  const challenge = await expectedChallenge(context, PURPOSE, kept);
  const response = attempt.response as AuthenticationResponseJSON;
  const row = await db.query
    .selectFrom('passkey')
    .innerJoin('operator', 'operator.id', 'passkey.operator_id')
    .selectAll('operator')
    .select(['passkey.id as passkeyId', 'passkey.sealed', 'passkey.counter'])
    .where('credential_hash', '=', vault.hash('passkey', String(response.id)))
    .executeTakeFirst();
  if (!row || challenge === undefined || kept === undefined) throw refusal(parts);
  const operator = readOperator(vault, row);
  const credential = openCredential(vault, { id: row.passkeyId, sealed: row.sealed });
  const counter = await verify(parts.publicUrl, { response, challenge, counter: row.counter, credential });
  const owns = response.response.userHandle === Buffer.from(row.id).toString('base64url');
  if (counter === undefined || !owns) throw refusal(parts, operator.id);

  const signedIn = await changeOperators(context, async (trx, now, tell) => {
    if (!(await useChallenge(trx, kept, challenge, now))) return undefined;
    // The passkey may have been removed, or used by a copy of it, during the comparison.
    const { numUpdatedRows } = await trx
      .updateTable('passkey')
      .set({ counter, last_used_at: now })
      .where('id', '=', row.passkeyId)
      .where('counter', '=', row.counter)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return undefined;
    return openSession(parts, trx, row, attempt, now, tell, { with: 'passkey' });
  });
  if (!signedIn) throw refusal(parts, operator.id);
  return signedIn;
}

interface Answer {
  response: AuthenticationResponseJSON;
  challenge: string;
  counter: number;
  credential: { id: string; publicKey: string };
}

/** Returns the new counter, or undefined if the response is not right. */
async function verify(publicUrl: string, answer: Answer): Promise<number | undefined> {
  const { response, challenge, counter, credential } = answer;
  const site = siteOf(publicUrl);
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.id,
      requireUserVerification: true,
      credential: {
        id: credential.id,
        publicKey: new Uint8Array(Buffer.from(credential.publicKey, 'base64url')),
        counter,
      },
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch {
    return undefined; // Whatever the client sent, the answer is the same.
  }
}

function refusal({ context }: SignInParts, operatorId: string | null = null): DoorlistError {
  context.meter.signInFailed();
  context.log.warn({ operator: operatorId }, 'sign-in with a passkey refused');
  return new DoorlistError('unauthorized', PASSKEY_REFUSAL);
}
