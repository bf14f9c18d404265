import { DoorlistError } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import { whenReadable } from '../../vault/crypto.ts';
import { isEntryId, readEntries, readEntry } from '../entries/browse-entries.ts';
import { findEntry } from '../entries/entries.ts';
import type { Entry } from '../entries/entry.ts';
import { openVisit } from '../forms/visits.ts';
import { type LinkPurpose, readLink } from '../links/links.ts';
import { parseReferrer } from '../people/identity.ts';
import type { Context } from '../queue/context.ts';
import { OWN_DATA } from '../queue/events.ts';
import type { Queue } from '../queue/queue.ts';
import { findAliases } from '../referrals/referral-alias.ts';
import { codeReference, spellingsOf } from '../referrals/referral-code.ts';

/** Each queue has keys of its own, so each one is asked. These lookups are sent together. */
const QUEUES_AT_ONCE = 100;
/** A lookup takes a fraction of a millisecond, so this is well under a second. */
export const QUEUES_MAX = 5_000;
export const PEOPLE_MAX = 50;

export interface FoundPerson {
  queue: Queue;
  entry: Entry;
}

interface Found {
  people: FoundPerson[];
  /** Whether every waitlist was searched. */
  complete: boolean;
}

/** Finds a person in all waitlists and environments by what `searchEntry` finds one by. */
export async function searchEverywhere(
  context: Context,
  text: string,
  makeWay: () => Promise<void>,
  { atOnce = QUEUES_AT_ONCE, most = QUEUES_MAX }: { atOnce?: number; most?: number } = {},
): Promise<Found> {
  const people: FoundPerson[] = [];
  let after = 0;
  for (let searched = 0; searched < most; searched += atOnce) {
    const { queues, last } = await context.registry.queuesAfter(after, atOnce);
    const entries = await Promise.all(queues.map((queue) => searchOne(context, queue, text)));
    for (const [index, queue] of queues.entries()) {
      const entry = entries[index];
      if (entry) people.push({ queue, entry });
    }
    if (people.length > PEOPLE_MAX) return { people: people.slice(0, PEOPLE_MAX), complete: false };
    if (last === undefined) return { people, complete: true };
    after = last;
    await makeWay();
  }
  return { people, complete: false };
}

/** A damaged entry, which is in the log, must not hide the same person in other waitlists. */
function searchOne(context: Context, queue: Queue, text: string): Promise<Entry | undefined> {
  return whenReadable(searchEntry(context, queue, text));
}

/** Finds one entry by its exact email, phone number, referral code or id, or by a link that it was given. */
export async function searchEntry(context: Context, queue: Queue, text: string): Promise<Entry | undefined> {
  const words = text.trim();
  for (const part of [words, ...partsOfLink(words)]) {
    const found = await searchPart(context, queue, part);
    if (found) return found;
  }
  return undefined;
}

async function searchPart(context: Context, queue: Queue, words: string): Promise<Entry | undefined> {
  try {
    if (isEntryId(words)) return await readEntry(context, queue, words);
    const seq = await seqOfToken(context, queue, words);
    const [holder] = seq === undefined ? [] : await readEntries(context, queue, [seq]);
    if (holder) return holder;
    const identifier = parseReferrer(words);
    if (identifier?.kind === 'referral') return await findByCode(context, queue, identifier.key);
    return identifier && (await findEntry(context, queue, words));
  } catch (error) {
    if (error instanceof DoorlistError && error.code === 'not_found') return undefined;
    throw error;
  }
}

async function findByCode(context: Context, queue: Queue, code: string): Promise<Entry | undefined> {
  const reference = codeReference(queue, code);
  const { ownSeq } = reference;
  const [own] = ownSeq === undefined ? [] : await readEntries(context, queue, [ownSeq]);
  if (own) return own;
  const [holder] = (await findAliases(context.db, queue, spellingsOf(reference))).values();
  const [entry] = holder ? await readEntries(context, queue, [holder.seq]) : [];
  return entry;
}

const PURPOSES: readonly LinkPurpose[] = ['confirm', 'leave', 'status', ...OWN_DATA];
/** More parts than any link has that leads to a person. */
const PARTS_MAX = 20;

/** What of a link can say whom it is for: first the values of its query, then its path, the end first. */
function partsOfLink(text: string): string[] {
  const url = linkIn(text);
  if (!url) return [];
  const values = [...url.searchParams].filter(([name]) => !name.startsWith('utm_')).map(([, value]) => value);
  const path = url.pathname.split('/').filter(Boolean).reverse().map(decoded);
  return [...values, ...path].filter((part) => part !== '').slice(0, PARTS_MAX);
}

export function isLink(text: string): boolean {
  return linkIn(text) !== undefined;
}

/** As people paste it: also in brackets, at the end of a sentence, or without the scheme that browsers hide. */
function linkIn(text: string): URL | undefined {
  const bare = text.trim().replace(/^[<("']+|[>)"'.,;]+$/g, '');
  if (/^https?:\/\/\S+$/i.test(bare)) return URL.parse(bare) ?? undefined;
  return /^[^\s/@]+\.[^\s/@]+\/[^\s@]+$/.test(bare) ? (URL.parse(`https://${bare}`) ?? undefined) : undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The joining sequence of the entry that a token in one of our links, or an invite code, is for. */
async function seqOfToken(context: Context, queue: Queue, token: string): Promise<number | undefined> {
  if (!token.startsWith(queue.tag)) return undefined;
  const subject = PURPOSES.map((purpose) => readLink(queue, purpose, token)).find(Boolean);
  if (subject) {
    const entryId = parseId('ent', subject.id);
    const inviteId = parseId('inv', subject.id);
    return entryId
      ? seqOfEntry(context, queue, entryId)
      : inviteId && seqOfInvited(context, queue, 'id', inviteId);
  }
  return (
    openVisit(queue, token)?.seq ??
    seqOfInvited(context, queue, 'code_hash', queue.vault.hash('invite', token))
  );
}

async function seqOfEntry({ db }: Context, queue: Queue, id: Uint8Array): Promise<number | undefined> {
  const row = await db.query
    .selectFrom('entry')
    .select('seq')
    .where('queue_id', '=', queue.id)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.seq;
}

async function seqOfInvited(
  { db }: Context,
  queue: Queue,
  column: 'id' | 'code_hash',
  value: Uint8Array,
): Promise<number | undefined> {
  const row = await db.query
    .selectFrom('invite as i')
    .innerJoin('entry as e', (join) =>
      join.onRef('e.queue_id', '=', 'i.queue_id').onRef('e.email_hash', '=', 'i.email_hash'),
    )
    .select('e.seq')
    .where('i.queue_id', '=', queue.id)
    .where(`i.${column}`, '=', value)
    .executeTakeFirst();
  return row?.seq;
}
