import Type, { type Static } from 'typebox';
import { isoTime } from '../../../lib/time.ts';
import { mailableTo } from '../../../mail/mailable.ts';
import { showLastMail } from '../../../mail/mailbox.ts';
import { presentMail } from '../../../mail/present.ts';
import { MAIL_KINDS } from '../../../mail/templates/kinds.ts';
import { EXAMPLE_MAILABLE, mailableFields, presentMailable } from '../../../operations/core/mailable.ts';
import { readEntry } from '../../../waitlist/entries/browse-entries.ts';
import { SUPPRESSION_REASONS, suppressionsOf } from '../../../waitlist/links/suppression.ts';
import { named, nullable, oneOf, time } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { queueToRead } from '../core/reading.ts';
import { EntryParams, entrySpecial } from '../entries/entry.ts';
import { EXAMPLE_MAIL, mailFields } from './mails.ts';
import { EnvironmentQuery, tag } from './scope.ts';

const LastMail = Type.Object(
  {
    ...mailFields,
    response: nullable<string>('string', { description: 'What the mail server said at the last attempt.' }),
  },
  { ...named('LastMail'), description: 'The last email to a person.' },
);

const PersonMail = Type.Object(
  {
    kinds: Type.Array(
      Type.Object(
        { kind: oneOf(MAIL_KINDS, { description: 'Kind of email.' }), ...mailableFields },
        { ...named('MailableKind'), description: 'Whether emails of a kind are sent.' },
      ),
      { description: 'For each kind whether this person would get it.' },
    ),
    suppressions: Type.Array(
      Type.Object(
        {
          reason: oneOf(SUPPRESSION_REASONS, { description: 'Why.' }),
          since: time('Since when.'),
        },
        { ...named('PersonSuppression'), description: 'Why an address gets no emails.' },
      ),
      {
        description:
          'Empty if the address is not suppressed. To lift it, remove the suppression of the address.',
      },
    ),
    lastMail: Type.Unsafe<Static<typeof LastMail> | null>({
      anyOf: [LastMail, { type: 'null' }],
      description: 'The last email to this person. `null`: there is none, or it is no longer stored.',
    }),
  },
  { ...named('PersonMail'), description: 'Whether a person can be emailed.' },
);

const schema = adminSchema({
  operationId: 'getEntryMail',
  tag,
  summary: 'Get whether a person can be emailed',
  description:
    'Returns for each kind of email whether the person would get it, and why not, and their last email.',
  role: 'support',
  params: EntryParams,
  querystring: EnvironmentQuery,
  answer: {
    description: 'Whether they can be emailed.',
    schema: PersonMail,
    example: {
      kinds: [{ kind: 'invite', ...EXAMPLE_MAILABLE }],
      suppressions: [],
      lastMail: { ...EXAMPLE_MAIL, response: '250 OK' },
    },
  },
  errors: ['not_found'],
  special: entrySpecial,
});

export function registerPersonMail(app: TypedApp, parts: AdminParts): void {
  const { waitlists, emails } = parts;
  app.get('/waitlists/:waitlistId/entries/:entryId/mail', { schema }, async (request) => {
    const queue = await queueToRead(parts, request);
    const { id, email } = await readEntry(waitlists, queue, request.params.entryId);
    const kinds = await Promise.all(
      MAIL_KINDS.map(async (kind) => ({
        kind,
        ...presentMailable(await mailableTo(waitlists, queue, kind, email, emails.smtp)),
      })),
    );
    const found = email === null ? [] : await suppressionsOf(waitlists, queue, email);
    const last = await showLastMail(waitlists, queue, id);
    return {
      kinds,
      suppressions: found.map(({ reason, since }) => ({ reason, since: isoTime(since) })),
      lastMail: last && { ...presentMail(last), response: last.response },
    };
  });
}
