import Type from 'typebox';
import { notFound } from '../../lib/errors.ts';
import { sendingOf } from '../../mail/sending.ts';
import { isMailKind, MAIL_KINDS, MAIL_STATES, type MailKind } from '../../mail/templates/kinds.ts';
import { EMAIL, idPattern, named, nullable, oneOf, time, timeOrNull } from '../../wire/schema.ts';
import type { OperationParts } from '../core/parts.ts';

export const tag = 'Emails';

export const EXAMPLE_MAIL = {
  id: 'evt_06gxx2p9r1yn1vp1ryss481fhw',
  kind: 'welcome',
  to: 'ada@example.com',
  state: 'sent',
  attempts: 1,
  error: null,
  createdAt: '2026-11-15T09:30:00.000Z',
  nextAttemptAt: null,
};

export const textOrNull = (description: string) => nullable<string>('string', { description });

export const mailFields = {
  id: Type.String({ ...idPattern('evt'), description: 'Unique id of the email.' }),
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
  error: textOrNull('What went wrong at the last attempt.'),
  createdAt: time('When the email was recorded.'),
  nextAttemptAt: timeOrNull('When the next attempt is due.'),
};

export const templateFailure = textOrNull(
  'Why your template failed for this person, such as `takes too long to render`. The email then has the default template. ' +
    '`null` if it did not fail.',
);

export function requireKind({ kind }: { kind: string }): MailKind {
  if (isMailKind(kind)) return kind;
  throw notFound(`there is no kind of email ${kind}: there are ${MAIL_KINDS.join(', ')}`);
}

/** As the server sends emails. */
export function sendingFor({ waitlists, publicUrl, emails }: OperationParts) {
  return sendingOf(waitlists, { publicUrl, mailFrom: emails.from });
}
