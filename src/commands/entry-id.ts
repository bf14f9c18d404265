import { formatId, parseId } from '../lib/ids.ts';
import { findEntry } from '../waitlist/entries/entries.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';

/** Of an entry that is named by its id, or by the email or phone number of its person. */
export async function entryIdOf(context: Context, queue: Queue, who: string): Promise<string> {
  if (parseId('ent', who) || who.startsWith('ent_')) return who;
  return formatId('ent', (await findEntry(context, queue, who)).id);
}
