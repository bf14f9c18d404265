import type { Status } from '../../src/db/tables.ts';

/** What a signup can say about a person. Each number stands for one email or phone. */
export interface ModelSignup {
  email: number | null;
  phone: number | null;
  referredBy: ModelReferrer;
  /** The value of `plan` in the metadata. */
  plan: number | null;
}

export type ModelReferrer =
  | { by: 'nobody' }
  | { by: 'email' | 'phone'; number: number }
  /** The referral code of the nth entry. */
  | { by: 'code'; entry: number };

export interface ModelEntry {
  seq: number;
  email: number | null;
  phone: number | null;
  plan: number | null;
  status: Status;
  /** Its status before it was taken off the waitlist. null also for one that was erased. */
  removedFrom: Status | null;
  rank: number;
  /** What an operator added to the rank. */
  moved: number;
  referrals: number;
  referrer: ModelEntry | null;
  credited: boolean;
  createdAt: number;
  invitedAt: number | null;
  joinedAt: number | null;
}

interface ModelInvite {
  /** null if the person was removed. */
  email: number | null;
  expiresAt: number | null;
  accepted: boolean;
  revoked: boolean;
  /** Its expiry has been processed. */
  ended: boolean;
}

export interface ModelSettings {
  boost: number;
  referralCap: number | null;
  confirmEmails: boolean;
  returnToQueue: boolean;
  inviteExpiryMs: number | null;
}

export interface ModelSegment {
  plan?: number;
  minReferrals?: number;
  joinedBefore?: number;
  joinedAfter?: number;
}

export type InviteOutcome = 'done' | 'accepted' | 'revoked' | 'expired';

/** Emails from this one on are further addresses of the mailboxes of the first ones. */
export const FIRST_ALIAS = 7;

function mailboxOf(email: number | null): number | null {
  return email === null || email < FIRST_ALIAS ? email : email - FIRST_ALIAS;
}

/** The queue of the contract, implemented in the simplest possible way. */
export class QueueModel {
  readonly entries: ModelEntry[] = [];
  readonly invites: ModelInvite[] = [];
  readonly settings: ModelSettings;
  /** Signups by plan, and those whose plan nobody has any more. */
  readonly plans = new Map<number, number>();
  otherPlans = 0;
  confirmed = 0;
  now: number;

  constructor(settings: ModelSettings, now: number) {
    this.settings = { ...settings };
    this.now = now;
  }

  /** Returns how many of the batch are created. */
  signup(batch: ModelSignup[]): number {
    return batch.filter((signup) => this.#add(signup)).length;
  }

  #add({ email, phone, referredBy, plan }: ModelSignup): boolean {
    if (this.entries.some((entry) => same(entry.email, email) || same(entry.phone, phone))) return false;
    const entry: ModelEntry = {
      seq: this.entries.length + 1,
      email,
      phone,
      plan,
      status: this.settings.confirmEmails && email !== null ? 'pending' : 'waiting',
      removedFrom: null,
      rank: this.entries.length + 1,
      moved: 0,
      referrals: 0,
      referrer: this.#find(referredBy),
      credited: false,
      createdAt: this.now,
      invitedAt: null,
      joinedAt: null,
    };
    if (entry.status === 'waiting') this.#credit(entry);
    this.entries.push(entry);
    this.#countPlan(plan, 1);
    return true;
  }

