import type { Database, Trx } from '../../db/database.ts';
import { DoorlistError, invalid } from '../../lib/errors.ts';
import { endOfTurn } from '../../lib/promises.ts';
import { readEntries } from '../entries/browse-entries.ts';
import type { Entry } from '../entries/entry.ts';
import { type Segment, selectSegment } from '../entries/segment.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Expiry, Lifetime } from '../queue/expiry.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { createInviteRun, type RunResult, type Selection } from './invite-run.ts';

const SHOWN = 10;
const COUNTED_AT_ONCE = 2_000;
/** Counting this many takes a fraction of a second, for which signups can wait. */
const COUNTED_UNDER_LOCK = 50_000;

type Executor = Context['db']['query'] | Trx;

interface Preview {
  count: number;
  /** How many of them have an address that bounced. */
  bounced: number;
  first: Entry[];
}

/** Who a run would invite now: exactly how many, and the first of them. */
export async function previewInvites(context: Context, queue: Queue, selection: Selection): Promise<Preview> {
  const { db } = context;
  const shown =
    'first' in selection
      ? await firstWithEmail(db, queue, Math.min(SHOWN, selection.first))
      : await pageOfSegment(db, db.query, queue, selection.segment, 0, SHOWN);
  return {
    count: await countInvites(db, db.query, queue, selection),
    bounced: await countBounced(db, queue, selection),
    first: await readEntries(context, queue, shown),
  };
}

async function firstWithEmail({ query }: Database, queue: Queue, limit: number): Promise<number[]> {
  const rows = await waitingWithEmail(query, queue)
    .select('seq')
    .orderBy('rank')
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ seq }) => seq);
}

function waitingWithEmail(executor: Executor, queue: Queue) {
  return executor
    .selectFrom('entry')
    .where('queue_id', '=', queue.id)
    .where('status', '=', 'waiting')
    .where('email_hash', 'is not', null);
}

async function countInvites(
  db: Database,
  executor: Executor,
  queue: Queue,
  selection: Selection,
): Promise<number> {
  if ('segment' in selection) return countSegment(db, executor, queue, selection.segment);
  const { count } = await executor
    .selectFrom(waitingWithEmail(executor, queue).select('seq').limit(selection.first).as('some'))
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Few addresses bounce, if any. */
async function countBounced(db: Database, queue: Queue, selection: Selection): Promise<number> {
  const bounced = db.query
    .selectFrom('mail_suppression as s')
    .select('s.email_hash')
    .where('s.queue_id', '=', queue.id)
    .where('s.reason', '=', 'bounced');
  if (!(await bounced.limit(1).executeTakeFirst())) return 0;
  const waiting =
    'first' in selection
      ? db.query
          .selectFrom('entry as e')
          .where('e.queue_id', '=', queue.id)
          .where('e.status', '=', 'waiting')
          .where('e.email_hash', 'is not', null)
          .orderBy('e.rank')
          .orderBy('e.seq', 'desc')
          .limit(selection.first)
      : await selectSegment(db, db.query, queue, { ...selection.segment, status: 'waiting' }, 0);
  const invited = (waiting as Awaited<ReturnType<typeof selectSegment>>).select('e.email_hash');
  const { count } = await db.query
    .selectFrom(invited.as('invited'))
    .innerJoin(bounced.as('bounced'), 'bounced.email_hash', 'invited.email_hash')
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function countSegment(
  db: Database,
  executor: Executor,
  queue: Queue,
  segment: Segment,
): Promise<number> {
  return countPages((after, limit) => pageOfSegment(db, executor, queue, segment, after, limit));
}

/** Of joining sequences, each page after the last one of the page before. */
export async function countPages(
  pageAfter: (after: number, limit: number) => Promise<number[]>,
): Promise<number> {
  let count = 0;
  for (let after = 0; ; ) {
    const page = await pageAfter(after, COUNTED_AT_ONCE);
    count += page.length;
    if (page.length < COUNTED_AT_ONCE) return count;
    after = page.at(-1) ?? after;
    await endOfTurn();
  }
}

async function pageOfSegment(
  db: Database,
  executor: Executor,
  queue: Queue,
  segment: Segment,
  after: number,
  limit: number,
): Promise<number[]> {
  const rows = await (await selectSegment(db, executor, queue, { ...segment, status: 'waiting' }, after))
    .select('e.seq')
    .where('e.email_hash', 'is not', null)
    .limit(limit)
    .execute();
  return rows.map(({ seq }) => seq);
}

/**
 * Starts a run that a server continues in the background. `expect` is the number that a person confirmed. It
 * is compared before the lock, so that a wrong one does not hold signups up, and again under the lock, unless
 * that would. The run never invites more.
 */
export async function queueInviteRun(
  context: Context,
  queue: Queue,
  input: { selection: Selection; expiresAt: Expiry | Lifetime; expect?: number | undefined },
): Promise<{ id: Buffer }> {
  const { db } = context;
  const { selection, expiresAt, expect } = input;
  if ('first' in selection && selection.first < 1) throw invalid('first: must be a whole number from 1');
  const count = await countInvites(db, db.query, queue, selection);
  requireExpected(count, expect, 'invited');
  const { lease } = await changeQueue(context, queue, async (change) => {
    if (expect !== undefined && isCountedQuickly(change, selection))
      requireExpected(await countInvites(db, change.trx, queue, selection), expect, 'invited');
    const run = { selection, expiresAt, runner: 'server', total: count, most: expect } as const;
    return createInviteRun(context, change, run);
  });
  return { id: lease.id };
}

function isCountedQuickly({ lastSeq, waiting }: QueueChange, selection: Selection): boolean {
  const looked = 'first' in selection ? Math.min(selection.first, waiting) : lastSeq;
  return looked <= COUNTED_UNDER_LOCK;
}

export function requireExpected(count: number, expect: number | undefined, done: string): void {
  if (expect !== undefined && expect !== count)
    throw new DoorlistError('changed', `expect: ${count} would be ${done} now, not ${expect}`);
}

/** Entries that a run of invites left out, by reason. */
export interface NotInvited {
  withoutEmail: number;
  unreadable: number;
  /** By someone else, or earlier. */
  alreadyInvited: number;
  pending: number;
}

/** Explains why a run invited fewer people than requested, based on the current state of the queue. */
export async function whyNotInvited(
  { db }: Context,
  queue: Queue,
  { invited, unreadable }: RunResult,
): Promise<NotInvited> {
  const counters = await db.query
    .selectFrom('queue_state')
    .select(['invited', 'pending'])
    .where('queue_id', '=', queue.id)
    .executeTakeFirstOrThrow();
  const { count } = await db.query
    .selectFrom('entry')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('queue_id', '=', queue.id)
    .where('status', '=', 'waiting')
    .where('email_hash', 'is', null)
    .executeTakeFirstOrThrow();
  return {
    withoutEmail: Number(count),
    unreadable: unreadable.length,
    alreadyInvited: Math.max(0, counters.invited - invited),
    pending: counters.pending,
  };
}
