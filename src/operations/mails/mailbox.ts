import Type from 'typebox';
import { invalid, notFound } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import { resendableTo } from '../../mail/mailable.ts';
import { listMails, listMailsAbout, listMailsTo, showMail } from '../../mail/mailbox.ts';
import { presentMail, presentMailLog } from '../../mail/present.ts';
import { resendMail } from '../../mail/resend.ts';
import { MAIL_KINDS, MAIL_STATES } from '../../mail/templates/kinds.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import { described, EMAIL, limits, named, nullable, oneOf, time, WORD } from '../../wire/schema.ts';
import { EXAMPLE_MAILABLE, MailableSchema, presentMailable } from '../core/mailable.ts';
import { operation } from '../core/operation.ts';
import { nextCursorSchema, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, pageQuery } from '../core/pages.ts';
import type { OperationParts } from '../core/parts.ts';
import {
  EXAMPLE_MAIL,
  mailFields,
  requireKind,
  sendingFor,
  tag,
  templateFailure,
  textOrNull,
} from './mail.ts';

const scope = 'queue';
const params = {
  mailId: Type.String({ ...WORD, description: 'Id of the email.', examples: [EXAMPLE_MAIL.id] }),
};
const noMail = {
  not_found: { when: 'The waitlist or the email does not exist.', message: 'there is no such email' },
};

const MailPage = Type.Object(
  {
    mails: Type.Array(
      Type.Object(mailFields, { ...named('Mail'), description: 'An email to a person on the waitlist.' }),
      { maxItems: PAGE_LIMIT_MAX, description: 'Newest first.' },
    ),
    nextCursor: nextCursorSchema,
  },
  { ...named('MailPage'), description: 'One page of emails.' },
);

const MailDetails = Type.Object(
  {
    ...mailFields,
    subject: textOrNull('Subject. `null` once the person was erased, or if it is damaged.'),
    from: textOrNull('Sender: name and address.'),
    html: textOrNull('HTML part.'),
    text: textOrNull('Text part.'),
    templateFailure,
    log: Type.Array(
      Type.Object(
        {
          attempt: Type.Integer({ minimum: 1, description: 'Number of the attempt.' }),
          at: time('When it ended.'),
          status: nullable<number>('integer', { description: 'Status from the mail server.' }),
          error: textOrNull('What went wrong.'),
          response: textOrNull('What the mail server said.'),
        },
        { ...named('MailAttempt'), description: 'One attempt to send an email.' },
      ),
      { description: 'Attempts, oldest first.' },
    ),
    mailable: described(MailableSchema, 'Whether the email is sent if it is due now or sent again.'),
  },
  { ...named('MailDetails'), description: 'An email as it is sent, and each attempt.' },
);

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

export const mailbox = [
  operation({
    id: 'listMails',
    at: 'GET /waitlists/:waitlistId/mails',
    tag,
    summary: 'List emails',
    description:
      'Returns the emails of a waitlist, newest first. With a filter that few match, a page can be short: continue until ' +
      '`nextCursor` is `null`.',
    role: 'support',
    scope,
    query: {
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
    answer: {
      description: 'A page of emails.',
      schema: MailPage,
      example: { mails: [EXAMPLE_MAIL], nextCursor: null },
    },
    shows: 'people',
    run: async ({ context, queue, query }) => {
      const { limit = PAGE_LIMIT_DEFAULT, cursor, state, kind, entry, email } = query;
      if (email !== undefined && [state, kind, entry].some((other) => other !== undefined))
        throw invalid('email: cannot be combined with entry, state or kind');
      if (entry !== undefined && (state !== undefined || kind !== undefined))
        throw invalid('entry: cannot be combined with state or kind');
      const entryId = entry === undefined ? undefined : parseId('ent', entry);
      if (entry !== undefined && !entryId) throw invalid('entry: must look like ent_…');
      const page = { limit, cursor };
      const { mails, nextCursor } = entryId
        ? await listMailsAbout(context, queue, entryId, page)
        : email !== undefined
          ? await listMailsTo(context, queue, email, page)
          : await listMails(context, queue, { ...page, state, kind });
      return { mails: mails.map(presentMail), nextCursor };
    },
  }),
  operation({
    id: 'getMail',
    at: 'GET /waitlists/:waitlistId/mails/:mailId',
    tag,
    summary: 'Get an email',
    description: 'Returns an email as it is sent, and each attempt.',
    role: 'support',
    scope,
    params,
    answer: { description: 'The email.', schema: MailDetails, example: EXAMPLE_DETAILS },
    errors: noMail,
    shows: 'people',
    run: ({ parts, queue, params }) => read(parts, queue, requireMail(params)),
  }),
  operation({
    id: 'resendMail',
    at: 'POST /waitlists/:waitlistId/mails/:mailId/resend',
    tag,
    summary: 'Resend an email',
    description:
      'Sends an email again. Refused for erased people, for addresses that bounced or unsubscribed, and for invites that have ended.',
    role: 'admin',
    support: 'resend',
    scope,
    params,
    answer: {
      description: 'The email, due now.',
      schema: MailDetails,
      example: { ...EXAMPLE_DETAILS, state: 'pending', nextAttemptAt: '2026-11-15T09:40:00.000Z' },
    },
    errors: noMail,
    run: async ({ context, parts, queue, params }) => {
      const id = requireMail(params);
      const { mailable } = await read(parts, queue, id);
      await resendMail(context, queue, id, {});
      return { ...(await read(parts, queue, id)), mailable };
    },
  }),
];

function requireMail({ mailId }: { mailId: string }): string {
  if (parseId('evt', mailId)) return mailId;
  throw notFound('there is no such email');
}

async function read(parts: OperationParts, queue: Queue, id: string) {
  const { waitlists, emails } = parts;
  const details = await showMail(waitlists, queue, id, await sendingFor(parts));
  const { mail } = details;
  const mailable = await resendableTo(waitlists, queue, requireKind(details), details.to, emails.smtp);
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
