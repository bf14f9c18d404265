import Type from 'typebox';
import { gateKeys } from '../../../waitlist/gate/gate-keys.ts';
import { HOOK_KEYS_MAX } from '../../../waitlist/keys/hook-keys.ts';
import {
  CreatedGateKeySchema,
  EXAMPLE_GATE_KEY as EXAMPLE,
  EXAMPLE_GATE_SECRET,
  GateKeySchema,
  presentCreatedGateKey,
} from '../../../wire/gate-key.ts';
import { presentHookKey } from '../../../wire/hook-key.ts';
import { limits, named, nullable, withExamples } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { closed, Deleted } from '../core/schemas.ts';
import { domainFor, environmentQuery, requireQueue, waitlistParams } from '../core/waitlist-scope.ts';
import { keyName } from './schemas.ts';

const every = {
  tag: 'Gate keys',
  role: 'admin',
  querystring: Type.Object(environmentQuery, closed),
  errors: ['not_found'],
} as const;
const Params = Type.Object(waitlistParams);
const GateKeyParams = Type.Object({
  ...waitlistParams,
  gateKeyId: Type.String({ description: 'Id of the gate key.', examples: [EXAMPLE.id] }),
});

const unknownWaitlist = {
  not_found: {
    when: 'The waitlist or the environment does not exist.',
    message: 'there is no waitlist wl_acme',
  },
};
const unknownKey = {
  not_found: {
    when: 'The waitlist or the gate key does not exist.',
    message: `there is no gate key ${EXAMPLE.id}`,
  },
};
const badSecret = { invalid_request: { message: 'secret: must be the secret that the provider shows' } };

const fields = {
  name: keyName,
  secret: Type.Optional(
    nullable<string>('string', {
      ...limits({ maxLength: 200 }),
      description:
        'The secret that the provider signs its requests with, for Supabase and WorkOS. A key with one refuses unsigned requests. `null` for none.',
    }),
  ),
};

const GateKeyRequest = Type.Object(fields, {
  ...named('GateKeyRequest'),
  ...closed,
  description: 'A gate key to create.',
  ...withExamples({
    plain: { summary: 'For your own backend, Auth0 or Kinde', value: { name: 'Backend' } },
    signed: {
      summary: 'For Supabase',
      value: { name: 'Supabase', secret: 'v1,whsec_YW4gZXhhbXBsZSBzZWNyZXQsIG5vdCBhIHJlYWwgb25l' },
    },
  }),
});

const GateKeyChange = Type.Object(fields, {
  ...named('GateKeyChange'),
  ...closed,
  ...limits({ minProperties: 1 }),
  description: 'What to change.',
  ...withExamples({ rename: { summary: 'Rename it', value: { name: 'Supabase' } } }),
});

const GateKeys = Type.Object(
  {
    gateKeys: Type.Array(GateKeySchema, {
      maxItems: HOOK_KEYS_MAX,
      description: 'In the order in which they were created.',
    }),
  },
  { ...named('GateKeys'), description: 'The gate keys of a waitlist in one environment.' },
);

const listSchema = adminSchema({
  ...every,
  operationId: 'listGateKeys',
  summary: 'List gate keys',
  description: 'Returns the gate keys of a waitlist in one environment, without the keys themselves.',
  params: Params,
  answer: { description: 'The gate keys.', schema: GateKeys, example: { gateKeys: [EXAMPLE] } },
  special: unknownWaitlist,
});

const createSchema = adminSchema({
  ...every,
  operationId: 'createGateKey',
  summary: 'Create a gate key',
  description:
    'Creates a key for `POST /gate/v1/{gateKey}`, which lets only invited people sign up to your product, and returns it, this once.',
  params: Params,
  body: GateKeyRequest,
  answer: {
    status: 201,
    description: 'The gate key was created.',
    schema: CreatedGateKeySchema,
    example: {
      ...EXAMPLE,
      key: EXAMPLE_GATE_SECRET,
      url: `https://waitlist.example.com/gate/v1/${EXAMPLE_GATE_SECRET}`,
    },
  },
  errors: ['not_found', 'conflict'],
  special: {
    ...unknownWaitlist,
    ...badSecret,
    conflict: {
      when: `There are ${HOOK_KEYS_MAX} gate keys already.`,
      message: `a waitlist has at most ${HOOK_KEYS_MAX} gate keys: delete one first`,
    },
  },
});

const changeSchema = adminSchema({
  ...every,
  operationId: 'updateGateKey',
  summary: 'Change a gate key',
  description: 'Renames it, or sets the secret that the provider shows once it knows the URL.',
  params: GateKeyParams,
  body: GateKeyChange,
  answer: { description: 'The gate key.', schema: GateKeySchema, example: EXAMPLE },
  special: { ...unknownKey, ...badSecret },
});

const deleteSchema = adminSchema({
  ...every,
  operationId: 'deleteGateKey',
  write: true,
  summary: 'Delete a gate key',
  description: 'The key stops working at once: with it, nobody can sign up any more.',
  params: GateKeyParams,
  answer: {
    description: 'The gate key was deleted.',
    schema: Deleted,
    example: { id: EXAMPLE.id, deleted: true },
  },
  special: unknownKey,
});

export function registerGateKeys(app: TypedApp, parts: AdminParts): void {
  const path = '/waitlists/:waitlistId/gate-keys';

  app.get(path, { schema: listSchema }, async ({ params, query }) => {
    const keys = await gateKeys.list(parts.waitlists, await requireQueue(parts, params, query));
    return { gateKeys: keys.map(presentHookKey) };
  });

  app.post(path, { schema: createSchema }, async (request, reply) => {
    const queue = await requireQueue(parts, request.params, request.query);
    const created = await gateKeys.create(domainFor(parts, request), queue, request.body);
    reply.code(201);
    return presentCreatedGateKey(created, parts.publicUrl);
  });

  app.patch(`${path}/:gateKeyId`, { schema: changeSchema }, async (request) => {
    const { params, query, body } = request;
    const queue = await requireQueue(parts, params, query);
    return presentHookKey(await gateKeys.change(domainFor(parts, request), queue, params.gateKeyId, body));
  });

  app.delete(`${path}/:gateKeyId`, { schema: deleteSchema }, async (request) => {
    const { params, query } = request;
    const queue = await requireQueue(parts, params, query);
    await gateKeys.remove(domainFor(parts, request), queue, params.gateKeyId);
    return { id: params.gateKeyId, deleted: true as const };
  });
}
