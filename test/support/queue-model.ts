import type { Status } from '../../src/db/tables.ts';

/** What a signup can say about a person. Each number stands for one email or phone. */
export interface ModelSignup {
  email: number | null;
  phone: number | null;
  referredBy: ModelReferrer;
  /** The value of `plan` in the metadata. */
  plan: number | null;
  /** The nth code that advances, or one that does not exist. */
  code?: number | null;
}

export type ModelReferrer =
  | { by: 'nobody' }
  | { by: 'email' | 'phone'; number: number }
  /** The referral code of the nth entry. */
  | { by: 'code'; entry: number };

export interface ModelEntry {
  seq: number;
  /** Where it joined among those who count. */
  place: number;
  /** Places before it for those whom an operator moved to the end. */
  opened: number;
  confirmed: boolean;
  /** When it confirmed its email, or else joined: in this order referrals count. */
  countsAt: number;
  /** The number of the import that added it. */
  importedBy: number | null;
  email: number | null;
  phone: number | null;
  plan: number | null;
  status: Status;
  /** Its status before it was taken off the waitlist. null also for one that was erased. */
  removedFrom: Status | null;
  /** Its status before it was declined. */
  declinedFrom: Status | null;
  rank: number;
  /** How many ranks earlier its code puts it. */
  advanced: number;
  /** The codes that it came with. `counted`: its place is taken. */
  uses: { code: ModelCode; counted: boolean }[];
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

export interface ModelCode {
  readonly places: number;
  readonly limit: number;
  used: number;
}

/** Decides about signups that meet all of it. */
export interface ModelRule {
  plan?: number | undefined;
  referrer?: ModelEntry | undefined;
  code?: ModelCode | undefined;
  outcome: 'approve' | 'advance' | 'decline';
}

/** What a signup says about the code that it names. */
interface ModelOutcome {
  entry: number;
  used: boolean;
  places?: number;
  reason?: string;
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

/** The status of somebody who was declined is what they come back to. */
function standingOf({ status, declinedFrom }: ModelEntry): Status {
  return status === 'declined' ? (declinedFrom ?? status) : status;
}

/** The queue of the contract, implemented in the simplest possible way. */
export class QueueModel {
  readonly entries: ModelEntry[] = [];
  readonly invites: ModelInvite[] = [];
  readonly settings: ModelSettings;
  readonly codes: readonly ModelCode[];
  /** The first that fits decides. */
  readonly rules: ModelRule[] = [];
  /** Signups by plan, and those whose plan nobody has any more. */
  readonly plans = new Map<number, number>();
  otherPlans = 0;
  now: number;
  lastSeq = 0;
  /** How many places were opened for those whom an operator moved to the end. */
  opened = 0;
  /** Who was credited in a batch of signups, until its end. */
  readonly #credited = new Set<ModelEntry>();

  constructor(settings: ModelSettings, now: number, codes: readonly Omit<ModelCode, 'used'>[] = []) {
    this.settings = { ...settings };
    this.codes = codes.map((code) => ({ ...code, used: 0 }));
    this.now = now;
  }

  /** Returns how many of the batch are created, and what became of their codes. */
  signup(batch: ModelSignup[]): { created: number; codes: ModelOutcome[] } {
    const before = this.entries.length;
    const added = batch.map((signup) => {
      const code = this.codes[signup.code ?? -1];
      const isOpen = code !== undefined && code.used < code.limit;
      const isNew = this.#add(signup, null, isOpen ? code : undefined);
      if (isNew && isOpen) code.used += 1;
      return { isNew, isOpen };
    });
    const codes = batch.flatMap((signup, entry): ModelOutcome[] => {
      if (signup.code == null) return [];
      const code = this.codes[signup.code];
      const holder =
        this.entries.find(({ email }) => same(email, signup.email)) ??
        this.entries.find(({ phone }) => same(phone, signup.phone));
      const { isNew = false, isOpen = false } = added[entry] ?? {};
      const came = holder?.uses.some((use) => use.code === code && use.counted);
      if (code && (isNew ? isOpen : came)) return [{ entry, used: true, places: code.places }];
      const reason = !isNew ? 'on_waitlist' : code ? 'accepted' : 'not_found';
      return [{ entry, used: false, reason }];
    });
    this.#rankCredited();
    this.#decideByRules(this.entries.slice(before));
    return { created: added.filter(({ isNew }) => isNew).length, codes };
  }

