import { DoorlistError } from '../../lib/errors.ts';
import { isEntryId, readEntries, readEntry } from '../entries/browse-entries.ts';
import { findEntry } from '../entries/entries.ts';
import type { Entry } from '../entries/entry.ts';
import { parseReferrer } from '../people/identity.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { ownSeqOf } from '../referrals/reference.ts';
import { findAliases } from '../referrals/referral-alias.ts';
import { partsOfLink, seqOfToken } from './links-of-people.ts';

/** Finds one entry by its exact email, phone number, referral code or id, or by a link that it was given. */
export async function searchEntry(context: Context, queue: Queue, text: string): Promise<Entry | undefined> {
  const words = text.trim();
  for (const part of partsOfLink(words) ?? [words]) {
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
  const ownSeq = ownSeqOf(queue, code);
  const [own] = ownSeq === undefined ? [] : await readEntries(context, queue, [ownSeq]);
  if (own) return own;
  const holder = (await findAliases(context.db, queue, [code])).get(code);
  const [entry] = holder ? await readEntries(context, queue, [holder.seq]) : [];
  return entry;
}
