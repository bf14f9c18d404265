import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { CHALLENGE_MS } from '../../../operators/passkey-challenge.ts';
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
import { isoTime, isoTimeOrNull } from '../../../time.ts';
import { constant, idPattern, named, time, timeOrNull, withExamples } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import { type AdminParts, addressOf, clientDetails, personOf, startSession } from '../core/parts.ts';
import { closed, Deleted, EXAMPLE_OPERATOR, OperatorObject, passwordInput } from '../core/schemas.ts';
import { presentOperator } from './present.ts';

const tag = 'Passkeys';
const CHALLENGE_SECONDS = CHALLENGE_MS / 1_000;
const EXAMPLE_ID = 'pky_06gxx2p9r1yn1vp1ryss481fhw';
const EXAMPLE = {
  id: EXAMPLE_ID,
  name: 'MacBook',
  createdAt: '2026-11-15T09:30:00.000Z',
  lastUsedAt: null,
};
const EXAMPLE_CREDENTIAL_ID = 'dGhpcy1pcy1hLWNyZWRlbnRpYWw';

const PasskeyObject = Type.Object(
  {
    id: Type.String({ ...idPattern('pky'), description: 'Unique id of the passkey.' }),
    name: Type.String({ description: 'Name that the operator gave it.' }),
    createdAt: time('When the passkey was added.'),
    lastUsedAt: timeOrNull('When the operator last signed in with it.'),
  },
  { ...named('Passkey'), description: 'A passkey of an operator.' },
);

const PasskeyList = Type.Object(
  { passkeys: Type.Array(PasskeyObject, { description: 'Oldest first.' }) },
  { ...named('PasskeyList'), description: 'All passkeys of an operator.' },
);

const optionsSchema = (name: string, method: string) =>
  Type.Unsafe<object>({
    type: 'object',
    additionalProperties: true,
    ...named(name),
    description: `Options for \`navigator.credentials.${method}()\`, as JSON: pass them to \`PublicKeyCredential.parse${method === 'create' ? 'Creation' : 'Request'}OptionsFromJSON()\`.`,
  });
const CreationOptions = optionsSchema('PasskeyCreationOptions', 'create');
const RequestOptions = optionsSchema('PasskeyRequestOptions', 'get');

/** As `PublicKeyCredential.toJSON()` gives it. The rest is checked where it is verified. */
const credentialFields = {
  id: Type.String({ minLength: 1, maxLength: 2_048, description: 'Id of the credential.' }),
  rawId: Type.String({ minLength: 1, maxLength: 2_048, description: 'The same id.' }),
  type: constant('public-key', 'Always `public-key`.'),
};

const Credential = Type.Object(
  {
    ...credentialFields,
    response: Type.Object({}, { additionalProperties: true, description: 'What the authenticator signed.' }),
  },
  {
    ...named('PasskeyCredential'),
    additionalProperties: true,
    description: 'What `PublicKeyCredential.toJSON()` returns.',
  },
);

const nameInput = Type.String({ minLength: 1, maxLength: 100, description: 'Name of the passkey.' });

const credentialExample = {
  id: EXAMPLE_CREDENTIAL_ID,
  rawId: EXAMPLE_CREDENTIAL_ID,
  type: 'public-key',
  response: { clientDataJSON: '…', attestationObject: '…' },
};

const FreshPassword = Type.Object(
  { password: Type.Optional(passwordInput) },
  {
    ...named('FreshPassword'),
    ...closed,
    'x-optional': true,
    description: 'The password, unless the operator signed in within the last ten minutes.',
    ...withExamples({
      password: { summary: 'The password', value: { password: 'compilers translate words' } },
    }),
  },
);

const NewPasskey = Type.Object(
  { name: Type.Optional(nameInput), response: Credential },
  {
    ...named('NewPasskey'),
    ...closed,
    description: 'The passkey that the browser created.',
    ...withExamples({
      passkey: { summary: 'A passkey', value: { name: 'MacBook', response: credentialExample } },
    }),
  },
);

const PasskeyName = Type.Object(
  { name: nameInput },
  {
    ...named('PasskeyName'),
    ...closed,
    description: 'The new name.',
    ...withExamples({ name: { summary: 'A name', value: { name: 'MacBook' } } }),
  },
);

const PasskeyAnswer = Type.Object(
  { response: Credential },
  {
    ...named('PasskeyAnswer'),
    ...closed,
    description: 'What the passkey signed.',
    ...withExamples({
      passkey: {
        summary: 'A signature',
        value: {
          response: {
            ...credentialExample,
            response: { clientDataJSON: '…', authenticatorData: '…', signature: '…', userHandle: '…' },
          },
        },
      },
    }),
  },
);

const PasskeyParams = Type.Object({
  passkeyId: Type.String({ description: 'Id of the passkey.', examples: [EXAMPLE_ID] }),
});

const freshness = {
  forbidden: {
    when: 'The password is wrong, or it is required because the operator signed in a while ago.',
    message: 'password: is required, because you signed in a while ago',
  },
};
const unsuited = {
  when: 'Browsers do not offer passkeys at this public URL.',
  message: 'passkeys require DOORLIST_PUBLIC_URL to be https:// with a host name, or http://localhost',
};
const notFound = {
  not_found: { when: 'The passkey does not exist.', message: 'there is no such passkey' },
};

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
  const { context, cookies, signIns } = parts;
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
    signIns.take(addressOf(request), reply);
    const { options, challenge } = await startPasskeySignIn(parts);
    cookies.setChallenge(reply, challenge.kept, CHALLENGE_SECONDS);
    return options;
  });

  app.post('/session/passkey', { schema: signInSchema }, async (request, reply) => {
    signIns.take(addressOf(request), reply);
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