  #decideByRules(newcomers: readonly ModelEntry[]): void {
    const ruled = newcomers.map((entry) => {
      const rule = this.rules.find(
        ({ plan, referrer, code }) =>
          (plan === undefined || entry.plan === plan) &&
          (referrer === undefined || entry.referrer === referrer) &&
          (code === undefined || entry.uses.some((use) => use.code === code)),
      );
      return { entry, rule };
    });
    for (const rule of this.rules) {
      const its = ruled.flatMap((each) => (each.rule === rule ? [each.entry] : []));
      const first = Math.min(...this.order.map(({ rank }) => rank));
      for (const entry of its) {
        if (rule.outcome === 'decline') this.decline(entry);
        if (rule.outcome === 'approve' && entry.email !== null) this.approve(entry);
        if (rule.outcome !== 'advance') continue;
        const rank = Math.min(first, entry.rank);
        entry.moved += rank - entry.rank;
        entry.rank = rank;
      }
    }
  }

  /** Of people who need not confirm their email. */
  import(emails: number[], number: number): void {
    for (const email of emails)
      this.#add({ email, phone: null, referredBy: { by: 'nobody' }, plan: null }, number);
  }

  #add(
    { email, phone, referredBy, plan }: ModelSignup,
    importedBy: number | null = null,
    code?: ModelCode,
  ): boolean {
    if (this.entries.some((entry) => same(entry.email, email) || same(entry.phone, phone))) return false;
    const entry: ModelEntry = {
      seq: ++this.lastSeq,
      place: this.nextPlace,
      opened: this.opened,
      confirmed: false,
      countsAt: this.now,
      importedBy,
      email,
      phone,
      plan,
      status: this.settings.confirmEmails && email !== null && importedBy === null ? 'pending' : 'waiting',
      removedFrom: null,
      declinedFrom: null,
      rank: this.nextPlace - (code?.places ?? 0),
      advanced: code?.places ?? 0,
      uses: code ? [{ code, counted: true }] : [],
      moved: 0,
      referrals: 0,
      referrer: this.find(referredBy),
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

  find(referrer: ModelReferrer): ModelEntry | null {
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
    referrer.referrals += 1;
    this.#credited.add(referrer);
  }

  #rankCredited(): void {
    for (const entry of this.#credited) this.#setReferrals(entry, entry.referrals);
    this.#credited.clear();
  }

  /** Where the next one to join is placed. */
  get nextPlace(): number {
    return this.entries.length + this.opened + 1;
  }

  #setReferrals(entry: ModelEntry, referrals: number): void {
    entry.referrals = referrals;
    const rank = entry.place - this.settings.boost * referrals - entry.advanced + entry.moved;
    const beyond = Math.max(0, rank - this.nextPlace + 1);
    entry.rank = rank - beyond;
    entry.moved -= beyond;
  }

  /** They leave no place, and those behind move up. Whoever was moved stays between the same two. */
  #close(gone: readonly ModelEntry[]): void {
    for (const entry of gone) this.entries.splice(this.entries.indexOf(entry), 1);
    const spots = [{ seq: 0, before: 0, after: 0 }];
    for (const [index, { seq, place, opened }] of this.entries.entries())
      spots.push({ seq, before: place, after: index + 1 + opened });
    spots.push({ seq: Infinity, before: Infinity, after: this.nextPlace });
    const moved = this.entries.filter((entry) => entry.moved !== 0 && entry.rank > 0);
    const ranks = [...new Set(moved.map(({ rank }) => rank))].sort((a, b) => a - b);
    const rankAfter = ({ seq, rank }: ModelEntry) => {
      const at = spots.findIndex(({ before }) => before >= rank);
      const [ahead, behind] = [spots[at - 1], spots[at]];
      if (!ahead || !behind || behind.before === rank) return behind?.after ?? rank;
      const between = ranks.filter((each) => each > ahead.before && each < behind.before);
      const spot = behind.after - between.length + between.indexOf(rank);
      if (spot > ahead.after) return spot;
      return seq < behind.seq ? ahead.after : ahead.after + 1;
    };
    const results = new Map(moved.map((entry) => [entry, rankAfter(entry)]));
    for (const [index, entry] of this.entries.entries()) {
      const up = entry.place - (index + 1 + entry.opened);
      const rank = results.get(entry) ?? (entry.moved === 0 ? entry.rank - up : entry.rank);
      if (entry.moved !== 0) entry.moved += up + rank - entry.rank;
      entry.place -= up;
      entry.rank = rank;
    }
  }

