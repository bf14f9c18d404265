import Type, { type Static } from 'typebox';
import { isoTime, isoTimeOrNull } from '../../lib/time.ts';
import {
  listOperatorMails,
  type OperatorMailSummary,
  type OperatorMailView,
  showOperatorMail,
} from '../../mail/operators/mailbox.ts';
import { OPERATOR_MAIL_KINDS } from '../../mail/operators/templates.ts';
import { MAIL_STATES } from '../../mail/templates/kinds.ts';
import { idPattern, named, nullable, oneOf, time, timeOrNull, WORD } from '../../wire/schema.ts';
import { operation } from '../core/operation.ts';
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '../core/pages.ts';
import { sendingFor } from '../mails/mail.ts';

const tag = 'Operators';
const scope = 'installation';
const EXAMPLE_ID = 'evt_06gxx2p9r1yn1vp1ryss481fhw';

const stateSchema = oneOf(MAIL_STATES, {
  description: '`kept`: not sent, because there is no mail server.',
});

const summaryFields = {
  id: Type.String({ ...idPattern('evt'), description: 'Unique id of the email.' }),
  kind: Type.String({
    enum: [...OPERATOR_MAIL_KINDS],
    description: 'What the email is about.',
  }),
  to: nullable<string>('string', { description: 'Recipient. `null` once the operator was removed.' }),
  state: stateSchema,
  attempts: Type.Integer({ minimum: 0, description: 'Attempts so far.' }),
  error: nullable<string>('string', { description: 'What went wrong at the last attempt.' }),
  createdAt: time('When the email was written.'),
  nextAttemptAt: timeOrNull('When it is tried again.'),
};

const OperatorMail = Type.Object(summaryFields, {
  ...named('OperatorMail'),
  description: 'An email to an operator.',
});

const OperatorMailPage = Type.Object(
  {
    mails: Type.Array(OperatorMail, { maxItems: PAGE_LIMIT_MAX, description: 'Newest first.' }),
    nextCursor: nullable<string>('string', {
      ...idPattern('evt'),
      description: 'Pass this as `cursor` to get the next page. `null` on the last page.',
    }),
  },
  { ...named('OperatorMailPage'), description: 'One page of emails to operators.' },
);

const text = (description: string) => nullable<string>('string', { description });

const OperatorMailDetails = Type.Object(
  {
    ...summaryFields,
    from: text('Sender. `null`, like the next three, once the operator was removed.'),
    subject: text('Subject.'),
    html: text('HTML part.'),
    text: text('Plain-text part.'),
    log: Type.Array(
      Type.Object(
        {
          attempt: Type.Integer({ minimum: 1, description: 'Number of the attempt.' }),
          at: time('When it was made.'),
          status: nullable<number>('integer', { description: 'SMTP status of the mail server.' }),
          error: text('What went wrong.'),
          response: text('What the mail server said.'),
        },
        { ...named('OperatorMailAttempt'), description: 'One attempt to send an email.' },
      ),
      { description: 'All attempts, oldest first.' },
    ),
  },
  { ...named('OperatorMailDetails'), description: 'An email to an operator, with its content.' },
);

const EXAMPLE = {
  id: EXAMPLE_ID,
  kind: 'reset',
  to: 'grace@example.com',
  state: 'kept',
  attempts: 1,
  error: null,
  createdAt: '2026-11-15T09:30:00.000Z',
  nextAttemptAt: null,
};

export const operatorMails = [
  operation({
    id: 'listOperatorMails',
    at: 'GET /mails',
    tag,
    summary: 'List emails to operators',
    description:
      'Returns invitations, password resets and notices about accounts. They are kept for `DOORLIST_DELIVERY_LOG_DAYS`.',
    role: 'owner',
    scope,
    query: {
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: PAGE_LIMIT_MAX,
          description: 'Emails per page. Default: 50.',
          examples: [50],
        }),
      ),
      cursor: Type.Optional(
        Type.String({ ...WORD, description: '`nextCursor` of the previous page.', examples: [EXAMPLE_ID] }),
      ),
      state: Type.Optional(
        oneOf(MAIL_STATES, { description: 'Only emails in this state.', examples: ['kept'] }),
      ),
    },
    answer: {
      description: 'A page of emails.',
      schema: OperatorMailPage,
      example: { mails: [EXAMPLE], nextCursor: null },
    },
    run: async ({ parts, query: { limit = PAGE_LIMIT_DEFAULT, cursor, state } }) => {
      const { mails, nextCursor } = await listOperatorMails(parts.context, { limit, cursor, state });
      return { mails: mails.map(presentSummary), nextCursor };
    },
  }),
  operation({
    id: 'getOperatorMail',
    at: 'GET /mails/:mailId',
    tag,
    summary: 'Get an email to an operator',
    description: 'Returns an email as it is sent, with its one-time link, and each attempt.',
    role: 'owner',
    scope,
    params: {
      mailId: Type.String({ ...WORD, description: 'Id of the email.', examples: [EXAMPLE_ID] }),
    },
    answer: {
      description: 'The email.',
      schema: OperatorMailDetails,
      example: {
        ...EXAMPLE,
        from: 'Doorlist <doorlist@example.com>',
        subject: 'Reset your password for waitlist.example.com',
        html: '<!doctype html>…',
        text: 'Reset your password…',
        log: [{ attempt: 1, at: EXAMPLE.createdAt, status: null, error: null, response: null }],
      },
    },
    errors: {
      not_found: {
        when: 'The email does not exist, or was deleted.',
        message: 'there is no such email, or it has been deleted',
      },
    },
    run: async ({ parts, params: { mailId } }) =>
      presentView(await showOperatorMail(parts.context, mailId, await sendingFor(parts))),
  }),
];

function presentSummary(mail: OperatorMailSummary): Static<typeof OperatorMail> {
  const { id, kind, to, state, attempts, error, createdAt, nextAttemptAt } = mail;
  return {
    ...{ id, kind, to, state, attempts, error },
    createdAt: isoTime(createdAt),
    nextAttemptAt: isoTimeOrNull(nextAttemptAt),
  };
}

function presentView(view: OperatorMailView): Static<typeof OperatorMailDetails> {
  const { mail, log } = view;
  return {
    ...presentSummary(view),
    from: mail && `${mail.from.name} <${mail.from.address}>`,
    subject: mail?.subject ?? null,
    html: mail?.html ?? null,
    text: mail?.text ?? null,
    log: log.map(({ attempt, at, status, error, response }) => ({
      ...{ attempt, at: isoTime(at), status, error, response },
    })),
  };
}
