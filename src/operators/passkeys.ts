import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Selectable } from 'kysely';
import type { PasskeyTable } from '../db/tables.ts';
import { DoorlistError, invalid, notFound } from '../lib/errors.ts';
import { formatId, newId, parseId } from '../lib/ids.ts';
import { ifReadable } from '../vault/crypto.ts';
import { changeOperators, recordAudit } from './audit.ts';
import type { OperatorContext } from './context.ts';
import { checkName, readOperator } from './operator.ts';
import { type AccountParts, requireFreshSignIn, requireOwnRow } from './own-account.ts';
import {
  type Challenge,
  expectedChallenge,
  newChallenge,
  type Site,
  siteOf,
  useChallenge,
} from './passkey-challenge.ts';
import type { Actor } from './roles.ts';
import { ownId } from './sessions.ts';

/** What is sealed of a passkey. */
interface Credential {
  /** Base64url, as the next one. */
  id: string;
  publicKey: string;
  transports: string[];
  name: string;
}

export interface Passkey {
  id: string;
  name: string;
  createdAt: number;
  lastUsedAt: number | null;
}

/** EdDSA, ES256 and RS256: one of them is on every device. */
const ALGORITHMS = [-8, -7, -257];
const MOST_PASSKEYS = 20;
const DEFAULT_NAME = 'Passkey';
/** Nobody can sign in with it any more, but it can be removed. */
const DAMAGED_NAME = 'Damaged passkey';

export async function listPasskeys({ db, vault }: OperatorContext, actor: Actor): Promise<Passkey[]> {
  const rows = await db.query
    .selectFrom('passkey')
    .selectAll()
    .where('operator_id', '=', ownId(actor))
    .orderBy('id')
    .execute();
  return rows.map((row) => readPasskey(vault, row));
}

