import type { Trx } from '../../db/database.ts';
import { RULE_OUTCOMES, type RuleOutcome } from '../../db/tables.ts';
import { domainOf, parseEmail } from '../../lib/email.ts';
import { conflict, invalid, notFound } from '../../lib/errors.ts';
import { bytesKey, formatId, type Id, newId, parseId } from '../../lib/ids.ts';
import { endOfTurn } from '../../lib/promises.ts';
import { ifReadable } from '../../vault/crypto.ts';
import { readEntries } from '../entries/browse-entries.ts';
import type { Entry } from '../entries/entry.ts';
import { metadataPairs, type Person, pairsMeant } from '../people/person.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';

export { RULE_OUTCOMES, type RuleOutcome };

export const RULES_MAX = 50;
export const DOMAIN_CHARACTERS_MAX = 255;
const LOOKED_AT_ONCE = 500;
/** Opened by one dry run: a fifth of a second. */
export const LOOKED_MAX = 100_000;
const SHOWN = 10;

/** What a person must meet: all of it. */
export interface Conditions {
  /** `acme.com`, or `*.edu` for everything below. */
  domain?: string;
  pairs?: readonly { key: string; value: string }[];
  /** The entry that they named as their referrer. */
  referrer?: { id: string; seq: number };
  /** Id of the code that they joined with. */
  code?: string;
}

export interface Rule {
  id: Id<'rul'>;
  when: Conditions;
  outcome: RuleOutcome;
  createdAt: number;
}

/** What a rule looks at, of a signup or of somebody who waits. */
export interface RuleSubject {
  /** In its ASCII form. */
  domain: string | null;
  /** Of the metadata. */
  pairHashes: readonly Uint8Array[];
  referrerSeq: number | null;
  /** Id of the code that they joined with. */
  code: Uint8Array | undefined;
}

/** As addresses are parsed, so that both spell a domain alike. */
export function parseDomain(text: string): string {
  const below = text.trim().startsWith('*.');
  const email = parseEmail(`a@${below ? text.trim().slice(2) : text.trim()}`);
  if (!email) throw invalid('when.domain: must be a domain such as acme.com, or *.edu');
  return (below ? '*.' : '') + domainOf(email.key);
}

export type Matcher = (subject: RuleSubject) => boolean;

export function matcherOf({ vault }: Queue, { domain, pairs = [], referrer, code }: Conditions): Matcher {
  const wanted = pairs.map(({ key, value }) => pairsMeant(vault, key, value).map(bytesKey));
  return (subject) => {
    if (domain !== undefined && !isInDomain(subject.domain, domain)) return false;
    if (referrer !== undefined && subject.referrerSeq !== referrer.seq) return false;
    if (code !== undefined && !(subject.code && formatId('cod', subject.code) === code)) return false;
    if (wanted.length === 0) return true;
    const has = new Set(subject.pairHashes.map(bytesKey));
    return wanted.every((hashes) => hashes.some((hash) => has.has(hash)));
  };
}

function isInDomain(domain: string | null, wanted: string): boolean {
  if (domain === null) return false;
  return wanted.startsWith('*.') ? domain.endsWith(wanted.slice(1)) : domain === wanted;
}

/** The first that was made decides. One that cannot be decrypted decides nothing. */
export async function readRules(executor: Trx | Context['db']['query'], queue: Queue): Promise<Rule[]> {
  const rows = await executor
    .selectFrom('entry_rule')
    .select(['id', 'conditions', 'outcome', 'created_at'])
    .where('queue_id', '=', queue.id)
    .orderBy('id')
    .execute();
  return rows.flatMap(({ id, conditions, outcome, created_at }) => {
    const when = ifReadable(() => queue.vault.open<Conditions>('rule.conditions', id, conditions));
    return when ? [{ id: formatId('rul', id), when, outcome, createdAt: created_at }] : [];
  });
}

export async function createRule(
  context: Context,
  queue: Queue,
  { when, outcome }: Pick<Rule, 'when' | 'outcome'>,
): Promise<Rule> {
  return changeQueue(context, queue, async (change) => {
    const { trx, now } = change;
    const { length } = await readRules(trx, queue);
    if (length >= RULES_MAX) throw conflict(`a waitlist has at most ${RULES_MAX} rules: delete one first`);
    const id = newId(now);
    const conditions = queue.vault.seal('rule.conditions', id, when);
    trx.insert('entry_rule', [{ queue_id: queue.id, id, conditions, outcome, created_at: now }]);
    await countRules(change, length + 1);
    const rule: Rule = { id: formatId('rul', id), when, outcome, createdAt: now };
    await record(context, change, 'rule.created', rule);
    return rule;
  });
}

