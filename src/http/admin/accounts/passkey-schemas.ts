import Type from 'typebox';
import { closed, passwordInput } from '../../../operations/core/schemas.ts';
import { CHALLENGE_MS } from '../../../operators/passkey-challenge.ts';
import { constant, idPattern, named, time, timeOrNull, WORD, withExamples } from '../../../wire/schema.ts';

export const tag = 'Passkeys';
export const CHALLENGE_SECONDS = CHALLENGE_MS / 1_000;
export const EXAMPLE_ID = 'pky_06gxx2p9r1yn1vp1ryss481fhw';
export const EXAMPLE = {
  id: EXAMPLE_ID,
  name: 'MacBook',
  createdAt: '2026-11-15T09:30:00.000Z',
  lastUsedAt: null,
};
const EXAMPLE_CREDENTIAL_ID = 'dGhpcy1pcy1hLWNyZWRlbnRpYWw';

export const PasskeyObject = Type.Object(
  {
    id: Type.String({ ...idPattern('pky'), description: 'Unique id of the passkey.' }),
    name: Type.String({ description: 'Name that the operator gave it.' }),
    createdAt: time('When the passkey was added.'),
    lastUsedAt: timeOrNull('When the operator last signed in with it.'),
  },
  { ...named('Passkey'), description: 'A passkey of an operator.' },
);

export const PasskeyList = Type.Object(
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
export const CreationOptions = optionsSchema('PasskeyCreationOptions', 'create');
export const RequestOptions = optionsSchema('PasskeyRequestOptions', 'get');

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

export const FreshPassword = Type.Object(
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

export const NewPasskey = Type.Object(
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

export const PasskeyName = Type.Object(
  { name: nameInput },
  {
    ...named('PasskeyName'),
    ...closed,
    description: 'The new name.',
    ...withExamples({ name: { summary: 'A name', value: { name: 'MacBook' } } }),
  },
);

export const PasskeyAnswer = Type.Object(
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

export const PasskeyParams = Type.Object({
  passkeyId: Type.String({ ...WORD, description: 'Id of the passkey.', examples: [EXAMPLE_ID] }),
});

export const freshness = {
  forbidden: {
    when: 'The password is wrong, or it is required because the operator signed in a while ago.',
    message: 'password: is required, because you signed in a while ago',
  },
};
export const unsuited = {
  when: 'Browsers do not offer passkeys at this public URL.',
  message: 'passkeys require DOORLIST_PUBLIC_URL to be https:// with a host name, or http://localhost',
};
export const notFound = {
  not_found: { when: 'The passkey does not exist.', message: 'there is no such passkey' },
};
