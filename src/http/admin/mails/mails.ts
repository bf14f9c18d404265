import Type from 'typebox';
import { invalid, notFound } from '../../../lib/errors.ts';
import { parseId } from '../../../lib/ids.ts';
import { type Mailable, resendableTo } from '../../../mail/mailable.ts';
import { listMails, listMailsAbout, listMailsTo, type MailDetails, showMail } from '../../../mail/mailbox.ts';
import { presentMail, presentMailLog } from '../../../mail/present.ts';
import { resendMail } from '../../../mail/resend.ts';
import { MAIL_KINDS, MAIL_STATES } from '../../../mail/templates/kinds.ts';
import { EXAMPLE_MAILABLE, MailableSchema, presentMailable } from '../../../operations/core/mailable.ts';
import {
  nextCursorSchema,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  pageQuery,
} from '../../../operations/core/pages.ts';
import { closed } from '../../../operations/core/schemas.ts';
import type { Queue } from '../../../waitlist/queue/queue.ts';
import {
  described,
  EMAIL,
  limits,
  named,
  nullable,
  oneOf,
  time,
  timeOrNull,
  WORD,
} from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { queueToRead } from '../core/reading.ts';
import { domainFor, environmentQuery, requireQueue, waitlistParams } from '../core/waitlist-scope.ts';
import {
  EnvironmentQuery,
  EXAMPLE_MAIL_ID,
  mailId,
  NO_MAIL,
  NO_WAITLIST,
  requireKind,
  sendingFor,
  tag,
  WaitlistParams,
} from './scope.ts';
import { templateFailure } from './template-schemas.ts';

const text = (description: string) => nullable<string>('string', { description });

const MAIL = {
  id: mailId,
  kind: Type.String({ description: 'Kind of email.' }),
  to: nullable<string>('string', {
    ...EMAIL,
    description: 'Recipient. `null` once the person was erased, or if it is damaged.',
  }),
  state: oneOf(MAIL_STATES, {
    ...named('MailState'),
    description:
      '`pending` waits for its next attempt, `sent` was accepted by the mail server, `failed` was given up, and `kept` is ' +
      'not sent, because there is no mail server or the environment is not production.',
  }),
  attempts: Type.Integer({ minimum: 0, description: 'Number of attempts so far.' }),
  error: text('What went wrong at the last attempt.'),
  createdAt: time('When the email was recorded.'),
  nextAttemptAt: timeOrNull('When the next attempt is due.'),
};

export const mailFields = MAIL;

const MailObject = Type.Object(MAIL, {
  ...named('Mail'),
  description: 'An email to a person on the waitlist.',
});

const MailPage = Type.Object(
  {
    mails: Type.Array(MailObject, { maxItems: PAGE_LIMIT_MAX, description: 'Newest first.' }),
    nextCursor: nextCursorSchema,
  },
  { ...named('MailPage'), description: 'One page of emails.' },
);

const MailDetailsObject = Type.Object(
  {
    ...MAIL,
    subject: text('Subject. `null` once the person was erased, or if it is damaged.'),
    from: text('Sender: name and address.'),
    html: text('HTML part.'),
    text: text('Text part.'),
    templateFailure,
    log: Type.Array(
      Type.Object(
        {
          attempt: Type.Integer({ minimum: 1, description: 'Number of the attempt.' }),
          at: time('When it ended.'),
          status: nullable<number>('integer', { description: 'Status from the mail server.' }),
          error: text('What went wrong.'),
          response: text('What the mail server said.'),
        },
        { ...named('MailAttempt'), description: 'One attempt to send an email.' },
      ),
      { description: 'Attempts, oldest first.' },
    ),
    mailable: described(MailableSchema, 'Whether the email is sent if it is due now or sent again.'),
  },
  { ...named('MailDetails'), description: 'An email as it is sent, and each attempt.' },
);

export const EXAMPLE_MAIL = {
  id: EXAMPLE_MAIL_ID,
  kind: 'welcome',
  to: 'ada@example.com',
  state: 'sent',
  attempts: 1,
  error: null,
  createdAt: '2026-11-15T09:30:00.000Z',
  nextAttemptAt: null,
};

const EXAMPLE_DETAILS = {
  ...EXAMPLE_MAIL,
  subject: 'You are on the Acme waitlist',
  from: 'Acme <team@acme.example>',
  html: '<!doctype html>…',
  text: 'You are number 42.',
  templateFailure: null,
  log: [{ attempt: 1, at: '2026-11-15T09:30:01.000Z', status: 250, error: null, response: '250 OK' }],
  mailable: EXAMPLE_MAILABLE,
};

