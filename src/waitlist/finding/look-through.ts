import { sql } from 'kysely';
import { statement } from '../../db/statement.ts';
import { STATUSES, type Status } from '../../db/tables.ts';
import { ifReadable, whenReadable } from '../../vault/crypto.ts';
import { isEntryId, readEntries } from '../entries/browse-entries.ts';
import { openCursor } from '../entries/entries.ts';
import type { Entry } from '../entries/entry.ts';
import type { Person } from '../people/person.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { isLink, searchEntry } from './search-entry.ts';
import { type IsWanted, wantedBy } from './wanted-text.ts';

/** Opened in one turn of the event loop: 2 to 3 ms. */
const STEP_ROWS = 500;
/** Of one page. Its step under way is completed. */
export const LOOKED_MAX = 10_000;
export const FOUND_MAX = 50;

interface Looking {
  text: string;
  /** Who looks. A cursor is of no use to others. */
  caller: string;
  cursor?: Uint8Array | undefined;
}

interface Pace {
  /** Runs each step when it is its turn. */
  inTurn: <T>(step: () => Promise<T>) => Promise<T>;
  /** Otherwise, the page ends after the step under way. */
  goesOn: () => boolean;
}

/** What has been looked at so far, and what a cursor says. */
interface Progress {
  after: number;
  /** The last who had joined when it began. */
  until: number;
  looked: number;
  /** Of those looked at, because they could not be decrypted. */
  unreadable: number;
  total: number;
  /** Found without looking, so not again. */
  exact: number | null;
}

export interface LookedThrough extends Pick<Progress, 'looked' | 'unreadable' | 'total'> {
  entries: Entry[];
  /** null if nobody is left to look at. */
  next: Uint8Array | null;
}

interface SealedRow {
  seq: number;
  id: Uint8Array;
  person: Uint8Array | null;
}

const readSealed = statement<{ queueId: number; after: number; until: number }, SealedRow>((db, parameter) =>
  db.query
    .selectFrom('entry')
    .select(['seq', 'id', 'person'])
    .where('queue_id', '=', parameter('queueId'))
    .where('seq', '>', parameter('after'))
    .where('seq', '<=', parameter('until'))
    .orderBy('seq')
    .limit(sql.lit(STEP_ROWS)),
);

const readExtent = statement<{ queueId: number }, Record<Status | 'last_seq', number>>((db, parameter) =>
  db.query
    .selectFrom('queue_state')
    .select(['last_seq', ...STATUSES])
    .where('queue_id', '=', parameter('queueId')),
);

/**
 * Finds people by parts of what is stored about them. Nothing of it is indexed: everybody who has joined so far is
 * opened, in joining order, and compared. First comes whom the text names exactly. An id or a link can mean nobody else.
 * `willLook` is called before anybody else is opened.
 */
export async function lookThrough(
  context: Context,
  queue: Queue,
  { text, caller, cursor }: Looking,
  { inTurn, goesOn, willLook }: Pace & { willLook: () => Promise<void> },
): Promise<LookedThrough> {
  const about = Buffer.from(`search by ${caller}: ${text}`);
  let progress: Progress;
  const found: number[] = [];
  if (cursor === undefined) {
    const exact = await whenReadable(searchEntry(context, queue, text));
    progress = await extentOf(context, queue, exact?.seq ?? null);
    if (exact && (isEntryId(text) || isLink(text)))
      return { ...outcomeOf(progress), entries: [exact], next: null };
    if (exact) found.push(exact.seq);
    await willLook();
  } else progress = openCursor<Progress>(queue, about, cursor);
  const lookedBefore = progress.looked;
  const isWanted = wantedBy(text);
  do {
    const step = await inTurn(() => lookAtSome(context, queue, progress, isWanted, FOUND_MAX - found.length));
    progress = step.progress;
    found.push(...step.found);
  } while (
    isLeft(progress) &&
    found.length < FOUND_MAX &&
    progress.looked - lookedBefore < LOOKED_MAX &&
    goesOn()
  );
  // Whoever was erased meanwhile is left out.
  const entries = (await readEntries(context, queue, found)).filter(({ missing }) => missing === null);
  const next = isLeft(progress) ? queue.vault.seal('cursor', about, progress) : null;
  return { ...outcomeOf(progress), entries, next };
}

function outcomeOf({ looked, unreadable, total }: Progress) {
  return { looked, unreadable, total };
}

function isLeft({ after, until }: Progress): boolean {
  return after < until;
}

async function extentOf({ db }: Context, queue: Queue, exact: number | null): Promise<Progress> {
  const [state] = await db.run(readExtent, { queueId: queue.id });
  const total = state ? STATUSES.reduce((sum, status) => sum + state[status], 0) : 0;
  return { after: 0, until: state?.last_seq ?? 0, looked: 0, unreadable: 0, total, exact };
}

/** Looks at the next ones, at most until as many are found as there is room for. */
async function lookAtSome(
  { db }: Context,
  { id: queueId, vault }: Queue,
  { after, until, looked, unreadable, total, exact }: Progress,
  isWanted: IsWanted,
  room: number,
): Promise<{ progress: Progress; found: number[] }> {
  const rows = await db.run(readSealed, { queueId, after, until });
  const found: number[] = [];
  let last = rows.length < STEP_ROWS ? until : after;
  for (const { seq, id, person: sealed } of rows) {
    looked += 1;
    // Nothing is stored about who was erased.
    const person = sealed && ifReadable(() => vault.open<Person>('entry.person', id, sealed));
    if (person === undefined) unreadable += 1;
    else if (person && seq !== exact && isWanted(person)) found.push(seq);
    if (found.length === room || rows.length === STEP_ROWS) last = seq;
    if (found.length === room) break;
  }
  return { progress: { after: last, until, looked, unreadable, total, exact }, found };
}
