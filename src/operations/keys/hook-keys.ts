import Type, { type Static, type TObject, type TSchema } from 'typebox';
import {
  type CreatedHookKey,
  HOOK_KEYS_MAX,
  type HookKeyChanges,
  type HookKeySummary,
} from '../../waitlist/keys/hook-keys.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import type { hookKeyProperties } from '../../wire/keys.ts';
import { limits, named, nullable, SECRET, WORD, withExamples } from '../../wire/schema.ts';
import { operation } from '../core/operation.ts';
import { closed, Deleted } from '../core/schemas.ts';
import { keyName } from './server-key-schemas.ts';

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

/** The operations that manage keys of one kind. */
export function hookKeyOperations(kind: HookKeyKind) {
  const { keys, called, name, example } = kind;
  const path = `/waitlists/:waitlistId/${called.replaceAll(' ', '-')}s` as const;
  const every = {
    tag: `${called.charAt(0).toUpperCase()}${called.slice(1)}s`,
    role: 'admin',
    scope: 'queue',
  } as const;
  const ofOne = {
    ...every,
    params: {
      [idParameter(kind)]: Type.String({
        ...WORD,
        description: `Id of the ${called}.`,
        examples: [example.id],
      }),
    },
  };
  const onePath = `${path}/:${idParameter(kind)}` as const;
  const idOf = (params: object) => (params as Record<string, string>)[idParameter(kind)] ?? '';
  const badSecret = { invalid_request: { message: `secret: ${kind.secret.refusal}` } };
  const bodies = bodiesOf(kind);
  return [
    operation({
      ...every,
      id: `list${name}s`,
      at: `GET ${path}`,
      summary: `List ${called}s`,
      description: `Returns the ${called}s of a waitlist in one environment, without the keys themselves.`,
      answer: {
        description: `The ${called}s.`,
        schema: listOf(kind),
        example: { [listProperty(kind)]: [example] },
      },
      run: async ({ context, queue }) => ({
        [listProperty(kind)]: (await keys.list(context, queue)).map(kind.present),
      }),
    }),
    operation({
      ...every,
      id: `create${name}`,
      at: `POST ${path}`,
      summary: `Create a ${called}`,
      description: kind.creation,
      body: bodies.request,
      answer: {
        status: 201,
        description: `The ${called} was created.`,
        schema: kind.createdSchema,
        example: kind.createdExample,
      },
      errors: {
        ...badSecret,
        conflict: {
          when: `There are ${HOOK_KEYS_MAX} ${called}s already.`,
          message: `a waitlist has at most ${HOOK_KEYS_MAX} ${called}s: delete one first`,
        },
      },
      run: async ({ context, parts, queue, body }) =>
        kind.presentCreated(await keys.create(context, queue, body as Body), parts.publicUrl),
    }),
    operation({
      ...ofOne,
      id: `update${name}`,
      at: `PATCH ${onePath}`,
      summary: `Change a ${called}`,
      description: 'Renames it, or sets the secret that the provider shows once it knows the URL.',
      body: bodies.change,
      answer: { description: `The ${called}.`, schema: kind.schema, example },
      errors: badSecret,
      run: async ({ context, queue, params, body }) =>
        kind.present(await keys.change(context, queue, idOf(params), body as Body)),
    }),
    operation({
      ...ofOne,
      id: `delete${name}`,
      at: `DELETE ${onePath}`,
      summary: `Delete a ${called}`,
      description: `The key stops working at once: ${kind.deletion}`,
      answer: {
        description: `The ${called} was deleted.`,
        schema: Deleted,
        example: { id: example.id, deleted: true },
      },
      run: async ({ context, queue, params }) => {
        const id = idOf(params);
        await keys.remove(context, queue, id);
        return { id, deleted: true as const };
      },
    }),
  ];
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

function bodiesOf({ called, name, example, secret, requests, fields: own }: HookKeyKind) {
  const fields = {
    name: keyName,
    secret: Type.Optional(
      nullable<string>('string', {
        ...limits({ maxLength: secret.maxLength }),
        ...SECRET,
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
