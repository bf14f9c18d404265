import type { FastifyRequest } from 'fastify';
import { isoTime, isoTimeOrNull } from '../../../lib/time.ts';
import { Deleted } from '../../../operations/core/schemas.ts';
import {
  EXAMPLE_OPERATOR,
  OperatorObject,
  presentOperator,
} from '../../../operations/operators/operators.ts';
import {
  PASSKEY_REFUSAL,
  signInWithPasskey,
  startPasskeySignIn,
} from '../../../operators/passkey-sign-in.ts';
import {
  addPasskey,
  listPasskeys,
  type Passkey,
  removePasskey,
  renamePasskey,
  startPasskey,
} from '../../../operators/passkeys.ts';
import type { TypedApp } from '../../typed-app.ts';
import { type AdminParts, clientDetails, personOf, startSession, takeSignIn } from '../core/admin-parts.ts';
import { adminSchema } from '../core/operation.ts';
import {
  CHALLENGE_SECONDS,
  CreationOptions,
  EXAMPLE,
  EXAMPLE_ID,
  FreshPassword,
  freshness,
  NewPasskey,
  notFound,
  PasskeyAnswer,
  PasskeyList,
  PasskeyName,
  PasskeyObject,
  PasskeyParams,
  RequestOptions,
  tag,
  unsuited,
} from './passkey-schemas.ts';

const listSchema = adminSchema({
  operationId: 'listPasskeys',
  tag,
  summary: 'List passkeys',
  description: 'Returns the passkeys of the signed-in operator.',
  role: 'viewer',
  person: true,
  answer: { description: 'The passkeys.', schema: PasskeyList, example: { passkeys: [EXAMPLE] } },
});

const startSchema = adminSchema({
  operationId: 'startPasskey',
  tag,
  summary: 'Start adding a passkey',
  description:
    'Returns the options for the browser. They work once, for five minutes, in this browser and session.',
  role: 'viewer',
  person: true,
  body: FreshPassword,
  answer: {
    description: 'The options.',
    schema: CreationOptions,
    example: {
      rp: { name: 'Doorlist', id: 'waitlist.example.com' },
      challenge: '3q2-7wEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWc',
    },
  },
  errors: ['conflict'],
  special: { ...freshness, conflict: unsuited },
});

const addSchema = adminSchema({
  operationId: 'addPasskey',
  tag,
  summary: 'Add a passkey',
  description: 'Adds the passkey that the browser created with the options. The operator is told by email.',
  role: 'viewer',
  person: true,
  body: NewPasskey,
  answer: { status: 201, description: 'The passkey was added.', schema: PasskeyObject, example: EXAMPLE },
  errors: ['conflict'],
  special: {
    invalid_request: {
      when: 'The response does not fit the options, or they were used or have expired.',
      message: 'response: is not a passkey for this request',
    },
    conflict: {
      when: 'The passkey was added before.',
      message: 'response: this passkey was already added',
    },
  },
});

const renameSchema = adminSchema({
  operationId: 'renamePasskey',
  tag,
  summary: 'Rename a passkey',
  description: 'Changes the name of one of your passkeys.',
  role: 'viewer',
  person: true,
  params: PasskeyParams,
  body: PasskeyName,
  answer: { description: 'The passkey.', schema: PasskeyObject, example: EXAMPLE },
  errors: ['not_found'],
  special: notFound,
});

const removeSchema = adminSchema({
  operationId: 'removePasskey',
  tag,
  summary: 'Remove a passkey',
  description: 'Nobody can sign in with it any more. Sessions that it started go on.',
  role: 'viewer',
  person: true,
  params: PasskeyParams,
  body: FreshPassword,
  answer: {
    description: 'The passkey was removed.',
    schema: Deleted,
    example: { id: EXAMPLE_ID, deleted: true },
  },
  errors: ['not_found'],
  special: { ...notFound, ...freshness },
});

