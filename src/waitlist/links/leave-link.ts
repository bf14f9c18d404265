import { parseId } from '../../lib/ids.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { isForFormerEmail, queueOfLink, readLink } from './links.ts';
import { deleteOwnData } from './own-data.ts';
import { suppress } from './suppression.ts';

/** A person who can still unsubscribe or leave. */
interface Leaver {
  waitlist: string;
}

interface Found {
  queue: Queue;
  emailHash: Uint8Array;
  entryId: string | undefined;
}

export async function checkLeaveLink(context: Context, token: string): Promise<Leaver | undefined> {
  const found = await openLink(context, token);
  return found && { waitlist: found.queue.waitlist.name };
}

/** Stops all mails from this waitlist to this address, except those that the person requests. */
export async function unsubscribe(context: Context, token: string): Promise<Leaver | undefined> {
  const found = await openLink(context, token);
  if (!found) return undefined;
  await suppress(context.db.query, found.queue, found.emailHash, 'unsubscribed', context.clock());
  return { waitlist: found.queue.waitlist.name };
}

/** Erases all personal data: the entry, or the invites of a person without one. `context`: the person's own. */
export async function leaveList(context: Context, token: string): Promise<Leaver | undefined> {
  const found = await openLink(context, token);
  if (!found) return undefined;
  const { queue, entryId, emailHash } = found;
  const isDeleted = await deleteOwnData(context, queue, entryId ?? { emailHash });
  return isDeleted ? { waitlist: queue.waitlist.name } : undefined;
}

async function openLink(context: Context, token: string): Promise<Found | undefined> {
  const queue = await queueOfLink(context, token);
  const subject = queue && readLink(queue, 'leave', token);
  if (!queue || !subject) return undefined;
  const entryId = parseId('ent', subject.id);
  const emailHash = entryId
    ? await emailOfEntry(context, queue, entryId, subject)
    : await emailOfInvite(context, queue, parseId('inv', subject.id), subject);
  return emailHash ? { queue, emailHash, entryId: entryId && subject.id } : undefined;
}

async function emailOfEntry(
  { db }: Context,
  queue: Queue,
  id: Buffer,
  link: { at: number },
): Promise<Uint8Array | null> {
  const row = await db.query
    .selectFrom('entry')
    .select(['email_hash', 'addressed_at'])
    .where('queue_id', '=', queue.id)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && !isForFormerEmail(row, link) ? row.email_hash : null;
}

/** An erased invite keeps its row, but with no data in it. */
async function emailOfInvite(
  { db }: Context,
  queue: Queue,
  id: Buffer | undefined,
  link: { at: number },
): Promise<Uint8Array | null> {
  if (!id) return null;
  const row = await db.query
    .selectFrom('invite as i')
    .leftJoin('entry as e', (join) =>
      join.onRef('e.queue_id', '=', 'i.queue_id').onRef('e.email_hash', '=', 'i.email_hash'),
    )
    .select(['i.email_hash', 'i.sealed', 'e.addressed_at'])
    .where('i.queue_id', '=', queue.id)
    .where('i.id', '=', id)
    .executeTakeFirst();
  return row && row.sealed.length > 0 && !isForFormerEmail(row, link) ? row.email_hash : null;
}
