import Type, { type Static } from 'typebox';
import { isoTime } from '../../lib/time.ts';
import { countKept } from '../../mail/mail-log.ts';
import { type Mailable, mailableFrom, mailableTo, mailWarnings } from '../../mail/mailable.ts';
import { showLastMail } from '../../mail/mailbox.ts';
import { presentMail } from '../../mail/present.ts';
import { MAIL_KINDS, type MailKind } from '../../mail/templates/kinds.ts';
import { readEntry } from '../../waitlist/entries/browse-entries.ts';
import { SUPPRESSION_REASONS, suppressionsOf } from '../../waitlist/links/suppression.ts';
import { mailTarget } from '../../waitlist/sending/state.ts';
import { named, oneOf, time } from '../../wire/schema.ts';
import { EXAMPLE_MAILABLE, mailableFields, presentMailable, warnings } from '../core/mailable.ts';
import { operation } from '../core/operation.ts';
import { entryParams } from '../core/scope.ts';
import { EXAMPLE_MAIL, mailFields, tag, textOrNull } from './mail.ts';

const MailableKind = Type.Object(
  { kind: oneOf(MAIL_KINDS, { description: 'Kind of email.' }), ...mailableFields },
  { ...named('MailableKind'), description: 'Whether emails of a kind are sent.' },
);
const EXAMPLE_KINDS = [{ kind: 'invite', ...EXAMPLE_MAILABLE }];

export const MailStatus = Type.Object(
  {
    kinds: Type.Array(MailableKind, { description: 'One for each kind.' }),
    warnings,
    kept: Type.Integer({
      minimum: 0,
      description: 'Number of emails that were kept and not sent, up to 10,000.',
    }),
    keptMore: Type.Boolean({ description: 'Whether there are more kept emails than that.' }),
  },
  { ...named('MailStatus'), description: 'Whether the emails of a waitlist are sent.' },
);

const LastMail = Type.Object(
  { ...mailFields, response: textOrNull('What the mail server said at the last attempt.') },
  { ...named('LastMail'), description: 'The last email to a person.' },
);

const PersonMail = Type.Object(
  {
    kinds: Type.Array(MailableKind, {
      description: 'For each kind whether this person would get it.',
    }),
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

export const getMailStatus = operation({
  id: 'getMailStatus',
  at: 'GET /waitlists/:waitlistId/mail/status',
  tag,
  summary: 'Get whether emails are sent',
  description:
    'Returns for each kind of email whether it is sent, and why not, and how many emails are kept.',
  role: 'viewer',
  scope: 'queue',
  answer: {
    description: 'The status.',
    schema: MailStatus,
    example: { kinds: EXAMPLE_KINDS, warnings: [], kept: 0, keptMore: false },
  },
  run: async ({ context, parts, queue }) => {
    const { smtp } = parts.emails;
    const { count, more } = await countKept(context.db, mailTarget(queue.id));
    return {
      kinds: await eachKind((kind) => mailableFrom(context, queue, kind, smtp)),
      warnings: await mailWarnings(context, queue.waitlist.id, smtp),
      kept: count,
      keptMore: more,
    };
  },
});

export const getEntryMail = operation({
  id: 'getEntryMail',
  at: 'GET /waitlists/:waitlistId/entries/:entryId/mail',
  tag,
  summary: 'Get whether a person can be emailed',
  description:
    'Returns for each kind of email whether the person would get it, and why not, and their last email.',
  role: 'support',
  scope: 'queue',
  params: entryParams,
  answer: {
    description: 'Whether they can be emailed.',
    schema: PersonMail,
    example: {
      kinds: EXAMPLE_KINDS,
      suppressions: [],
      lastMail: { ...EXAMPLE_MAIL, response: '250 OK' },
    },
  },
  shows: 'people',
  run: async ({ context, parts, queue, params: { entryId } }) => {
    const { id, email } = await readEntry(context, queue, entryId);
    const found = email === null ? [] : await suppressionsOf(context, queue, email);
    const last = await showLastMail(context, queue, id);
    return {
      kinds: await eachKind((kind) => mailableTo(context, queue, kind, email, parts.emails.smtp)),
      suppressions: found.map(({ reason, since }) => ({ reason, since: isoTime(since) })),
      lastMail: last && { ...presentMail(last), response: last.response },
    };
  },
});

/** In the order of the kinds. */
export function eachKind(isMailable: (kind: MailKind) => Promise<Mailable>) {
  return Promise.all(MAIL_KINDS.map(async (kind) => ({ kind, ...presentMailable(await isMailable(kind)) })));
}
