import type { Context } from '../../waitlist/context.ts';
import type { Queue } from '../../waitlist/directory.ts';
import { removeEntry } from '../../waitlist/entries/remove-entry.ts';
import { parseId } from '../../waitlist/ids.ts';
import { queueOfLink, readLink } from './links.ts';
import { suppress } from './suppression.ts';

/** Somebody who may unsubscribe or leave; whoever left already is nobody. */
export interface Leaver {
  waitlist: string;
  /** Whether there is an entry to be erased, rather than an invite alone. */
  onList: boolean;
}

interface Found {
  queue: Queue;
  emailHash: Uint8Array;
  entryId: string | undefined;
}

export async function checkLeaveLink(context: Context, token: string): Promise<Leaver | undefined> {
  const found = await openLink(context, token);
  return found && { waitlist: found.queue.waitlist.name, onList: found.entryId !== undefined };
}

/** No more mails to this address from this waitlist, but those that it has to ask for. */
export async function unsubscribe(context: Context, token: string): Promise<Leaver | undefined> {
  const found = await openLink(context, token);
  if (!found) return undefined;
  await suppress(context.db.query, found.queue, found.emailHash, 'unsubscribed', context.clock());
  return { waitlist: found.queue.waitlist.name, onList: found.entryId !== undefined };
}

/** Takes the entry off the list and erases everything personal of it. */
export async function leaveList(context: Context, token: string): Promise<Leaver | undefined> {
  const found = await openLink(context, token);
  if (!found) return undefined;
  if (found.entryId !== undefined) await removeEntry(context, found.queue, found.entryId);
  else await suppress(context.db.query, found.queue, found.emailHash, 'unsubscribed', context.clock());
  return { waitlist: found.queue.waitlist.name, onList: false };
}

async function openLink(context: Context, token: string): Promise<Found | undefined> {
  const queue = await queueOfLink(context, token);
  const subject = queue && readLink(queue, 'leave', token);
  if (!queue || !subject) return undefined;
  const entryId = parseId('ent', subject.id);
  const id = entryId ?? parseId('inv', subject.id);
  if (!id) return undefined;
  const row = await context.db.query
    .selectFrom(entryId ? 'entry' : 'invite')
    .select('email_hash')
    .where('queue_id', '=', queue.id)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row?.email_hash) return undefined;
  return { queue, emailHash: row.email_hash, entryId: entryId && subject.id };
}
