import Type from 'typebox';
import { HOOK_KEYS_MAX } from '../../../waitlist/keys/hook-keys.ts';
import { mailEventKeys } from '../../../waitlist/mail-events/mail-event-keys.ts';
import { presentHookKey } from '../../../wire/hook-key.ts';
import {
  CreatedMailEventKeySchema,
  EXAMPLE_MAIL_EVENT_KEY as EXAMPLE,
  EXAMPLE_MAIL_EVENT_SECRET,
  MailEventKeySchema,
  presentCreatedMailEventKey,
} from '../../../wire/mail-event-key.ts';
import { limits, named, nullable, withExamples } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { closed, Deleted } from '../core/schemas.ts';
import { domainFor, environmentQuery, requireQueue, waitlistParams } from '../core/waitlist-scope.ts';
import { keyName } from './schemas.ts';

const every = {
  tag: 'Mail event keys',
  role: 'admin',
  querystring: Type.Object(environmentQuery, closed),
  errors: ['not_found'],
} as const;
const Params = Type.Object(waitlistParams);
const MailEventKeyParams = Type.Object({
  ...waitlistParams,
  mailEventKeyId: Type.String({ description: 'Id of the mail event key.', examples: [EXAMPLE.id] }),
});

const unknownWaitlist = {
  not_found: {
    when: 'The waitlist or the environment does not exist.',
    message: 'there is no waitlist wl_acme',
  },
};
const unknownKey = {
  not_found: {
    when: 'The waitlist or the mail event key does not exist.',
    message: `there is no mail event key ${EXAMPLE.id}`,
  },
};
const badSecret = {
  invalid_request: {
    message: 'secret: must be the signing secret or the verification key that the provider shows',
  },
};

const fields = {
  name: keyName,
  secret: Type.Optional(
    nullable<string>('string', {
      ...limits({ maxLength: 300 }),
      description:
        'The signing secret of Resend or Mailgun, or the verification key of SendGrid. A key with one refuses unsigned requests. `null` for none.',
    }),
  ),
};

const MailEventKeyRequest = Type.Object(fields, {
  ...named('MailEventKeyRequest'),
  ...closed,
  description: 'A mail event key to create.',
  ...withExamples({
    plain: { summary: 'For your own backend, Amazon SES or Postmark', value: { name: 'Amazon SES' } },
    signed: {
      summary: 'For Resend',
      value: { name: 'Resend', secret: 'whsec_YW4gZXhhbXBsZSBzZWNyZXQsIG5vdCBhIHJlYWwgb25l' },
    },
  }),
});

const MailEventKeyChange = Type.Object(fields, {
  ...named('MailEventKeyChange'),
  ...closed,
  ...limits({ minProperties: 1 }),
  description: 'What to change.',
  ...withExamples({ rename: { summary: 'Rename it', value: { name: 'Resend' } } }),
});

const MailEventKeys = Type.Object(
  {
    mailEventKeys: Type.Array(MailEventKeySchema, {
      maxItems: HOOK_KEYS_MAX,
      description: 'In the order in which they were created.',
    }),
  },
  { ...named('MailEventKeys'), description: 'The mail event keys of a waitlist in one environment.' },
);

const listSchema = adminSchema({
  ...every,
  operationId: 'listMailEventKeys',
  summary: 'List mail event keys',
  description: 'Returns the mail event keys of a waitlist in one environment, without the keys themselves.',
  params: Params,
  answer: {
    description: 'The mail event keys.',
    schema: MailEventKeys,
    example: { mailEventKeys: [EXAMPLE] },
  },
  special: unknownWaitlist,
});

const createSchema = adminSchema({
  ...every,
  operationId: 'createMailEventKey',
  summary: 'Create a mail event key',
  description:
    'Creates a key for `POST /mail-events/v1/{key}`, with which your mail provider reports bounces and complaints, and returns it, this once.',
  params: Params,
  body: MailEventKeyRequest,
  answer: {
    status: 201,
    description: 'The mail event key was created.',
    schema: CreatedMailEventKeySchema,
    example: {
      ...EXAMPLE,
      key: EXAMPLE_MAIL_EVENT_SECRET,
      url: `https://waitlist.example.com/mail-events/v1/${EXAMPLE_MAIL_EVENT_SECRET}`,
    },
  },
  errors: ['not_found', 'conflict'],
  special: {
    ...unknownWaitlist,
    ...badSecret,
    conflict: {
      when: `There are ${HOOK_KEYS_MAX} mail event keys already.`,
      message: `a waitlist has at most ${HOOK_KEYS_MAX} mail event keys: delete one first`,
    },
  },
});

const changeSchema = adminSchema({
  ...every,
  operationId: 'updateMailEventKey',
  summary: 'Change a mail event key',
  description: 'Renames it, or sets the secret that the provider shows once it knows the URL.',
  params: MailEventKeyParams,
  body: MailEventKeyChange,
  answer: { description: 'The mail event key.', schema: MailEventKeySchema, example: EXAMPLE },
  special: { ...unknownKey, ...badSecret },
});

const deleteSchema = adminSchema({
  ...every,
  operationId: 'deleteMailEventKey',
  write: true,
  summary: 'Delete a mail event key',
  description: 'The key stops working at once: what the provider reports with it is refused.',
  params: MailEventKeyParams,
  answer: {
    description: 'The mail event key was deleted.',
    schema: Deleted,
    example: { id: EXAMPLE.id, deleted: true },
  },
  special: unknownKey,
});

export function registerMailEventKeys(app: TypedApp, parts: AdminParts): void {
  const path = '/waitlists/:waitlistId/mail-event-keys';

  app.get(path, { schema: listSchema }, async ({ params, query }) => {
    const keys = await mailEventKeys.list(parts.waitlists, await requireQueue(parts, params, query));
    return { mailEventKeys: keys.map(presentHookKey) };
  });

  app.post(path, { schema: createSchema }, async (request, reply) => {
    const queue = await requireQueue(parts, request.params, request.query);
    const created = await mailEventKeys.create(domainFor(parts, request), queue, request.body);
    reply.code(201);
    return presentCreatedMailEventKey(created, parts.publicUrl);
  });

  app.patch(`${path}/:mailEventKeyId`, { schema: changeSchema }, async (request) => {
    const { params, query, body } = request;
    const queue = await requireQueue(parts, params, query);
    return presentHookKey(
      await mailEventKeys.change(domainFor(parts, request), queue, params.mailEventKeyId, body),
    );
  });

  app.delete(`${path}/:mailEventKeyId`, { schema: deleteSchema }, async (request) => {
    const { params, query } = request;
    const queue = await requireQueue(parts, params, query);
    await mailEventKeys.remove(domainFor(parts, request), queue, params.mailEventKeyId);
    return { id: params.mailEventKeyId, deleted: true as const };
  });
}
