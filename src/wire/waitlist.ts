import Type, { type Static } from 'typebox';
import { isoTime, isoTimeOrNull } from '../time.ts';
import type { Waitlist } from '../waitlist/queue/directory.ts';
import type { WaitlistSummary } from '../waitlist/settings/waitlists.ts';
import { limits, named } from './schema.ts';

export const EXAMPLE_WAITLIST = { id: 'wl_acme', name: 'Acme' };

/**
 * The pattern is only documentation: an id that cannot exist gets a 404 from the domain, like one that does
 * not.
 */
export const WaitlistIdSchema = Type.String({
  ...limits({ pattern: '^wl_[a-z0-9][a-z0-9_-]{0,61}$' }),
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
    closedAt: isoTimeOrNull(waitlist.closedAt),
    createdAt: isoTime(waitlist.createdAt),
  };
}
