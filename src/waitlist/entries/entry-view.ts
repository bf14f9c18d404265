import type { Status } from '../../db/tables.ts';
import { formatId } from '../../ids.ts';
import { isoTime, isoTimeOrNull } from '../../time.ts';
import { Unreadable } from '../../vault/crypto.ts';
import type { Metadata } from '../people/metadata.ts';
import type { Person } from '../people/person.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/directory.ts';
import type { EntryRow } from '../queue/entry-rows.ts';
import { referralCodesOf } from '../referrals/referral-code.ts';

/** An entry as callers and webhooks see it. */
export interface EntryView {
  id: string;
  email: string | null;
  phone: string | null;
  metadata: Metadata | null;
  status: Status;
  position: number | null;
  referrals: number;
  referralCode: string | null;
  referredBy: string | null;
  createdAt: string;
  invitedAt: string | null;
  joinedAt: string | null;
}

/** Throws `Unreadable` when the person's sealed bytes do not open; a referrer's that do not are left out. */
export function viewEntry(queue: Queue, row: EntryRow): EntryView {
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
 * The same for a page: a row that does not open is shown without its person and reported to the operator,
 * and the rest of the page is served.
 */
export function viewEntries({ log }: Pick<Context, 'log'>, queue: Queue, rows: EntryRow[]): EntryView[] {
  return rows.map((row) => {
    try {
      return viewEntry(queue, row);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      log.error({ queue: queue.id, entry: formatId('ent', row.id) }, 'sealed data of an entry does not open');
      return assemble(queue, row, null, openReferrer(queue, row));
    }
  });
}

function openPerson({ vault }: Queue, id: Uint8Array, sealed: Uint8Array): Person {
  return vault.open<Person>('entry.person', id, sealed);
}

function assemble(queue: Queue, row: EntryRow, person: Person | null, referrer: Person | null): EntryView {
  return {
    id: formatId('ent', row.id),
    email: person?.email ?? null,
    phone: person?.phone ?? null,
    metadata: person?.metadata ?? null,
    status: row.status,
    position: row.position,
    referrals: row.referrals,
    referralCode: person && referralCodesOf(queue).of(row.seq),
    referredBy: referrer?.email ?? referrer?.phone ?? null,
    createdAt: isoTime(row.created_at),
    invitedAt: isoTimeOrNull(row.invited_at),
    joinedAt: isoTimeOrNull(row.joined_at),
  };
}