  /** Why an import cannot be undone: somebody of it was invited since, or referred others. */
  isTied(number: number): boolean {
    const its = this.entries.filter(({ importedBy }) => importedBy === number);
    return its.some(
      (entry) =>
        this.invites.some(({ email }) => same(email, entry.email)) ||
        this.entries.some(({ referrer, importedBy }) => referrer === entry && importedBy !== number),
    );
  }

  undo(number: number): void {
    this.#forget(this.entries.filter(({ importedBy }) => importedBy === number));
  }

  removeAsNeverJoined(entry: ModelEntry): void {
    this.#endInvitesOf(entry);
    this.#forget([entry]);
  }

  #forget(gone: readonly ModelEntry[]): void {
    for (const other of this.entries)
      if (other.referrer && gone.includes(other.referrer))
        Object.assign(other, { referrer: null, credited: false });
    for (const entry of gone) this.#withdrawCreditFor(entry);
    for (const entry of gone) this.#returnCodes(entry);
    const recounts = gone.some(({ email, phone }) => email === null && phone === null);
    this.#close(gone);
    for (const { plan } of gone) this.#countPlan(plan, -1);
    if (recounts) {
      this.plans.clear();
      this.otherPlans = 0;
      for (const { plan } of this.entries) this.#countPlan(plan, 1);
    } else for (const { plan } of gone) this.#forgetPlan(plan);
  }

  /** Until this is called, entries whose referrals have not changed keep the rank of the former boost. */
  applyBoost(): void {
    for (const entry of this.entries) this.#setReferrals(entry, entry.referrals);
  }

  /** Beside the one ahead or the one behind, whichever is exact; otherwise where it comes nearest. */
  move(entry: ModelEntry, position: number): void {
    const others = this.order.filter((other) => other !== entry);
    const wanted = Math.min(position, others.length + 1);
    if (wanted === others.length + 1) {
      const isThere = this.order.at(-1) === entry && entry.rank === this.nextPlace - 1;
      if (!isThere) this.#place(entry, this.nextPlace);
      return;
    }
    const [ahead, behind] = [others[wanted - 2], others[wanted - 1]];
    const ranks = [
      entry.rank,
      ...(ahead ? [ahead.rank, ahead.rank + 1] : []),
      ...(behind ? [behind.rank, behind.rank - 1] : []),
    ];
    const off = (rank: number) => Math.abs(positionAmong(others, { seq: entry.seq, rank }) - wanted);
    const best = Math.min(...ranks.map(off));
    this.#place(entry, ranks.find((rank) => off(rank) === best) ?? entry.rank);
  }

  #place(entry: ModelEntry, rank: number): void {
    if (rank === entry.rank) return;
    this.opened += Math.max(0, rank - this.nextPlace + 1);
    entry.rank = rank;
    entry.moved = rank - (entry.place - this.settings.boost * entry.referrals - entry.advanced);
  }

  /** Returns whether there was something to confirm. */
  confirm(entry: ModelEntry): boolean {
    if (standingOf(entry) !== 'pending') return false;
    if (entry.status === 'declined') entry.declinedFrom = 'waiting';
    else entry.status = 'waiting';
    entry.confirmed = true;
    entry.countsAt = this.now;
    this.#credit(entry);
    this.#rankCredited();
    return true;
  }

  #endInvitesOf(entry: ModelEntry): void {
    for (const invite of this.invites) {
      if (!same(invite.email, entry.email)) continue;
      if (!invite.accepted) invite.revoked = true;
      invite.email = null;
    }
  }

  remove(entry: ModelEntry): void {
    this.#returnCodes(entry);
    this.#endInvitesOf(entry);
    this.#withdrawCreditFor(entry);
    const { plan } = entry;
    Object.assign(entry, { email: null, phone: null, plan: null, status: 'removed', removedFrom: null });
    this.#forgetPlan(plan);
  }

  /** Nobody is here for a day. */
  #returnCodes({ uses }: ModelEntry): void {
    for (const use of uses) {
      if (use.counted) use.code.used -= 1;
      use.counted = false;
    }
  }

  #withdrawCreditFor(entry: ModelEntry): void {
    const { referrer, credited } = entry;
    entry.credited = false;
    if (credited && referrer && referrer.status !== 'removed')
      this.#setReferrals(referrer, referrer.referrals - 1);
  }

  /** Without erasing it. */
  removeEntry(entry: ModelEntry): void {
    this.#returnCodes(entry);
    this.#closeInvitesOf(entry);
    this.#withdrawCreditFor(entry);
    entry.removedFrom = entry.status;
    entry.status = 'removed';
  }

  decline(entry: ModelEntry): void {
    this.#closeInvitesOf(entry);
    entry.declinedFrom = entry.status;
    entry.status = 'declined';
  }

  declineSegment(segment: ModelSegment): number {
    const declined = this.#inSegment(segment);
    for (const entry of declined) this.decline(entry);
    return declined.length;
  }

  reconsider(entry: ModelEntry): void {
    entry.status = standingOf(entry);
    entry.declinedFrom = null;
  }

  approve(entry: ModelEntry): void {
    this.reconsider(entry);
    if (entry.email !== null) this.invite(entry.email, undefined);
  }

  #closeInvitesOf(entry: ModelEntry): void {
    for (const invite of this.invites) {
      const { email, accepted, revoked, ended } = invite;
      if (!same(email, entry.email) || accepted || revoked || ended) continue;
      if (this.stateOf(invite) === 'expired') invite.ended = true;
      else invite.revoked = true;
      this.#backToQueue(invite);
    }
  }

  /** Whether somebody else has the place of their code. */
  isReplaced({ uses }: ModelEntry): boolean {
    return uses.some(({ code, counted }) => !counted && code.used >= code.limit);
  }

  restoreEntry(entry: ModelEntry): void {
    for (const use of entry.uses) {
      if (!use.counted) use.code.used += 1;
      use.counted = true;
    }
    entry.status = entry.removedFrom ?? 'removed';
    entry.removedFrom = null;
    const referred = this.entries.filter(({ referrer, credited }) => credited && referrer === entry);
    this.#setReferrals(entry, referred.length);
    if (standingOf(entry) !== 'pending') this.#credit(entry);
    this.#rankCredited();
  }

  changeEmail(entry: ModelEntry, email: number): void {
    const former = entry.email;
    entry.email = email;
    for (const invite of this.invites) if (same(invite.email, former)) invite.email = email;
    const mailboxes = [mailboxOf(former), mailboxOf(email)];
    if (mailboxes[0] === mailboxes[1]) return;
    const referred = this.entries.filter(
      (other) => other.referrer === entry && mailboxes.includes(mailboxOf(other.email) ?? -1),
    );
    const open: Open[] = [entry, ...referred].map((each) => ({ at: each, entry: each }));
    if (entry.credited && former !== null) open.unshift({ at: entry, heirs: { mailbox: mailboxOf(former) } });
    this.#decideAgain(open);
  }

  changeReferrer(entry: ModelEntry, referrer: ModelEntry | null): void {
    if (referrer === entry.referrer) return;
    const open: Open[] = [];
    const before = new Map(this.entries.map((each) => [each, each.referrals]));
    if (entry.credited) this.#lose(entry, open);
    Object.assign(entry, { referrer, credited: false });
    this.#decideAgain([...open, { at: entry, entry }], before);
  }

  /** The earlier one stays, with what the other one says counting more. */
  merge(from: ModelEntry, into: ModelEntry): void {
    const [first, second] = from.seq < into.seq ? [from, into] : [into, from];
    const referrer =
      [first.referrer, second.referrer].find(
        (each) =>
          each !== null && ![first, second].some((entry) => entry === each || this.isBelow(each, entry)),
      ) ?? null;
    const mailboxes = [first.email, second.email].map(mailboxOf);
    const email = into.email ?? from.email;
    for (const invite of this.invites)
      if (same(invite.email, from.email) || same(invite.email, into.email)) invite.email = email;
    const confirmed = [first, second].filter((entry) => entry.confirmed);
    const status = ['joined', 'invited', 'waiting', 'pending'].find(
      (each) => from.status === each || into.status === each,
    ) as Status;
    const plan = into.plan ?? from.plan;
    if (plan !== first.plan) this.changePlan(first, plan);
    const before = new Map(this.entries.map((each) => [each, each.referrals]));
    Object.assign(first, {
      email,
      phone: into.phone ?? from.phone,
      status,
      confirmed: confirmed.length > 0,
      countsAt: Math.min(
        ...(confirmed.length > 0 ? confirmed : [{ countsAt: first.createdAt }]).map((e) => e.countsAt),
      ),
      invitedAt: status === 'waiting' ? null : earliest(first.invitedAt, second.invitedAt),
      joinedAt: earliest(first.joinedAt, second.joinedAt),
      importedBy: first.importedBy === second.importedBy ? first.importedBy : null,
    });
    const advanced = Math.max(first.advanced, second.advanced);
    first.rank -= advanced - first.advanced;
    first.advanced = advanced;
    const others = second.uses.filter(({ code }) => first.uses.every((use) => use.code !== code));
    first.uses.push(...others);
    second.uses = [];
    Object.assign(second, { email: null, phone: null });
    const open: Open[] = [];
    for (const [index, entry] of [first, second].entries()) {
      const mailbox = mailboxes[index] ?? null;
      if (!entry.credited) continue;
      if (entry === second || referrer !== entry.referrer) this.#lose(entry, open);
      if (mailbox !== null) open.push({ at: entry, heirs: { mailbox } });
    }
    if (referrer !== first.referrer) first.referrer = referrer;
    const had = first.referrals;
    const adopted = this.entries.filter((entry) => entry.referrer === second);
    for (const entry of adopted) entry.referrer = first;
    const credits = adopted.filter(({ credited }) => credited).length;
    first.referrals += credits;
    const cap = this.settings.referralCap ?? Number.POSITIVE_INFINITY;
    for (let beyond = had + credits - Math.max(cap, had, credits); beyond > 0; beyond -= 1) {
      const last = this.entries
        .filter((entry) => entry.referrer === first && entry.credited)
        .sort(byOrder)
        .at(-1);
      if (last) this.#lose(last, open, true);
    }
    const own = this.entries.filter(
      (entry) =>
        entry.referrer === first && [...mailboxes, mailboxOf(email)].includes(mailboxOf(entry.email) ?? -1),
    );
    open.push(...[first, ...own].map((entry) => ({ at: entry, entry })));
    this.#decideAgain(open, before);
    for (const rule of this.rules) if (rule.referrer === second) rule.referrer = first;
    second.phone = -1;
    this.#forget([second]);
  }

  /** Whether one was referred by the other, directly or through others. */
  isBelow(entry: ModelEntry, above: ModelEntry): boolean {
    for (let at = entry.referrer; at; at = at.referrer) if (at === above) return true;
    return false;
  }

  /** Who lost a credit leaves it to the next one who was refused because of it. */
  #lose(entry: ModelEntry, open: Open[], isReplaced = false): void {
    const { referrer } = entry;
    entry.credited = false;
    if (referrer && referrer.status !== 'removed') {
      referrer.referrals -= 1;
      if (!isReplaced && this.settings.referralCap !== null) open.push({ at: entry, heirs: { referrer } });
    }
    if (entry.email !== null) open.push({ at: entry, heirs: { mailbox: mailboxOf(entry.email) } });
  }

  /** One after the other, in the order in which they count: what is decided for one changes it only for those after it. */
  #decideAgain(open: Open[], before = new Map(this.entries.map((each) => [each, each.referrals]))): void {
    const cap = this.settings.referralCap ?? Number.POSITIVE_INFINITY;
    for (let next = first(open); next; next = first(open)) {
      const { at, entry, heirs } = next;
      if (!entry) {
        const heir = this.#isTaken(heirs, at) ? undefined : this.#heirAfter(heirs, at);
        if (heir) open.push({ at: heir, entry: heir, heirs });
        continue;
      }
      const isCredited = this.#decide(entry, open, cap, heirs?.referrer !== undefined);
      if (heirs && !isCredited) open.push({ at: entry, heirs });
    }
    for (const [entry, referrals] of before)
      if (entry.referrals !== referrals) this.#setReferrals(entry, entry.referrals);
  }

  #decide(entry: ModelEntry, open: Open[], cap: number, isHeir: boolean): boolean {
    const { referrer } = entry;
    const status = standingOf(entry);
    if (!referrer || referrer.status === 'removed') return false;
    const mates = this.#mates(mailboxOf(entry.email)).filter((mate) => mate !== entry && mate.credited);
    const isOwn = same(mailboxOf(entry.email), mailboxOf(referrer.email));
    const isAllowed =
      status !== 'pending' && status !== 'removed' && !isOwn && !mates.some((mate) => inOrder(mate, entry));
    if (!isAllowed) {
      if (entry.credited) this.#lose(entry, open);
      return false;
    }
    if (!entry.credited) {
      if (referrer.referrals >= cap) {
        const credited = this.entries.filter((other) => other.referrer === referrer && other.credited);
        const last = credited.sort(byOrder).at(-1);
        if (isHeir || !last || !inOrder(entry, last)) return false;
        this.#lose(last, open, true);
      }
      entry.credited = true;
      referrer.referrals += 1;
    }
    open.push(...mates.filter((mate) => inOrder(entry, mate)).map((mate) => ({ at: mate, entry: mate })));
    return true;
  }

  #mates(mailbox: number | null): ModelEntry[] {
    return this.entries.filter(({ email }) => same(mailboxOf(email), mailbox));
  }

  #isTaken(heirs: Heirs = {}, at: ModelEntry): boolean {
    const { referrer, mailbox = null } = heirs;
    if (!referrer) return this.#mates(mailbox).some((mate) => mate.credited && !inOrder(at, mate));
    return referrer.referrals >= (this.settings.referralCap ?? Number.POSITIVE_INFINITY);
  }

  #heirAfter(heirs: Heirs = {}, at: ModelEntry): ModelEntry | undefined {
    const { referrer, mailbox = null } = heirs;
    const among = referrer
      ? this.entries.filter((entry) => entry.referrer === referrer)
      : this.#mates(mailbox);
    return among
      .filter((entry) => entry.referrer && !entry.credited && inOrder(at, entry))
      .filter((entry) => !['pending', 'removed'].includes(standingOf(entry)))
      .sort(byOrder)[0];
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

  /** Whether somebody with this email was taken off or declined. */
  isOff(email: number): boolean {
    return ['removed', 'declined'].includes(this.#entryOf(email)?.status ?? '');
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
    this.#rankCredited();
    entry.status = 'invited';
    entry.invitedAt = this.now;
  }

  inviteFirst(count: number, expiry: number | null | undefined): void {
    this.#inviteAll(this.order.filter(({ email }) => email !== null).slice(0, count), expiry);
  }

  inviteSegment(segment: ModelSegment, expiry: number | null | undefined): void {
    this.#inviteAll(
      this.#inSegment(segment).filter(({ email }) => email !== null),
      expiry,
    );
  }

  #inSegment(segment: ModelSegment): ModelEntry[] {
    const inSegment = ({ plan, referrals, createdAt }: ModelEntry) =>
      (segment.plan === undefined || plan === segment.plan) &&
      referrals >= (segment.minReferrals ?? 0) &&
      createdAt < (segment.joinedBefore ?? Number.POSITIVE_INFINITY) &&
      createdAt >= (segment.joinedAfter ?? 0);
    return this.entries.filter((entry) => entry.status === 'waiting' && inSegment(entry));
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
      this.#rankCredited();
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
      confirmed: entries.filter(({ confirmed }) => confirmed).length,
      invited: invites.length,
      accepted: invites.filter(({ accepted }) => accepted).length,
      expired: invites.filter(({ ended }) => ended).length,
      revoked: invites.filter(({ revoked, ended }) => revoked && !ended).length,
      removed: entries.filter(({ status }) => status === 'removed').length,
      declined: entries.filter(({ declinedFrom }) => declinedFrom !== null).length,
      // Nobody in the model has a link.
      downloads: 0,
      deletions: 0,
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

/** Who may get a credit: the next one of a referrer, or of a mailbox. */
interface Heirs {
  referrer?: ModelEntry;
  mailbox?: number | null;
}

/** A referral to decide, or a credit that is free from then on. */
interface Open {
  at: ModelEntry;
  entry?: ModelEntry;
  heirs?: Heirs | undefined;
}

function earliest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

function byOrder(a: ModelEntry, b: ModelEntry): number {
  return a.countsAt - b.countsAt || a.seq - b.seq;
}

function inOrder(a: ModelEntry, b: ModelEntry): boolean {
  return byOrder(a, b) < 0;
}

function first(open: Open[]): Open | undefined {
  return open.sort((a, b) => byOrder(a.at, b.at)).shift();
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
