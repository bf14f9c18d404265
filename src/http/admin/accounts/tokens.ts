import Type from 'typebox';
import {
  closed,
  Deleted,
  EXAMPLE_TOKEN,
  nameInput,
  RoleName,
  TokenObject,
} from '../../../operations/core/schemas.ts';
import { parseTimeOrNull } from '../../../operations/core/times.ts';
import { createToken, listTokens, revokeToken } from '../../../operators/tokens.ts';
import { named, WORD, withExamples } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { presentToken } from './present.ts';

const tag = 'Admin tokens';

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

const TokenParams = Type.Object({
  tokenId: Type.String({ ...WORD, description: 'Id of the token.', examples: [EXAMPLE_TOKEN.id] }),
});

const listSchema = adminSchema({
  operationId: 'listAdminTokens',
  tag,
  summary: 'List admin tokens',
  description: 'Returns all tokens, without the tokens themselves.',
  role: 'admin',
  answer: { description: 'The tokens.', schema: TokenList, example: { tokens: [EXAMPLE_TOKEN] } },
});

const createSchema = adminSchema({
  operationId: 'createAdminToken',
  tag,
  summary: 'Create an admin token',
  description:
    'Creates a token and returns it, this once. Its role cannot be higher than yours. It ends when its creator is removed, ' +
    'or the token that created it is revoked.',
  role: 'admin',
  body: TokenRequest,
  answer: {
    status: 201,
    description: 'The token was created.',
    schema: CreatedToken,
    example: { ...EXAMPLE_TOKEN, token: 'dla_0Hx3Vb8NqT2mYz5KcR7wLs9PfJd4Ge1AuX7Qa' },
  },
});

const revokeSchema = adminSchema({
  operationId: 'revokeAdminToken',
  write: true,
  tag,
  summary: 'Revoke an admin token',
  description:
    'The token stops working at once, and so do the tokens and one-time links that were created with it. It stays in the list.',
  role: 'admin',
  params: TokenParams,
  answer: {
    description: 'The token was revoked.',
    schema: Deleted,
    example: { id: EXAMPLE_TOKEN.id, deleted: true },
  },
  errors: ['not_found'],
  special: { not_found: { when: 'The token does not exist.', message: 'there is no such token' } },
});

export function registerTokens(app: TypedApp, { context }: AdminParts): void {
  app.get('/tokens', { schema: listSchema }, async () => ({
    tokens: (await listTokens(context)).map(presentToken),
  }));

  app.post('/tokens', { schema: createSchema }, async ({ caller, body }, reply) => {
    const { name, role, expiresAt } = body;
    const created = await createToken(context, caller.actor, {
      name,
      role,
      expiresAt: expiresAt === undefined ? undefined : parseTimeOrNull(expiresAt, 'expiresAt'),
    });
    reply.code(201);
    return { ...presentToken(created), token: created.token };
  });

  app.delete('/tokens/:tokenId', { schema: revokeSchema }, async ({ caller, params }) => {
    const { tokenId: id } = params;
    await revokeToken(context, caller.actor, id);
    return { id, deleted: true as const };
  });
}
