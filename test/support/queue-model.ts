import type { Status } from '../../src/db/tables.ts';

/** What can be said of a person in a signup; each number names one email or one phone. */
export interface ModelSignup {
  email: number | null;
  phone: number | null;
  referredBy: ModelReferrer;
}

export type ModelReferrer =
  | { by: 'nobody' }
  | { by: 'email' | 'phone'; number: number }
  /** The referral code of the nth entry, counted round and round. */
  | { by: 'code'; entry: number };

export interface ModelEntry {
  seq: number;
  email: number | null;
  phone: number | null;
  status: Status;
  referrals: number;
  referrer: ModelEntry | null;
  createdAt: number;
  invitedAt: number | null;
  joinedAt: number | null;
}

export interface ModelInvite {
  email: number;
  expiresAt: number | null;
  accepted: boolean;
  revoked: boolean;
  /** Its expiry has been dealt with. */
  ended: boolean;
}

export type InviteOutcome = 'done' | 'accepted' | 'revoked' | 'expired';

/** A queue as the contract describes it, in the plainest way that there is. */
export class QueueModel {
  readonly entries: ModelEntry[] = [];
  readonly invites: ModelInvite[] = [];
  readonly boost: number;
  now: number;

  constructor(boost: number, now: number) {
    this.boost = boost;
    this.now = now;
  }

  /** How many of the batch are created. */
  signup(batch: ModelSignup[]): number {
    return batch.filter((signup) => this.#add(signup)).length;
  }

  #add({ email, phone, referredBy }: ModelSignup): boolean {
    if (this.entries.some((entry) => same(entry.email, email) || same(entry.phone, phone))) return false;
    const referrer = this.#find(referredBy);
    if (referrer) referrer.referrals += 1;
    this.entries.push({
      seq: this.entries.length + 1,
      email,
      phone,
      status: 'waiting',
      referrals: 0,
      referrer,
      createdAt: this.now,
      invitedAt: null,
      joinedAt: null,
    });
    return true;
  }

  #find(referrer: ModelReferrer): ModelEntry | null {
    if (referrer.by === 'nobody') return null;
    if (referrer.by === 'code') return this.entries[referrer.entry] ?? null;
    return this.entries.find((entry) => entry[referrer.by] === referrer.number) ?? null;
  }

  invite(email: number, expiresAt: number | null): void {
    this.invites.push({ email, expiresAt, accepted: false, revoked: false, ended: false });
    const entry = this.#entryOf(email);
    if (entry?.status !== 'waiting') return;
    entry.status = 'invited';
    entry.invitedAt = this.now;
  }

  accept(invite: ModelInvite): InviteOutcome {
    const state = this.stateOf(invite);
    if (state !== 'done') return state;
    invite.accepted = true;
    const entry = this.#entryOf(invite.email);
    if (entry && (entry.status === 'waiting' || entry.status === 'invited')) {
      entry.status = 'joined';
      entry.joinedAt = this.now;
    }
    return 'done';
  }

  revoke(invite: ModelInvite): InviteOutcome {
    const state = this.stateOf(invite);
    if (state === 'accepted' || state === 'revoked') return state;
    invite.revoked = true;
    this.#backToQueue(invite);
    return 'done';
  }

  /** Ends the invites whose time is up; how many there were. */
  expire(): number {
    const due = this.invites.filter((invite) => !invite.ended && this.stateOf(invite) === 'expired');
    for (const invite of due) {
      invite.ended = true;
      this.#backToQueue(invite);
    }
    return due.length;
  }

  /** Unless another invite is still good. */
  #backToQueue({ email }: ModelInvite): void {
    const entry = this.#entryOf(email);
    const stillInvited = this.invites.some(
      (other) => other.email === email && this.stateOf(other) === 'done',
    );
    if (entry?.status !== 'invited' || stillInvited) return;
    entry.status = 'waiting';
    entry.invitedAt = null;
  }

  /** `done`: it could be accepted now. */
  stateOf({ accepted, revoked, expiresAt }: ModelInvite): InviteOutcome {
    if (accepted) return 'accepted';
    if (revoked) return 'revoked';
    return expiresAt !== null && expiresAt <= this.now ? 'expired' : 'done';
  }

  // The verb that takes an entry off the list belongs here: `remove(entry)`, and a step for it in the test.

  #entryOf(email: number): ModelEntry | undefined {
    return this.entries.find((entry) => entry.email === email);
  }

  /** The waiting ones, front first. */
  get order(): ModelEntry[] {
    const rank = ({ seq, referrals }: ModelEntry) => seq - this.boost * referrals;
    return this.entries
      .filter(({ status }) => status === 'waiting')
      .sort((a, b) => rank(a) - rank(b) || b.seq - a.seq);
  }
}

function same(a: number | null, b: number | null): boolean {
  return a !== null && a === b;
}
