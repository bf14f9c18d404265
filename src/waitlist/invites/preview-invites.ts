import { DoorlistError, invalid } from '../../errors.ts';
import { readEntries } from '../entries/browse-entries.ts';
import type { Entry } from '../entries/entry.ts';
import { selectSegment } from '../entries/segment.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/directory.ts';
import type { Expiry } from './create-invites.ts';
import { createInviteRun, type Selection } from './invite-run.ts';

const SHOWN = 10;
const COUNTED_AT_ONCE = 10_000;

export interface Preview {
  count: number;
  first: Entry[];
}

/** Who a run would invite now: exactly how many, and the first of them. */
export async function previewInvites(context: Context, queue: Queue, selection: Selection): Promise<Preview> {
  if ('first' in selection) {
    const seqs = await firstWithEmail(context, queue, Math.min(SHOWN, selection.first));
    return {
      count: await countFirst(context, queue, selection.first),
      first: await readEntries(context, queue, seqs),
    };
  }
  const shown = await pageOfSegment(context, queue, selection, 0, SHOWN);
  return {
    count: await countSegment(context, queue, selection),
    first: await readEntries(context, queue, shown),
  };
}

async function firstWithEmail({ db }: Context, queue: Queue, limit: number): Promise<number[]> {
  const rows = await waitingWithEmail(db, queue)
    .select('seq')
    .orderBy('rank')
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ seq }) => seq);
}

function waitingWithEmail(db: Context['db'], queue: Queue) {
  return db.query
    .selectFrom('entry')
    .where('queue_id', '=', queue.id)
    .where('status', '=', 'waiting')
    .where('email_hash', 'is not', null);
}

async function countFirst({ db }: Context, queue: Queue, first: number): Promise<number> {
  const { count } = await db.query
    .selectFrom(waitingWithEmail(db, queue).select('seq').limit(first).as('some'))
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function countSegment(
  context: Context,
  queue: Queue,
  selection: Extract<Selection, { segment: unknown }>,
): Promise<number> {
  let count = 0;
  for (let after = 0; ; ) {
    const page = await pageOfSegment(context, queue, selection, after, COUNTED_AT_ONCE);
    count += page.length;
    if (page.length < COUNTED_AT_ONCE) return count;
    after = page.at(-1) ?? after;
  }
}

async function pageOfSegment(
  { db }: Context,
  queue: Queue,
  { segment }: Extract<Selection, { segment: unknown }>,
  after: number,
  limit: number,
): Promise<number[]> {
  const rows = await (await selectSegment(db, db.query, queue, { ...segment, status: 'waiting' }, after))
    .select('e.seq')
    .where('e.email_hash', 'is not', null)
    .limit(limit)
    .execute();
  return rows.map(({ seq }) => seq);
}

/** Starts a run that a server continues in the background. `expect` is the number that a person confirmed. */
export async function queueInviteRun(
  context: Context,
  queue: Queue,
  input: { selection: Selection; expiresAt: Expiry; expect?: number | undefined },
): Promise<{ id: Buffer }> {
  const { selection, expiresAt, expect } = input;
  if ('first' in selection && selection.first < 1) throw invalid('first: must be a whole number from 1');
  const { count } = await previewInvites(context, queue, selection);
  if (expect !== undefined && expect !== count)
    throw new DoorlistError('changed', `expect: ${count} would be invited now, not ${expect}`);
  const { lease } = await changeQueue(context, queue, (change) =>
    createInviteRun(context, change, { selection, expiresAt, runner: 'server', total: count }),
  );
  return { id: lease.id };
}