  #find(referrer: ModelReferrer): ModelEntry | null {
    if (referrer.by === 'nobody') return null;
    const found =
      referrer.by === 'code'
        ? this.entries[referrer.entry]
        : this.entries.find((entry) => entry[referrer.by] === referrer.number);
    return found && found.status !== 'removed' ? found : null;
  }

  #credit(entry: ModelEntry): void {
    const { referrer, credited } = entry;
    const cap = this.settings.referralCap ?? Number.POSITIVE_INFINITY;
    if (!referrer || credited || referrer.status === 'removed' || referrer.referrals >= cap) return;
    const sharing = this.entries.filter((other) => same(mailboxOf(other.email), mailboxOf(entry.email)));
    if (sharing.some((other) => other.credited || other === referrer)) return;
    entry.credited = true;
    this.#setReferrals(referrer, referrer.referrals + 1);
  }

  #setReferrals(entry: ModelEntry, referrals: number): void {
    entry.referrals = referrals;
    entry.rank = entry.seq - this.settings.boost * referrals + entry.moved;
  }

  /** Until this is called, entries whose referrals have not changed keep the rank of the former boost. */
  applyBoost(): void {
    for (const entry of this.entries) this.#setReferrals(entry, entry.referrals);
  }

  /** Beside the one ahead or the one behind, whichever is exact; otherwise where it comes nearest. */
  move(entry: ModelEntry, position: number): void {
    const others = this.order.filter((other) => other !== entry);
    const wanted = Math.min(position, others.length + 1);
    const [ahead, behind] = [others[wanted - 2], others[wanted - 1]];
    const ranks = [
      entry.rank,
      ...(ahead ? [ahead.rank, ahead.rank + 1] : []),
      ...(behind ? [behind.rank, behind.rank - 1] : []),
    ];
    const off = (rank: number) => Math.abs(positionAmong(others, { seq: entry.seq, rank }) - wanted);
    const best = Math.min(...ranks.map(off));
    entry.rank = ranks.find((rank) => off(rank) === best) ?? entry.rank;
    entry.moved = entry.rank - (entry.seq - this.settings.boost * entry.referrals);
  }

  /** Returns whether there was something to confirm. */
  confirm(entry: ModelEntry): boolean {
    if (entry.status !== 'pending') return false;
    entry.status = 'waiting';
    this.confirmed += 1;
    this.#credit(entry);
    return true;
  }

  remove(entry: ModelEntry): void {
    for (const invite of this.invites) {
      if (!same(invite.email, entry.email)) continue;
      if (!invite.accepted) invite.revoked = true;
      invite.email = null;
    }
    this.#takeCreditBack(entry);
    const { plan } = entry;
    Object.assign(entry, { email: null, phone: null, plan: null, status: 'removed', removedFrom: null });
    this.#forgetPlan(plan);
  }

  #takeCreditBack(entry: ModelEntry): void {
    const { referrer, credited } = entry;
    entry.credited = false;
    if (credited && referrer && referrer.status !== 'removed')
      this.#setReferrals(referrer, referrer.referrals - 1);
  }

  /** Without erasing it. */
  takeOff(entry: ModelEntry): void {
    for (const invite of this.invites) {
      const { email, accepted, revoked, ended } = invite;
      if (!same(email, entry.email) || accepted || revoked || ended) continue;
      if (this.stateOf(invite) === 'expired') invite.ended = true;
      else invite.revoked = true;
      this.#backToQueue(invite);
    }
    this.#takeCreditBack(entry);
    entry.removedFrom = entry.status;
    entry.status = 'removed';
  }

  putBack(entry: ModelEntry): void {
    entry.status = entry.removedFrom ?? 'removed';
    entry.removedFrom = null;
    const referred = this.entries.filter(({ referrer, credited }) => credited && referrer === entry);
    this.#setReferrals(entry, referred.length);
    if (entry.status !== 'pending') this.#credit(entry);
  }

  changePlan(entry: ModelEntry, plan: number | null): void {
    const before = entry.plan;
    entry.plan = plan;
    this.#countPlan(before, -1);
    this.#countPlan(plan, 1);
    this.#forgetPlan(before);
  }

  #countPlan(plan: number | null, signups: number): void {
    if (plan !== null) this.plans.set(plan, (this.plans.get(plan) ?? 0) + signups);
  }

  /** If nobody has it any more. */
  #forgetPlan(plan: number | null): void {
    if (plan === null || this.entries.some((other) => other.plan === plan)) return;
    this.otherPlans += this.plans.get(plan) ?? 0;
    this.plans.delete(plan);
  }

  /** Whether somebody with this email was taken off. */
  isOff(email: number): boolean {
    return this.#entryOf(email)?.status === 'removed';
  }

  /** undefined for the waitlist's own expiry. */
  invite(email: number, expiry: number | null | undefined): void {
    const { inviteExpiryMs } = this.settings;
    const standard = inviteExpiryMs === null ? null : this.now + inviteExpiryMs;
    const expiresAt = expiry === undefined ? standard : expiry;
    this.invites.push({ email, expiresAt, accepted: false, revoked: false, ended: false });
    const entry = this.#entryOf(email);
    if (entry?.status !== 'waiting' && entry?.status !== 'pending') return;
    if (entry.status === 'pending') this.#credit(entry);
    entry.status = 'invited';
    entry.invitedAt = this.now;
  }

  inviteFirst(count: number, expiry: number | null | undefined): void {
    this.#inviteAll(this.order.filter(({ email }) => email !== null).slice(0, count), expiry);
  }

  inviteSegment(segment: ModelSegment, expiry: number | null | undefined): void {
    const inSegment = ({ plan, referrals, createdAt }: ModelEntry) =>
      (segment.plan === undefined || plan === segment.plan) &&
      referrals >= (segment.minReferrals ?? 0) &&
      createdAt < (segment.joinedBefore ?? Number.POSITIVE_INFINITY) &&
      createdAt >= (segment.joinedAfter ?? 0);
    this.#inviteAll(
      this.entries.filter((entry) => entry.status === 'waiting' && entry.email !== null && inSegment(entry)),
      expiry,
    );
  }

  #inviteAll(entries: ModelEntry[], expiry: number | null | undefined): void {
    for (const { email } of entries) if (email !== null) this.invite(email, expiry);
  }

  accept(invite: ModelInvite): InviteOutcome {
    const state = this.stateOf(invite);
    if (state !== 'done') return state;
    invite.accepted = true;
    const entry = this.#entryOf(invite.email);
    if (entry && entry.status !== 'joined') {
      if (entry.status === 'pending') this.#credit(entry);
      entry.status = 'joined';
      entry.joinedAt = this.now;
    }
    return 'done';
  }

  revoke(invite: ModelInvite): InviteOutcome {
    const state = this.stateOf(invite);
    if (state !== 'done') return state;
    invite.revoked = true;
    this.#backToQueue(invite);
    return 'done';
  }

  /** Returns how many there were. */
  revokeAll(): number {
    const open = this.invites.filter((invite) => this.stateOf(invite) === 'done');
    for (const invite of open) this.revoke(invite);
    return open.length;
  }

  /** Ends the overdue invites and returns how many there were. */
  expire(): number {
    const due = this.invites.filter((invite) => !invite.ended && this.stateOf(invite) === 'expired');
    for (const invite of due) {
      invite.ended = true;
      this.#backToQueue(invite);
    }
    return due.length;
  }

  /** Unless another invite is live, or the waitlist leaves them invited. */
  #backToQueue({ email }: ModelInvite): void {
    const entry = this.#entryOf(email);
    const stillInvited = this.invites.some(
      (other) => same(other.email, email) && this.stateOf(other) === 'done',
    );
    if (entry?.status !== 'invited' || stillInvited || !this.settings.returnToQueue) return;
    entry.status = 'waiting';
    entry.invitedAt = null;
  }

  /** `done`: it can be accepted now. */
  stateOf({ accepted, revoked, expiresAt }: ModelInvite): InviteOutcome {
    if (accepted) return 'accepted';
    if (revoked) return 'revoked';
    return expiresAt !== null && expiresAt <= this.now ? 'expired' : 'done';
  }

  /** What happened so far. */
  get totals() {
    const { entries, invites } = this;
    return {
      signups: entries.length,
      referred: entries.filter(({ referrer }) => referrer !== null).length,
      confirmed: this.confirmed,
      invited: invites.length,
      accepted: invites.filter(({ accepted }) => accepted).length,
      expired: invites.filter(({ ended }) => ended).length,
      revoked: invites.filter(({ revoked, ended }) => revoked && !ended).length,
      removed: entries.filter(({ status }) => status === 'removed').length,
    };
  }

  /** How many entries are at the end of a chain of so many referrals. */
  get depths(): Map<number, number> {
    const depths = new Map<number, number>();
    for (const entry of this.entries) {
      let depth = 0;
      for (let at = entry.referrer; at; at = at.referrer) depth += 1;
      depths.set(depth, (depths.get(depth) ?? 0) + 1);
    }
    return depths;
  }

  #entryOf(email: number | null): ModelEntry | undefined {
    return this.entries.find((entry) => same(entry.email, email));
  }

  /** Waiting entries, front of the queue first. */
  get order(): ModelEntry[] {
    return this.entries
      .filter(({ status }) => status === 'waiting')
      .sort((a, b) => a.rank - b.rank || b.seq - a.seq);
  }
}

function positionAmong(
  others: readonly ModelEntry[],
  { seq, rank }: Pick<ModelEntry, 'seq' | 'rank'>,
): number {
  return 1 + others.filter((other) => other.rank < rank || (other.rank === rank && other.seq > seq)).length;
}

function same(a: number | null, b: number | null): boolean {
  return a !== null && a === b;
}
