import { whenReadable } from '../../vault/crypto.ts';
import type { Entry } from '../entries/entry.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { searchEntry } from './search-entry.ts';

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