/** The options for `navigator.credentials.create()`, and the challenge in them. */
export async function startPasskey(
  parts: AccountParts & { publicUrl: string },
  actor: Actor,
  sessionId: string,
  password: string | undefined,
): Promise<{ options: object; challenge: Challenge }> {
  const { context } = parts;
  const { vault } = context;
  const site = siteOf(parts.publicUrl);
  const row = await requireFreshSignIn(parts, actor, sessionId, password);
  const { email, name } = readOperator(vault, row);
  const existing = await context.db.query
    .selectFrom('passkey')
    .selectAll()
    .where('operator_id', '=', row.id)
    .execute();
  if (existing.length >= MOST_PASSKEYS)
    throw new DoorlistError('conflict', `there are already ${MOST_PASSKEYS} passkeys: remove one first`);
  const challenge = await newChallenge(context, registration(actor, sessionId));
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
  const options = await generateRegistrationOptions({
    rpName: 'Doorlist',
    rpID: site.id,
    userName: email,
    userDisplayName: name,
    userID: new Uint8Array(row.id),
    challenge: new Uint8Array(Buffer.from(challenge.challenge, 'base64url')),
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: existing.flatMap((each) => ifReadable(() => openCredential(vault, each)) ?? []),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  return { options, challenge };
}

/** Adds the passkey that the browser created. */
export async function addPasskey(
  parts: AccountParts & { publicUrl: string },
  actor: Actor,
  sessionId: string,
  input: { name?: string | undefined; response: object; kept: string | undefined },
): Promise<Passkey> {
  const { context } = parts;
  const { vault } = context;
  const name = checkName(input.name ?? DEFAULT_NAME);
  const challenge = await expectedChallenge(context, registration(actor, sessionId), input.kept);
  if (challenge === undefined || input.kept === undefined) throw startAgain();
  const { kept } = input;
  const { credential } = await verify(siteOf(parts.publicUrl), challenge, input.response);
  const hash = vault.hash('passkey', credential.id);
  return changeOperators(context, async (trx, now, tell) => {
    const operator = await requireOwnRow(actor, trx);
    if (!(await useChallenge(trx, kept, challenge, now))) throw startAgain();
    const known = await trx
      .selectFrom('passkey')
      .select('id')
      .where('credential_hash', '=', hash)
      .executeTakeFirst();
    if (known) throw new DoorlistError('conflict', 'response: this passkey was already added');
    const id = newId(now);
    const sealed: Credential = {
      id: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      transports: credential.transports ?? [],
      name,
    };
    const row = await trx
      .insertInto('passkey')
      .values({
        id,
        operator_id: operator.id,
        credential_hash: hash,
        sealed: vault.seal('passkey.sealed', id, sealed),
        counter: credential.counter,
        created_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const passkey = readPasskey(vault, row);
    await recordAudit(context, trx, actor, { action: 'passkey.added', object: objectOf(passkey) }, now);
    tell(readOperator(vault, operator), { kind: 'passkey-added', address: actor.address });
    return passkey;
  });
}

export async function renamePasskey(
  context: OperatorContext,
  actor: Actor,
  id: string,
  text: string,
): Promise<Passkey> {
  const name = checkName(text);
  const { vault } = context;
  return changeOperators(context, async (trx, now) => {
    const row = await requirePasskey(trx, actor, id);
    const before = readPasskey(vault, row);
    const sealed = vault.seal('passkey.sealed', row.id, { ...openCredential(vault, row), name });
    await trx.updateTable('passkey').set({ sealed }).where('id', '=', row.id).execute();
    const event = { action: 'passkey.renamed' as const, object: objectOf(before), after: { name } };
    await recordAudit(context, trx, actor, { ...event, before: { name: before.name } }, now);
    return { ...before, name };
  });
}

export async function removePasskey(
  parts: AccountParts,
  actor: Actor,
  sessionId: string,
  id: string,
  password: string | undefined,
): Promise<void> {
  const { context } = parts;
  await requireFreshSignIn(parts, actor, sessionId, password);
  await changeOperators(context, async (trx, now) => {
    const row = await requirePasskey(trx, actor, id);
    await trx.deleteFrom('passkey').where('id', '=', row.id).execute();
    const object = objectOf(readPasskey(context.vault, row));
    await recordAudit(context, trx, actor, { action: 'passkey.removed', object }, now);
  });
}

async function requirePasskey(executor: OperatorContext['db']['query'], actor: Actor, id: string) {
  const row = await executor
    .selectFrom('passkey')
    .selectAll()
    .where('id', '=', parseId('pky', id) ?? Buffer.alloc(0))
    .where('operator_id', '=', ownId(actor))
    .executeTakeFirst();
  if (!row) throw notFound('there is no such passkey');
  return row;
}

/** Bound to the session, so that nobody can add a passkey to somebody else's account. */
function registration({ id }: Actor, sessionId: string): string {
  return `register ${id} ${sessionId}`;
}

async function verify({ id, origin }: Site, challenge: string, response: object) {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      supportedAlgorithmIDs: ALGORITHMS,
      requireUserVerification: true,
    });
    if (registrationInfo) return registrationInfo;
  } catch (error) {
    if (/response origin/.test((error as Error).message))
      throw invalid(`response: comes from another address than ${origin}`);
  }
  throw invalid('response: is not a passkey for this request');
}

function startAgain(): DoorlistError {
  return invalid('response: took too long, or was sent twice: start again');
}

export function openCredential(
  vault: OperatorContext['vault'],
  { id, sealed }: Pick<Selectable<PasskeyTable>, 'id' | 'sealed'>,
): Credential {
  return vault.open<Credential>('passkey.sealed', id, sealed);
}

function readPasskey(vault: OperatorContext['vault'], row: Selectable<PasskeyTable>): Passkey {
  return {
    id: formatId('pky', row.id),
    name: ifReadable(() => openCredential(vault, row))?.name ?? DAMAGED_NAME,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}

function objectOf({ id, name }: Passkey) {
  return { kind: 'passkey' as const, id, name };
}
