import type { Status } from '../../db/tables.ts';
import type { Language } from '../../languages/languages.ts';
import { formatId } from '../../lib/ids.ts';
import { Unreadable } from '../../vault/crypto.ts';
import type { Metadata, Person } from '../people/person.ts';
import type { Context } from '../queue/context.ts';
import type { EntryRow } from '../queue/entry-rows.ts';
import type { Queue } from '../queue/queue.ts';
import { referralCodesOf } from '../referrals/referral-code.ts';

export interface Entry {
  readonly seq: number;
  readonly id: Uint8Array;
  readonly email: string | null;
  readonly phone: string | null;
  /** Why nothing is known about the person. */
  readonly missing: 'erased' | 'damaged' | null;
  readonly metadata: Metadata | null;
  /** In which they signed up, if that is known. */
  readonly language: Language | null;
  /** Came through the public form, where anyone can type anyone's address. */
  readonly byForm: boolean;
  /** In the system that they were imported from. */
  readonly importedCode: string | null;
  readonly status: Status;
  readonly position: number | null;
  readonly referrals: number;
  readonly referralCode: string | null;
  /** Who was credited with this signup. */
  readonly referrerId: Uint8Array | null;
  /** The referrer's email, or else their phone number. */
  readonly referredBy: string | null;
  readonly createdAt: number;
  readonly invitedAt: number | null;
  readonly joinedAt: number | null;
}

/** Throws `Unreadable` if the person's sealed data cannot be opened. An unreadable referrer is left out. */
export function openEntry(queue: Queue, row: EntryRow): Entry {
  const person = row.person && openPerson(queue, row.id, row.person);
  return assemble(queue, row, person, openReferrer(queue, row));
}

function openReferrer(queue: Queue, { referrer_id, referrer_person }: EntryRow): Person | null {
  if (!referrer_id || !referrer_person) return null;
  try {
    return openPerson(queue, referrer_id, referrer_person);
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

/**
 * For pages: an unreadable row is returned without its person and reported in the log, so that the rest of
 * the page is served.
 */
export function openEntries({ log }: Pick<Context, 'log'>, queue: Queue, rows: EntryRow[]): Entry[] {
  return rows.map((row) => {
    try {
      return openEntry(queue, row);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      log.error({ queue: queue.id, entry: formatId('ent', row.id) }, 'cannot decrypt an entry');
      return assemble(queue, row, null, openReferrer(queue, row));
    }
  });
}

function openPerson({ vault }: Queue, id: Uint8Array, sealed: Uint8Array): Person {
  return vault.open<Person>('entry.person', id, sealed);
}

function assemble(queue: Queue, row: EntryRow, person: Person | null, referrer: Person | null): Entry {
  return {
    seq: row.seq,
    id: row.id,
    email: person?.email ?? null,
    phone: person?.phone ?? null,
    missing: person ? null : row.person ? 'damaged' : 'erased',
    metadata: person?.metadata ?? null,
    language: person?.language ?? null,
    byForm: person?.byForm === true,
    importedCode: person?.importedCode ?? null,
    status: row.status,
    position: row.position,
    referrals: row.referrals,
    referralCode: person && referralCodesOf(queue).of(row.seq),
    referrerId: row.referrer_id,
    referredBy: referrer?.email ?? referrer?.phone ?? null,
    createdAt: row.created_at,
    invitedAt: row.invited_at,
    joinedAt: row.joined_at,
  };
}