const ListQuery = Type.Object(
  {
    ...environmentQuery,
    ...pageQuery,
    state: Type.Optional(
      oneOf(MAIL_STATES, { description: 'Only emails in this state.', examples: ['failed'] }),
    ),
    kind: Type.Optional(oneOf(MAIL_KINDS, { description: 'Only this kind.', examples: ['invite'] })),
    email: Type.Optional(
      Type.String({
        ...limits(EMAIL),
        description: 'Only emails to exactly this address. Not with `entry`, `state` or `kind`.',
        examples: ['ada@example.com'],
      }),
    ),
    entry: Type.Optional(
      Type.String({
        ...WORD,
        description: 'Only emails to or about this entry. Not with `state` or `kind`.',
        examples: ['ent_06gxx2p9r1yn1vp1ryss481fhw'],
      }),
    ),
  },
  closed,
);

const MailParams = Type.Object({
  ...waitlistParams,
  mailId: Type.String({ ...WORD, description: 'Id of the email.', examples: [EXAMPLE_MAIL_ID] }),
});

const listSchema = adminSchema({
  operationId: 'listMails',
  tag,
  summary: 'List emails',
  description:
    'Returns the emails of a waitlist, newest first. With a filter that few match, a page can be short: continue until ' +
    '`nextCursor` is `null`.',
  role: 'support',
  params: WaitlistParams,
  querystring: ListQuery,
  answer: {
    description: 'A page of emails.',
    schema: MailPage,
    example: { mails: [EXAMPLE_MAIL], nextCursor: null },
  },
  errors: ['not_found'],
  special: NO_WAITLIST,
});

const getSchema = adminSchema({
  operationId: 'getMail',
  tag,
  summary: 'Get an email',
  description: 'Returns an email as it is sent, and each attempt.',
  role: 'support',
  params: MailParams,
  querystring: EnvironmentQuery,
  answer: { description: 'The email.', schema: MailDetailsObject, example: EXAMPLE_DETAILS },
  errors: ['not_found'],
  special: NO_MAIL,
});

const resendSchema = adminSchema({
  operationId: 'resendMail',
  write: true,
  tag,
  summary: 'Resend an email',
  description:
    'Sends an email again. Refused for erased people, for addresses that bounced or unsubscribed, and for invites that have ended.',
  role: 'support',
  params: MailParams,
  querystring: EnvironmentQuery,
  answer: {
    description: 'The email, due now.',
    schema: MailDetailsObject,
    example: { ...EXAMPLE_DETAILS, state: 'pending', nextAttemptAt: '2026-11-15T09:40:00.000Z' },
  },
  errors: ['not_found'],
  special: NO_MAIL,
});

export function registerMailbox(app: TypedApp, parts: AdminParts): void {
  const { waitlists, emails } = parts;
  const path = '/waitlists/:waitlistId/mails';
  const read = async (queue: Queue, id: string) => {
    const details = await showMail(waitlists, queue, id, await sendingFor(parts));
    const kind = requireKind(details);
    return presentDetails(details, await resendableTo(waitlists, queue, kind, details.to, emails.smtp));
  };

  app.get(path, { schema: listSchema }, async (request) => {
    const { query } = request;
    const queue = await queueToRead(parts, request);
    const { limit = PAGE_LIMIT_DEFAULT, cursor, state, kind, entry, email } = query;
    if (email !== undefined && [state, kind, entry].some((other) => other !== undefined))
      throw invalid('email: cannot be combined with entry, state or kind');
    if (entry !== undefined && (state !== undefined || kind !== undefined))
      throw invalid('entry: cannot be combined with state or kind');
    const entryId = entry === undefined ? undefined : parseId('ent', entry);
    if (entry !== undefined && !entryId) throw invalid('entry: must look like ent_…');
    const page = { limit, cursor };
    const { mails, nextCursor } = entryId
      ? await listMailsAbout(waitlists, queue, entryId, page)
      : email !== undefined
        ? await listMailsTo(waitlists, queue, email, page)
        : await listMails(waitlists, queue, { limit, cursor, state, kind });
    return { mails: mails.map(presentMail), nextCursor };
  });

  app.get(`${path}/:mailId`, { schema: getSchema }, async (request) => {
    const queue = await queueToRead(parts, request);
    const id = requireMail(request.params);
    return read(queue, id);
  });

  app.post(`${path}/:mailId/resend`, { schema: resendSchema }, async (request) => {
    const { params, query } = request;
    const queue = await requireQueue(parts, params, query);
    const id = requireMail(params);
    const { mailable } = await read(queue, id);
    await resendMail(domainFor(parts, request), queue, id, {});
    return { ...(await read(queue, id)), mailable };
  });
}

function requireMail({ mailId }: { mailId: string }): string {
  if (parseId('evt', mailId)) return mailId;
  throw notFound('there is no such email');
}

function presentDetails(details: MailDetails, mailable: Mailable) {
  const { mail } = details;
  return {
    ...presentMail(details),
    subject: mail?.subject ?? null,
    from: mail ? `${mail.from.name} <${mail.from.address}>` : null,
    html: mail?.html ?? null,
    text: mail?.text ?? null,
    templateFailure: mail?.templateFailure ?? null,
    log: presentMailLog(details),
    mailable: presentMailable(mailable),
  };
}
