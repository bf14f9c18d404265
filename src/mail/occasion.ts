import type { DomainEvent, InviteFacts, Joined } from '../waitlist/queue/events.ts';

/** A reason to write to somebody: an entry named by its sequence, or whoever was invited. */
export type Occasion =
  /** daily: at most one a day for each person. */
  | { kind: 'confirm' | 'welcome' | 'moved-up'; entry: number; daily?: true }
  | { kind: 'confirm' | 'welcome'; joined: Joined; seq: number }
  | {
      kind: 'invite' | 'invite-reminder' | 'accepted';
      entry: number | null;
      /** Without a code once it is used up. */
      invite: InviteFacts & { code?: string };
    };

/** The mail that something which happened brings about, where its kind is switched on. */
export function occasionOf(event: DomainEvent, confirmEmails: boolean): Occasion | undefined {
  switch (event.kind) {
    case 'signup.created':
      if (!event.joined.hasEmail) return undefined;
      return { kind: confirmEmails ? 'confirm' : 'welcome', joined: event.joined, seq: event.entry };
    case 'signup.confirmed':
      return { kind: 'welcome', entry: event.entry };
    case 'referral.credited':
      return { kind: 'moved-up', entry: event.entry, daily: true };
    case 'invite.sent':
      return { kind: 'invite', entry: event.entry, invite: event.invite };
    case 'invite.accepted':
      return { kind: 'accepted', entry: event.entry, invite: event.invite };
    default:
      return undefined;
  }
}
