import Type, { type Static } from 'typebox';
import { STATUSES, type Status } from '../db/tables.ts';
import { formatId } from '../lib/ids.ts';
import { isoTime, isoTimeOrNull } from '../lib/time.ts';
import type { Entry } from '../waitlist/entries/entry.ts';
import { EMAIL, idPattern, named, nullable, oneOf, time, timeOrNull } from './schema.ts';

export const EntryStatusSchema = oneOf<Status>(STATUSES, {
  ...named('EntryStatus'),
  description:
    '`pending` has not confirmed their email yet, `waiting` is in the queue, `invited` has an invite, ' +
    '`joined` accepted it, `removed` was taken off the waitlist, and `declined` is kept without a place.',
});

export const EntrySchema = Type.Object(
  {
    id: Type.String({ ...idPattern('ent'), description: 'Unique id of the entry. Never changes.' }),
    email: nullable<string>('string', { ...EMAIL, description: 'Email address, as entered at signup.' }),
    phone: nullable<string>('string', {
      pattern: '^\\+[1-9][0-9]{6,14}$',
      description: 'Phone number in E.164 format.',
    }),
    metadata: nullable<Record<string, unknown>>('object', {
      additionalProperties: true,
      description: 'The custom data sent at signup.',
    }),
    status: EntryStatusSchema,
    position: nullable<number>('integer', {
      minimum: 1,
      description:
        'Current position among waiting entries; 1 is next. Always up to date. `null` unless the status is `waiting`.',
    }),
    referrals: Type.Integer({ minimum: 0, description: 'Number of signups credited to this entry.' }),
    referralCode: nullable<string>('string', {
      description: 'Short code to share. New signups send it as `referredBy`.',
    }),
    referredBy: nullable<string>('string', {
      description: 'Email of the entry credited with this signup, or its phone number if it has no email.',
    }),
    createdAt: time('When the entry was added.'),
    invitedAt: timeOrNull('When the entry was invited.'),
    joinedAt: timeOrNull('When the invite was accepted.'),
  },
  {
    ...named('Entry'),
    description: 'A person on a waitlist. Every field is always present; a missing value is `null`.',
  },
);

/** For the admin API, where viewers see emails and phone numbers masked, and operators why there are none. */
export const AdminEntrySchema = Type.Object(
  {
    ...EntrySchema.properties,
    email: nullable<string>('string', {
      description: 'Email address, as entered at signup. Viewers see it masked: `a…@e….com`.',
    }),
    phone: nullable<string>('string', {
      description: 'Phone number in E.164 format. Viewers see it masked: `+49…12`.',
    }),
    metadata: nullable<Record<string, unknown>>('object', {
      additionalProperties: true,
      description: 'The custom data sent at signup. `null` for viewers.',
    }),
    referralCode: nullable<string>('string', {
      description: 'Short code to share. New signups send it as `referredBy`. `null` for viewers.',
    }),
    missing: Type.Unsafe<Entry['missing']>({
      type: ['string', 'null'],
      enum: ['erased', 'damaged', null],
      description:
        'Why nothing is known about the person: `erased` for good, or `damaged`, which means that what is stored cannot be decrypted. `null` if it can be.',
    }),
  },
  {
    ...named('Entry'),
    description: 'A person on a waitlist. Every field is always present; a missing value is `null`.',
  },
);

/** An entry as shown by the API, webhooks, exports and the command line. */
export type PresentedEntry = Static<typeof EntrySchema>;

export function presentEntry(entry: Entry): PresentedEntry {
  return {
    id: formatId('ent', entry.id),
    email: entry.email,
    phone: entry.phone,
    metadata: entry.metadata,
    status: entry.status,
    position: entry.position,
    referrals: entry.referrals,
    referralCode: entry.referralCode,
    referredBy: entry.referredBy,
    createdAt: isoTime(entry.createdAt),
    invitedAt: isoTimeOrNull(entry.invitedAt),
    joinedAt: isoTimeOrNull(entry.joinedAt),
  };
}

/** The same for operators. */
export function presentAdminEntry(entry: Entry): Static<typeof AdminEntrySchema> {
  return { ...presentEntry(entry), missing: entry.missing };
}

export const EXAMPLE_ENTRY: PresentedEntry = {
  id: 'ent_06gxx2p9r1yn1vp1ryss481fhw',
  email: 'ada@example.com',
  phone: null,
  metadata: { plan: 'pro' },
  status: 'waiting',
  position: 42,
  referrals: 3,
  referralCode: 'k3v9x0ab',
  referredBy: 'grace@example.com',
  createdAt: '2026-11-15T09:30:00.000Z',
  invitedAt: null,
  joinedAt: null,
};

export const EXAMPLE_ADMIN_ENTRY: Static<typeof AdminEntrySchema> = { ...EXAMPLE_ENTRY, missing: null };
