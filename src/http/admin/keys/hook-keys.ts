import Type, { type Static, type TObject, type TSchema } from 'typebox';
import { closed, Deleted } from '../../../operations/core/schemas.ts';
import {
  type CreatedHookKey,
  HOOK_KEYS_MAX,
  type HookKeyChanges,
  type HookKeySummary,
} from '../../../waitlist/keys/hook-keys.ts';
import type { Context } from '../../../waitlist/queue/context.ts';
import type { Queue } from '../../../waitlist/queue/queue.ts';
import type { hookKeyProperties } from '../../../wire/hook-keys.ts';
import { limits, named, nullable, WORD, withExamples } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { domainFor, environmentQuery, requireQueue, waitlistParams } from '../core/waitlist-scope.ts';
import { keyName } from './schemas.ts';

type HookKeySchema = TObject<ReturnType<typeof hookKeyProperties>>;
type Presented = Static<HookKeySchema>;
type PresentedNew = Presented & { key: string; url: string };
/** Each kind takes what its schema has. */
type Body = HookKeyChanges & { provider: string; topic?: string | null };

/** A kind of key that is part of a URL which another service calls. */
export interface HookKeyKind {
  keys: {
    list(context: Context, queue: Queue): Promise<HookKeySummary[]>;
    create(context: Context, queue: Queue, input: Body): Promise<CreatedHookKey>;
    change(context: Context, queue: Queue, keyId: string, changes: Body): Promise<HookKeySummary>;
    remove(context: Context, queue: Queue, keyId: string): Promise<void>;
  };
  /** In a sentence, such as `gate key`. */
  called: string;
  /** In the names of schemas and operations, such as `GateKey`. */
  name: string;
  schema: HookKeySchema;
  example: Presented;
  createdSchema: TObject;
  createdExample: PresentedNew;
  /** Beside the name and the secret, of a key to create and of a change. */
  fields?: { create: Record<string, TSchema>; change: Record<string, TSchema> };
  present(key: HookKeySummary): Presented;
  presentCreated(created: CreatedHookKey, publicUrl: string): PresentedNew;
  /** What the service signs its requests with. */
  secret: { maxLength: number; description: string; refusal: string };
  /** The description of the operation that creates it. */
  creation: string;
  /** What happens once it is deleted. */
  deletion: string;
  requests: Record<
    'plain' | 'signed',
    { summary: string; value: { name: string; secret?: string; provider?: string } }
  >;
}

/** The routes under `/waitlists/{waitlistId}` that manage keys of one kind. */
export function registerHookKeys(app: TypedApp, parts: AdminParts, kind: HookKeyKind): void {
  const { keys } = kind;
  const { list, create, change, remove } = schemasOf(kind);
  const path = `/waitlists/:waitlistId/${kind.called.replaceAll(' ', '-')}s`;
  const onePath = `${path}/:${idParameter(kind)}`;
  const keyIdOf = (params: object) => (params as Record<string, string>)[idParameter(kind)] ?? '';

  app.get(path, { schema: list }, async ({ params, query }) => {
    const found = await keys.list(parts.waitlists, await requireQueue(parts, params, query));
    return { [listProperty(kind)]: found.map(kind.present) };
  });

  app.post(path, { schema: create }, async (request, reply) => {
    const queue = await requireQueue(parts, request.params, request.query);
    const created = await keys.create(domainFor(parts, request), queue, request.body as Body);
    reply.code(201);
    return kind.presentCreated(created, parts.publicUrl);
  });

  app.patch(onePath, { schema: change }, async (request) => {
    const { params, query, body } = request;
    const queue = await requireQueue(parts, params, query);
    const changed = await keys.change(domainFor(parts, request), queue, keyIdOf(params), body as Body);
    return kind.present(changed);
  });

  app.delete(onePath, { schema: remove }, async (request) => {
    const { params, query } = request;
    const queue = await requireQueue(parts, params, query);
    await keys.remove(domainFor(parts, request), queue, keyIdOf(params));
    return { id: keyIdOf(params), deleted: true as const };
  });
}

/** Of a response with all keys, such as `gateKeys`. */
function listProperty(kind: HookKeyKind): string {
  return `${propertyOf(kind)}s`;
}

