import { sharedNow } from '../../db/shared-clock.ts';
import { DoorlistError } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import { eraseEntry } from '../entries/erase-entry.ts';
import type { Context } from '../queue/context.ts';
import { OWN_DATA, type OwnData } from '../queue/events.ts';
import type { Queue } from '../queue/queue.ts';
import { isForFormerEmail, OWN_DATA_LINK_MS, queueOfLink, readLink, signLink } from './links.ts';

/** What a link that a person asked for does with their data. */
export interface OwnDataLink {
  purpose: OwnData;
  isExpired: boolean;
  queue: Queue;
  /** `ent_…` */
  entryId: string;
  /** For their status page. */
  statusToken: string;
}

/** Returns undefined if it was not made here, or if nothing is stored about the person any more. Changes nothing. */
export async function checkOwnDataLink(context: Context, token: string): Promise<OwnDataLink | undefined> {
  const queue = await queueOfLink(context, token);
  const found = queue && OWN_DATA.map((purpose) => ({ purpose, subject: readLink(queue, purpose, token) }));
  const { purpose, subject } = found?.find((each) => each.subject) ?? {};
  const id = subject && parseId('ent', subject.id);
  if (!queue || !purpose || !id || !(await isStored(context, queue, id, subject))) return undefined;
  return {
    purpose,
    isExpired: (await sharedNow(context)) - subject.at > OWN_DATA_LINK_MS,
    queue,
    entryId: subject.id,
    statusToken: signLink(queue, 'status', subject),
  };
}

/** For the address that the link was mailed to. */
async function isStored(
  { db }: Context,
  queue: Queue,
  id: Uint8Array,
  link: { at: number },
): Promise<boolean> {
  const row = await db.query
    .selectFrom('entry')
    .select(['person', 'addressed_at'])
    .where('queue_id', '=', queue.id)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined && row.person !== null && !isForFormerEmail(row, link);
}

/** As an operator erases somebody. `context`: the person's own, so that the trail says so. Returns false if others did so meanwhile. */
export async function deleteOwnData(
  context: Context,
  queue: Queue,
  who: string | { emailHash: Uint8Array },
): Promise<boolean> {
  try {
    await eraseEntry(context, queue, who, {
      first: async ({ tally, now }) => tally.slots.add('deletions', now),
    });
    return true;
  } catch (error) {
    if (error instanceof DoorlistError && error.code === 'not_found') return false;
    throw error;
  }
}