export async function deleteRule(context: Context, queue: Queue, ruleId: string): Promise<void> {
  await changeQueue(context, queue, async (change) => {
    const id = parseId('rul', ruleId);
    const rules = await readRules(change.trx, queue);
    const rule = rules.find((each) => each.id === ruleId);
    if (!id || !rule) throw notFound(`there is no rule ${ruleId}`);
    await change.trx.deleteFrom('entry_rule').where('queue_id', '=', queue.id).where('id', '=', id).execute();
    await countRules(change, rules.length - 1);
    await record(context, change, 'rule.deleted', rule);
  });
}

/** Rules on one of those entries are on `to`, which is what is left of them. */
export async function moveRulesOnReferrers(
  { trx, queue }: QueueChange,
  seqs: readonly number[],
  to: NonNullable<Conditions['referrer']>,
): Promise<void> {
  for (const { id: ruleId, when } of await readRules(trx, queue)) {
    const id = parseId('rul', ruleId);
    if (!id || !when.referrer || !seqs.includes(when.referrer.seq)) continue;
    const conditions = queue.vault.seal('rule.conditions', id, { ...when, referrer: to });
    trx.update('entry_rule', { key: ['queue_id', 'id'] }, [{ queue_id: queue.id, id, conditions }]);
  }
}

/** Signups read rules only where there are some. */
async function countRules({ trx, queue }: QueueChange, rules: number): Promise<void> {
  await trx.updateTable('queue_state').set({ rules }).where('queue_id', '=', queue.id).execute();
}

async function record(
  context: Context,
  { trx, queue }: QueueChange,
  action: 'rule.created' | 'rule.deleted',
  { id, outcome }: Rule,
): Promise<void> {
  await context.audit?.(trx, {
    action,
    object: { kind: 'waitlist', id: queue.waitlist.id },
    after: { rule: id, outcome },
  });
}

export interface DryRun {
  count: number;
  looked: number;
  /** Whether more people wait than were looked at. */
  more: boolean;
  first: Entry[];
}

/** What it would have done with those who wait, in the order in which they joined. */
export async function tryRule(context: Context, queue: Queue, when: Conditions): Promise<DryRun> {
  const matches = matcherOf(queue, when);
  const code = when.code === undefined ? undefined : parseId('cod', when.code);
  const found: number[] = [];
  let [count, looked, after] = [0, 0, 0];
  for (;;) {
    const rows = await waitingAfter(context, queue, after);
    const users = code && (await usersOf(context, queue, code, rows));
    for (const { seq, id, person: sealed, referrer_seq: referrerSeq } of rows) {
      const person = sealed && ifReadable(() => queue.vault.open<Person>('entry.person', id, sealed));
      if (
        !person ||
        !matches(subjectOf(queue, when, person, referrerSeq, users?.has(seq) ? code : undefined))
      )
        continue;
      count += 1;
      if (found.length < SHOWN) found.push(seq);
    }
    looked += rows.length;
    after = rows.at(-1)?.seq ?? after;
    const more = rows.length === LOOKED_AT_ONCE;
    if (!more || looked >= LOOKED_MAX)
      return { count, looked, more, first: await readEntries(context, queue, found) };
    await endOfTurn();
  }
}

function waitingAfter({ db }: Context, queue: Queue, after: number) {
  return db.query
    .selectFrom('entry')
    .select(['seq', 'id', 'person', 'referrer_seq'])
    .where('queue_id', '=', queue.id)
    .where('status', '=', 'waiting')
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(LOOKED_AT_ONCE)
    .execute();
}

/** Who of them joined with the code. */
async function usersOf(
  { db }: Context,
  queue: Queue,
  code: Uint8Array,
  rows: readonly { seq: number }[],
): Promise<Set<number>> {
  const uses = await db.query
    .selectFrom('code_use')
    .select('seq')
    .where('queue_id', '=', queue.id)
    .where('code_id', '=', code)
    .where('seq', '>=', rows[0]?.seq ?? 0)
    .where('seq', '<=', rows.at(-1)?.seq ?? 0)
    .where('returned_at', 'is', null)
    .execute();
  return new Set(uses.map(({ seq }) => seq));
}

/** Metadata is hashed only for a rule that asks for some: an opening costs little beside that. */
function subjectOf(
  { vault }: Queue,
  { pairs }: Conditions,
  person: Person,
  referrerSeq: number | null,
  code: Uint8Array | undefined,
): RuleSubject {
  const email = person.email === null ? undefined : parseEmail(person.email);
  return {
    domain: email ? domainOf(email.key) : null,
    pairHashes: pairs && person.metadata ? metadataPairs(vault, person.metadata) : [],
    referrerSeq,
    code,
  };
}
