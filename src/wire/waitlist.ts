import Type, { type Static } from 'typebox';
import { STATUSES, type Status } from '../db/tables.ts';
import { withDefaults } from '../lib/setting.ts';
import { isoTime, isoTimeOrNull } from '../lib/time.ts';
import type { Waitlist } from '../waitlist/queue/queue.ts';
import { WAITLIST_SETTINGS } from '../waitlist/queue/waitlist-settings.ts';
import { type StatusCounts, settingsOf, type WaitlistSummary } from '../waitlist/settings/waitlists.ts';
import { described, limits, named, time, timeOrNull } from './schema.ts';
import { settingSchemas } from './settings.ts';

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
  Object.fromEntries(STATUSES.map((status) => [status, count(status)])) as Record<
    Status,
    ReturnType<typeof count>
  >,
  { ...named('StatusCounts'), description: 'Number of entries by status.' },
);

export const waitlistSettings = settingSchemas(WAITLIST_SETTINGS);

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
  id: EXAMPLE_WAITLIST.id,
  ...withDefaults(WAITLIST_SETTINGS, {
    name: EXAMPLE_WAITLIST.name,
    inviteExpiryMs: 604_800_000,
    metadataKeys: ['source'],
  }),
  closedAt: null,
  createdAt: '2026-11-15T09:30:00.000Z',
  counts: { pending: 0, waiting: 1204, invited: 50, joined: 31, removed: 7, declined: 3 },
};

export type PresentedWaitlist = ReturnType<typeof presentWaitlist>;

/** For operators. */
export function presentWaitlist(waitlist: WaitlistSummary) {
  return {
    id: waitlist.id,
    ...settingsOf(waitlist),
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
