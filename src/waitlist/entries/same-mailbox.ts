import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { readEntries } from './browse-entries.ts';
import type { Entry } from './entry.ts';

/** Others whose mail goes to the mailbox of an entry, at most `limit`, and whether there are more. */
export async function listSameMailbox(
  context: Context,
  queue: Queue,
  { seq }: Entry,
  limit: number,
): Promise<{ entries: Entry[]; more: boolean }> {
  const { db } = context;
  const ours = () =>
    db.query
      .selectFrom('entry')
      .where('queue_id', '=', queue.id)
      .select(['seq', 'email_hash', 'mailbox_hash']);
  const own = await ours().where('seq', '=', seq).executeTakeFirst();
  const mailbox = own?.mailbox_hash ?? own?.email_hash;
  if (!mailbox) return { entries: [], more: false };
  const owner = await ours().where('email_hash', '=', mailbox).execute();
  // In the order of the index: somebody can have a hundred thousand addresses.
  const aliases = await ours()
    .where('mailbox_hash', '=', mailbox)
    .orderBy('credited', 'desc')
    .limit(limit + 2)
    .execute();
  const others = [...owner, ...aliases].map((row) => row.seq).filter((other) => other !== seq);
  const shown = others.slice(0, limit).toSorted((a, b) => a - b);
  return { entries: await readEntries(context, queue, shown), more: others.length > limit };
}
