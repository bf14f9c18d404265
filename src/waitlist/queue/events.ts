/** What people may do with their own data, each behind a link that they asked for by mail. */
export const OWN_DATA = ['download', 'deletion'] as const;
export type OwnData = (typeof OWN_DATA)[number];

/** The events that webhook endpoints can subscribe to. All others stay inside the service. */
export const EVENT_KINDS = [
  'signup.created',
  'signup.confirmed',
  'referral.credited',
  'invite.sent',
  'invite.accepted',
  'invite.revoked',
  'invite.expired',
  'entry.removed',
  'entry.restored',
  'entry.updated',
  'entry.approved',
  'entry.declined',
  'mail.bounced',
  'mail.complained',
  'wave.started',
  'wave.finished',
  'wave.paused',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/**
 * What happened in a domain verb. Entries are identified by joining sequence and shown as they are at the
 * commit.
 */
export type DomainEvent = (
  | { kind: 'signup.created'; entry: number; joined: Joined }
  | { kind: 'signup.confirmed'; entry: number }
  /** A person requested another confirmation link. */
  | { kind: 'confirmation.requested'; entry: number }
  /** An operator sent another confirmation link. */
  | { kind: 'confirmation.resent'; entry: number }
  /** A person who is on the list already asked for the link to their status. */
  | { kind: 'status.requested'; entry: number }
  /** A person asked for the link to download or to delete their data. */
  | { kind: 'data.requested'; entry: number; purpose: OwnData }
  | { kind: 'referral.credited'; entry: number; referred: Uint8Array }
  | { kind: 'invite.sent'; invite: CodedInvite; entry: number | null }
  /** An operator sent the email of an invite again. */
  | { kind: 'invite.resent'; invite: CodedInvite; entry: number | null }
  | { kind: 'invite.reminder_due'; invite: CodedInvite; entry: number | null }
  | {
      kind: 'invite.accepted' | 'invite.revoked' | 'invite.expired';
      invite: InviteFacts;
      entry: number | null;
    }
  | { kind: 'entry.removed' | 'entry.restored' | 'entry.approved'; entry: number }
  /** `email`: who declined them wants them to be told. */
  | { kind: 'entry.declined'; entry: number; email: boolean }
  /** `formerEmails`: those that an operator has replaced, by the id of the entry that had them. */
  | { kind: 'entry.updated'; entry: number; formerEmails?: Readonly<Record<string, string>> }
  | { kind: 'mail.bounced' | 'mail.complained'; entry: number }
  /** Erased, so only the id is left. */
  | { kind: 'entry.removed'; entryId: Uint8Array }
  | { kind: 'wave.started' | 'wave.finished'; wave: WaveFacts; run: RunFacts }
  | { kind: 'wave.paused'; wave: WaveFacts; run: null }
) & {
  /** Happened in another system, long ago: the person must not be notified. */
  imported?: true;
};

/** The facts about a new entry before it is written: enough for a mail without a lookup. */
interface Joined {
  id: Uint8Array;
  hasEmail: boolean;
  /** There is nothing to confirm or to wait for. */
  hasJoined: boolean;
  /** Undefined if others are behind it: then it is read at the commit. */
  position: number | null | undefined;
  /** Came through the public form. */
  form?: FormSignup;
}

/** Anyone can type anyone's address into a form. */
export interface FormSignup {
  /** Whether the email must be confirmed, whatever the settings are. */
  readonly confirm: boolean;
  /** Whether the address may get another mail today. */
  readonly mayMail: boolean;
}

export interface InviteFacts {
  id: Uint8Array;
  email: string;
  expiresAt: number | null;
}

interface WaveFacts {
  id: Uint8Array;
  name: string;
  pauseReason: string | null;
  resumesItself: boolean;
}

/** A run of a wave, as it is at the commit. */
interface RunFacts {
  scheduledAt: number;
  invited: number;
}

/** The code is only for the invited person. */
interface CodedInvite extends InviteFacts {
  code: string;
}

/** The entry that an event is about, or undefined if there is none or it was removed. */
export function entryOf(event: DomainEvent): number | undefined {
  return 'entry' in event && event.entry !== null ? event.entry : undefined;
}