const startSignInSchema = adminSchema({
  operationId: 'startPasskeySignIn',
  write: true,
  tag: 'Sign-in',
  summary: 'Start signing in with a passkey',
  description: 'Returns the options for the browser. They work once, for five minutes, in this browser.',
  role: 'anyone',
  answer: {
    description: 'The options.',
    schema: RequestOptions,
    example: {
      rpId: 'waitlist.example.com',
      challenge: '3q2-7wEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWc',
      userVerification: 'required',
    },
  },
  errors: ['cross_site', 'conflict'],
  special: { conflict: unsuited },
});

const signInSchema = adminSchema({
  operationId: 'signInWithPasskey',
  tag: 'Sign-in',
  summary: 'Sign in with a passkey',
  description:
    'Starts a session and sets its cookie. A passkey needs no password and no code: it is both a device and the person who unlocks it.',
  role: 'anyone',
  body: PasskeyAnswer,
  answer: { description: 'The operator is signed in.', schema: OperatorObject, example: EXAMPLE_OPERATOR },
  errors: ['unauthorized', 'conflict'],
  special: {
    conflict: unsuited,
    unauthorized: {
      when: 'Something is wrong. The answer does not say which part.',
      message: PASSKEY_REFUSAL,
    },
  },
});

export function registerPasskeys(app: TypedApp, parts: AdminParts): void {
  const { context, cookies } = parts;
  app.get('/me/passkeys', { schema: listSchema }, async (request) => ({
    passkeys: (await listPasskeys(context, personOf(request).actor)).map(presentPasskey),
  }));

  app.post(
    '/me/passkeys/options',
    { schema: startSchema, preValidation: allowNoBody },
    async (request, reply) => {
      const { actor, sessionId } = personOf(request);
      const { password } = request.body;
      const { options, challenge } = await startPasskey(parts, actor, sessionId, password);
      cookies.setChallenge(reply, challenge.kept, CHALLENGE_SECONDS);
      return options;
    },
  );

  app.post('/me/passkeys', { schema: addSchema }, async (request, reply) => {
    const { actor, sessionId } = personOf(request);
    const { challenge: kept } = cookies.read(request);
    const passkey = await addPasskey(parts, actor, sessionId, { ...request.body, kept });
    cookies.clearChallenge(reply);
    reply.code(201);
    return presentPasskey(passkey);
  });

  app.patch('/me/passkeys/:passkeyId', { schema: renameSchema }, async (request) => {
    const { actor } = personOf(request);
    return presentPasskey(await renamePasskey(context, actor, request.params.passkeyId, request.body.name));
  });

  app.delete(
    '/me/passkeys/:passkeyId',
    { schema: removeSchema, preValidation: allowNoBody },
    async (request) => {
      const { actor, sessionId } = personOf(request);
      const { passkeyId: id } = request.params;
      await removePasskey(parts, actor, sessionId, id, request.body.password);
      return { id, deleted: true as const };
    },
  );

  app.post('/session/passkey/options', { schema: startSignInSchema }, async (request, reply) => {
    await takeSignIn(parts, request, reply);
    const { options, challenge } = await startPasskeySignIn(parts);
    cookies.setChallenge(reply, challenge.kept, CHALLENGE_SECONDS);
    return options;
  });

  app.post('/session/passkey', { schema: signInSchema }, async (request, reply) => {
    await takeSignIn(parts, request, reply);
    const { challenge: kept, session, device } = cookies.read(request);
    const { response } = request.body;
    const client = clientDetails(request);
    const signedIn = await signInWithPasskey(parts, { response, kept, session, device, client });
    cookies.clearChallenge(reply);
    startSession(parts, reply, signedIn);
    return presentOperator(signedIn.operator);
  });
}

async function allowNoBody(request: FastifyRequest): Promise<void> {
  request.body ??= {};
}

function presentPasskey({ id, name, createdAt, lastUsedAt }: Passkey) {
  return { id, name, createdAt: isoTime(createdAt), lastUsedAt: isoTimeOrNull(lastUsedAt) };
}
