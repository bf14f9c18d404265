import Type, { type Static } from 'typebox';
import { isoTime, isoTimeOrNull } from '../../lib/time.ts';
import { type AdminToken, createToken, listTokens, revokeToken } from '../../operators/tokens.ts';
import { idPattern, named, nullable, time, timeOrNull, WORD, withExamples } from '../../wire/schema.ts';
import { operation } from '../core/operation.ts';
import { closed, Deleted, nameInput, RoleName } from '../core/schemas.ts';
import { parseTimeOrNull } from '../core/times.ts';

const tag = 'Admin tokens';
const scope = 'installation';

export const TokenObject = Type.Object(
  {
    id: Type.String({ ...idPattern('tok'), description: 'Unique id of the token.' }),
    name: Type.String({ description: 'What the token is for.' }),
    role: RoleName,
    hint: Type.String({ description: 'Last four characters of the token.' }),
    createdAt: time('When the token was created.'),
    expiresAt: timeOrNull('When the token expires. `null`: never.'),
    revokedAt: timeOrNull('When the token was revoked.'),
    lastUsedAt: timeOrNull('When the token was last used, to the minute.'),
    createdBy: nullable<string>('string', {
      description:
        'Who created it: kind and id, such as `operator:opr_…` or `token:tok_…`, or `command-line`. `null` if it is not known.',
    }),
  },
  { ...named('AdminToken'), description: 'A token for automation. The token itself is shown only once.' },
);

const EXAMPLE_TOKEN = {
  id: 'tok_06gxx2p9r1yn1vp1ryss481fhw',
  name: 'Terraform',
  role: 'admin',
  hint: 'x7Qa',
  createdAt: '2026-11-15T09:30:00.000Z',
  expiresAt: '2027-02-13T09:30:00.000Z',
  revokedAt: null,
  lastUsedAt: null,
  createdBy: 'operator:opr_06gxx2p9r1yn1vp1ryss481fhw',
};

const TokenList = Type.Object(
  { tokens: Type.Array(TokenObject, { description: 'In the order in which they were created.' }) },
  { ...named('AdminTokenList'), description: 'All admin tokens, the revoked ones among them.' },
);

const TokenRequest = Type.Object(
  {
    name: nameInput,
    role: RoleName,
    expiresAt: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        ...WORD,
        description:
          'ISO 8601 time after which the token stops working. Omit it for a token that does not expire, or, if you use a token that ' +
          'expires, for one that expires with it. It cannot be later than that.',
      }),
    ),
  },
  {
    ...named('AdminTokenRequest'),
    ...closed,
    description: 'A token to create.',
    ...withExamples({
      terraform: {
        summary: 'A token for Terraform',
        value: { name: 'Terraform', role: 'admin', expiresAt: '2027-02-13T09:30:00.000Z' },
      },
    }),
  },
);

const CreatedToken = Type.Object(
  {
    ...TokenObject.properties,
    token: Type.String({ description: 'The token. It is shown only here.' }),
  },
  { ...named('CreatedAdminToken'), description: 'A new token.' },
);

export const tokens = [
  operation({
    id: 'listAdminTokens',
    at: 'GET /tokens',
    tag,
    summary: 'List admin tokens',
    description: 'Returns all tokens, without the tokens themselves.',
    role: 'admin',
    scope,
    answer: { description: 'The tokens.', schema: TokenList, example: { tokens: [EXAMPLE_TOKEN] } },
    run: async ({ parts }) => ({ tokens: (await listTokens(parts.context)).map(presentToken) }),
  }),
  operation({
    id: 'createAdminToken',
    at: 'POST /tokens',
    tag,
    summary: 'Create an admin token',
    description:
      'Creates a token and returns it, this once. Its role cannot be higher than yours. It ends when its creator is removed, ' +
      'or the token that created it is revoked.',
    role: 'admin',
    scope,
    body: TokenRequest,
    answer: {
      status: 201,
      description: 'The token was created.',
      schema: CreatedToken,
      example: { ...EXAMPLE_TOKEN, token: 'dla_0Hx3Vb8NqT2mYz5KcR7wLs9PfJd4Ge1AuX7Qa' },
    },
    run: async ({ parts, actor, body: { name, role, expiresAt } }) => {
      const created = await createToken(parts.context, actor, {
        name,
        role,
        expiresAt: expiresAt === undefined ? undefined : parseTimeOrNull(expiresAt, 'expiresAt'),
      });
      return { ...presentToken(created), token: created.token };
    },
  }),
  operation({
    id: 'revokeAdminToken',
    at: 'DELETE /tokens/:tokenId',
    tag,
    summary: 'Revoke an admin token',
    description:
      'The token stops working at once, and so do the tokens and one-time links that were created with it. It stays in the list.',
    role: 'admin',
    scope,
    params: {
      tokenId: Type.String({ ...WORD, description: 'Id of the token.', examples: [EXAMPLE_TOKEN.id] }),
    },
    answer: {
      description: 'The token was revoked.',
      schema: Deleted,
      example: { id: EXAMPLE_TOKEN.id, deleted: true },
    },
    run: async ({ parts, actor, params: { tokenId: id } }) => {
      await revokeToken(parts.context, actor, id);
      return { id, deleted: true as const };
    },
  }),
];

export function presentToken(token: AdminToken): Static<typeof TokenObject> {
  const { id, name, role, hint, createdAt, expiresAt, revokedAt, lastUsedAt, createdBy } = token;
  return {
    ...{ id, name, role, hint, createdBy },
    createdAt: isoTime(createdAt),
    expiresAt: isoTimeOrNull(expiresAt),
    revokedAt: isoTimeOrNull(revokedAt),
    lastUsedAt: isoTimeOrNull(lastUsedAt),
  };
}
