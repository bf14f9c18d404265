/** Everything that a webhook can tell. */
export const EVENT_KINDS = [
  'signup.created',
  'signup.confirmed',
  'referral.credited',
  'invite.sent',
  'invite.accepted',
  'invite.revoked',
  'invite.expired',
  'entry.removed',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** What a verb of the domain says has happened. Entries are named by their sequence and shown as they are at the commit. */
export type DomainEvent =
  | { kind: 'signup.created'; entry: number; joined: Joined }
  | { kind: 'signup.confirmed'; entry: number }
  | { kind: 'referral.credited'; entry: number; referred: Uint8Array }
  /** The code is for the mail to the invited alone. */
  | { kind: 'invite.sent'; invite: InviteFacts & { code: string }; entry: number | null }
  | {
      kind: 'invite.accepted' | 'invite.revoked' | 'invite.expired';
      invite: InviteFacts;
      entry: number | null;
    }
  | { kind: 'entry.removed'; entry: number }
  /** Erased: nothing but the id is left to tell. */
  | { kind: 'entry.removed'; entryId: Uint8Array };

/** What is known of a new entry before it is written: enough for a mail to it, without looking it up. */
export interface Joined {
  id: Uint8Array;
  hasEmail: boolean;
  position: number | null;
}

export interface InviteFacts {
  id: Uint8Array;
  email: string;
  expiresAt: number | null;
}

const EVERYTHING = '*';

/** What the endpoints of a queue want to hear, as one text in the queue's row; none: an empty one. */
export function listensOf(endpoints: readonly { events: string }[]): string {
  if (endpoints.some(({ events }) => events === '')) return EVERYTHING;
  return [...new Set(endpoints.flatMap(({ events }) => events.split(',')))].sort().join(',');
}

export function listensTo(listens: string, kind: EventKind): boolean {
  return listens !== '' && (listens === EVERYTHING || listens.split(',').includes(kind));
}

/** The same for one endpoint, whose empty filter means all. */
export function wants(events: string, kind: EventKind): boolean {
  return events === '' || events.split(',').includes(kind);
}
