/** What webhook endpoints can subscribe to. Other events stay inside the service. */
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
export type DomainEvent = (
  | { kind: 'signup.created'; entry: number; joined: Joined }
  | { kind: 'signup.confirmed'; entry: number }
  /** Somebody asked for another link to confirm with. */
  | { kind: 'confirmation.requested'; entry: number }
  | { kind: 'referral.credited'; entry: number; referred: Uint8Array }
  | { kind: 'invite.sent'; invite: CodedInvite; entry: number | null }
  | { kind: 'invite.reminder_due'; invite: CodedInvite; entry: number | null }
  | {
      kind: 'invite.accepted' | 'invite.revoked' | 'invite.expired';
      invite: InviteFacts;
      entry: number | null;
    }
  | { kind: 'entry.removed'; entry: number }
  /** Erased: only the id is left. */
  | { kind: 'entry.removed'; entryId: Uint8Array }
) & {
  /** It happened elsewhere, long ago: it is no news to the person that it happened to. */
  imported?: true;
};

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

/** The code is for the invited person alone. */
export interface CodedInvite extends InviteFacts {
  code: string;
}

/** The entry that an event is about; undefined when there is none, or none any more. */
export function entryOf(event: DomainEvent): number | undefined {
  return 'entry' in event && event.entry !== null ? event.entry : undefined;
}