/** Of the path of one key, such as `gateKeyId`. */
function idParameter(kind: HookKeyKind): string {
  return `${propertyOf(kind)}Id`;
}

function propertyOf({ name }: HookKeyKind): string {
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}

function schemasOf(kind: HookKeyKind) {
  const { called, name, example } = kind;
  const every = {
    tag: `${called.charAt(0).toUpperCase()}${called.slice(1)}s`,
    role: 'admin',
    querystring: Type.Object(environmentQuery, closed),
    errors: ['not_found'],
  } as const;
  const params = Type.Object(waitlistParams);
  const oneParams = Type.Object({
    ...waitlistParams,
    [idParameter(kind)]: Type.String({
      ...WORD,
      description: `Id of the ${called}.`,
      examples: [example.id],
    }),
  });
  const unknownWaitlist = {
    not_found: {
      when: 'The waitlist or the environment does not exist.',
      message: 'there is no waitlist wl_acme',
    },
  };
  const unknownKey = {
    not_found: {
      when: `The waitlist or the ${called} does not exist.`,
      message: `there is no ${called} ${example.id}`,
    },
  };
  const badSecret = { invalid_request: { message: `secret: ${kind.secret.refusal}` } };
  const bodies = bodiesOf(kind);

  return {
    list: adminSchema({
      ...every,
      operationId: `list${name}s`,
      summary: `List ${called}s`,
      description: `Returns the ${called}s of a waitlist in one environment, without the keys themselves.`,
      params,
      answer: {
        description: `The ${called}s.`,
        schema: listOf(kind),
        example: { [listProperty(kind)]: [example] },
      },
      special: unknownWaitlist,
    }),
    create: adminSchema({
      ...every,
      operationId: `create${name}`,
      summary: `Create a ${called}`,
      description: kind.creation,
      params,
      body: bodies.request,
      answer: {
        status: 201,
        description: `The ${called} was created.`,
        schema: kind.createdSchema,
        example: kind.createdExample,
      },
      errors: ['not_found', 'conflict'],
      special: {
        ...unknownWaitlist,
        ...badSecret,
        conflict: {
          when: `There are ${HOOK_KEYS_MAX} ${called}s already.`,
          message: `a waitlist has at most ${HOOK_KEYS_MAX} ${called}s: delete one first`,
        },
      },
    }),
    change: adminSchema({
      ...every,
      operationId: `update${name}`,
      summary: `Change a ${called}`,
      description: 'Renames it, or sets the secret that the provider shows once it knows the URL.',
      params: oneParams,
      body: bodies.change,
      answer: { description: `The ${called}.`, schema: kind.schema, example },
      special: { ...unknownKey, ...badSecret },
    }),
    remove: adminSchema({
      ...every,
      operationId: `delete${name}`,
      write: true,
      summary: `Delete a ${called}`,
      description: `The key stops working at once: ${kind.deletion}`,
      params: oneParams,
      answer: {
        description: `The ${called} was deleted.`,
        schema: Deleted,
        example: { id: example.id, deleted: true },
      },
      special: unknownKey,
    }),
  };
}

function bodiesOf({ called, name, example, secret, requests, fields: own }: HookKeyKind) {
  const fields = {
    name: keyName,
    secret: Type.Optional(
      nullable<string>('string', {
        ...limits({ maxLength: secret.maxLength }),
        description: `${secret.description} A key with one refuses unsigned requests. \`null\` for none.`,
      }),
    ),
  };
  const request = Type.Object(
    { ...own?.create, ...fields },
    {
      ...named(`${name}Request`),
      ...closed,
      description: `A ${called} to create.`,
      ...withExamples(requests),
    },
  );
  const change = Type.Object(
    { ...fields, ...own?.change },
    {
      ...named(`${name}Change`),
      ...closed,
      ...limits({ minProperties: 1 }),
      description: 'What to change.',
      ...withExamples({ rename: { summary: 'Rename it', value: { name: example.name } } }),
    },
  );
  return { request, change };
}

function listOf(kind: HookKeyKind) {
  const { called, name, schema } = kind;
  return Type.Object(
    {
      [listProperty(kind)]: Type.Array(schema, {
        maxItems: HOOK_KEYS_MAX,
        description: 'In the order in which they were created.',
      }),
    },
    { ...named(`${name}s`), description: `The ${called}s of a waitlist in one environment.` },
  );
}
