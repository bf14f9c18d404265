import Type, { type Static } from 'typebox';
import { isoTime, isoTimeOrNull } from '../lib/time.ts';
import type { Waitlist } from '../waitlist/queue/queue.ts';
import { BOOST, INVITE_EXPIRY_MS, REFERRAL_CAP } from '../waitlist/queue/queue-settings.ts';
import { NAME_CHARACTERS_MAX } from '../waitlist/settings/waitlist-input.ts';
import type { StatusCounts, WaitlistSummary } from '../waitlist/settings/waitlists.ts';
import { METADATA_KEYS_COUNTED_MAX } from '../waitlist/statistics/metadata-keys.ts';
import { described, limits, METADATA_KEY, named, nullable, time, timeOrNull } from './schema.ts';

export const EXAMPLE_WAITLIST = { id: 'wl_acme', name: 'Acme' };

/**
 * The pattern is only documentation: an id that cannot exist gets a 404 from the domain, like one that does
 * not.
 */
export const WaitlistIdSchema = Type.String({
  ...limits({ pattern: '^wl_[a-z0-9][a-z0-9_-]{0,61}$', maxLength: 65 }),
  description: 'Short id of the waitlist, starting with `wl_`.',
  examples: [EXAMPLE_WAITLIST.id],
});

export const WaitlistReferenceSchema = Type.Object(
  {
    id: WaitlistIdSchema,
    name: Type.String({ description: 'Display name of the waitlist.' }),
  },
  { ...named('WaitlistReference'), description: 'The id and name of a waitlist.' },
);

export function presentWaitlistReference({
  id,
  name,
}: Pick<Waitlist, 'id' | 'name'>): Static<typeof WaitlistReferenceSchema> {
  return { id, name };
}

const count = (status: string) => Type.Integer({ minimum: 0, description: `Entries that are ${status}.` });

const StatusCountsSchema = Type.Object(
  {
    pending: count('pending'),
    waiting: count('waiting'),
    invited: count('invited'),
    joined: count('joined'),
    removed: count('removed'),
  },
  { ...named('StatusCounts'), description: 'Number of entries by status.' },
);

/** The settings of a waitlist, as they are read and written. */
export const waitlistSettings = {
  name: Type.String({
    ...limits({ minLength: 1, maxLength: NAME_CHARACTERS_MAX }),
    description: 'Display name. Shown in emails and on pages.',
    examples: [EXAMPLE_WAITLIST.name],
  }),
  boost: Type.Integer({
    ...limits(BOOST),
    description: 'How many places earlier an entry counts as having joined, for each referral.',
  }),
  referralCap: nullable<number>('integer', {
    ...limits(REFERRAL_CAP),
    description: 'Maximum number of referrals credited to one entry. `null`: no limit.',
  }),
  inviteExpiryMs: nullable<number>('integer', {
    ...limits(INVITE_EXPIRY_MS),
    description: 'Default lifetime of invites, in milliseconds. `null`: invites do not expire.',
  }),
  returnToQueue: Type.Boolean({
    description: 'Whether an entry returns to the queue when its invite expires or is revoked.',
  }),
  confirmEmails: Type.Boolean({
    description: 'Double opt-in: whether an entry is `pending` until its email is confirmed.',
  }),
  metadataKeys: Type.Array(Type.String({ ...METADATA_KEY, description: 'A metadata key.' }), {
    ...limits({ maxItems: METADATA_KEYS_COUNTED_MAX }),
    description:
      'Metadata keys whose values the statistics show. Values of existing entries are counted in the background.',
  }),
};

export const WaitlistObject = Type.Object(
  {
    id: WaitlistIdSchema,
    ...waitlistSettings,
    closedAt: timeOrNull('When the waitlist was closed. `null`: it accepts signups.'),
    createdAt: time('When the waitlist was created.'),
    counts: described(StatusCountsSchema, 'Entries in the requested environment, by status.'),
  },
  { ...named('Waitlist'), description: 'A waitlist and its settings.' },
);

export const EXAMPLE_WAITLIST_OBJECT: Static<typeof WaitlistObject> = {
  ...EXAMPLE_WAITLIST,
  boost: 5,
  referralCap: null,
  inviteExpiryMs: 604_800_000,
  returnToQueue: true,
  confirmEmails: false,
  metadataKeys: ['source'],
  closedAt: null,
  createdAt: '2026-11-15T09:30:00.000Z',
  counts: { pending: 0, waiting: 1204, invited: 50, joined: 31, removed: 7 },
};

export type PresentedWaitlist = ReturnType<typeof presentWaitlist>;

/** For operators. */
export function presentWaitlist(waitlist: WaitlistSummary) {
  return {
    id: waitlist.id,
    name: waitlist.name,
    boost: waitlist.boost,
    referralCap: waitlist.referralCap,
    inviteExpiryMs: waitlist.inviteExpiryMs,
    returnToQueue: waitlist.returnToQueue,
    confirmEmails: waitlist.confirmEmails,
    metadataKeys: [...waitlist.metadataKeys],
    closedAt: isoTimeOrNull(waitlist.closedAt),
    createdAt: isoTime(waitlist.createdAt),
  };
}

export function presentWaitlistWithCounts(
  waitlist: WaitlistSummary,
  counts: StatusCounts,
): Static<typeof WaitlistObject> {
  return { ...presentWaitlist(waitlist), counts };
}
