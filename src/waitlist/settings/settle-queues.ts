import type { Trx } from '../../db/database.ts';
import { randomCode } from '../../lib/ids.ts';
import { ifReadable } from '../../vault/crypto.ts';
import { storedJson } from '../../vault/vault.ts';
import { createJob } from '../jobs/jobs.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { forEachQueue } from '../queue/readable.ts';
import { RERANK_KIND } from '../referrals/rerank.ts';
import { countOnly, readMetadataKeys } from '../statistics/metadata-keys.ts';

const MARK_CHARACTERS = 10;

/** What the queues of a waitlist have to take over. */
interface Unsettled {
  boost: boolean;
  metadataKeys: boolean;
  /** Differs for each change, so that settling one does not hide the next. */
  mark: string;
  /** Ids of the queues that have followed already, while others cannot. */
  settled?: number[];
}

/** In the transaction that changes the settings. After its commit, call `settleQueues`. */
export async function markUnsettled(
  trx: Trx,
  waitlistId: number,
  changed: Pick<Unsettled, 'boost' | 'metadataKeys'>,
): Promise<void> {
  if (!changed.boost && !changed.metadataKeys) return;
  const open = (await readUnsettled(trx, waitlistId))?.unsettled;
  const unsettled: Unsettled = {
    boost: changed.boost || open?.boost === true,
    metadataKeys: changed.metadataKeys || open?.metadataKeys === true,
    mark: randomCode(MARK_CHARACTERS),
  };
  await trx
    .updateTable('waitlist')
    .set({ unsettled: JSON.stringify(unsettled) })
    .where('id', '=', waitlistId)
    .execute();
}

/**
 * Makes every queue follow changed settings, each in a transaction of its own: no change holds the locks of
 * two queues, so a busy one does not keep signups of the others waiting. Upkeep finishes what a crash
 * interrupted, and tries those again that could not follow.
 */
export async function settleQueues(context: Context, waitlistId: number): Promise<void> {
  const { query } = context.db;
  const found = await readUnsettled(query, waitlistId);
  if (!found) return;
  const { unsettled, text } = found;
  const { settled = [] } = unsettled;
  const rows = await query.selectFrom('queue').select('id').where('waitlist_id', '=', waitlistId).execute();
  const open = rows.map(({ id }) => id).filter((id) => !settled.includes(id));
  const done = await forEachQueue(context, 'change of settings', open, (_, queue) =>
    changeQueue(context, queue, (change) => settleQueue(context, change, unsettled)),
  );
  if (done.length === 0 && open.length > 0) return;
  const left = done.length < open.length ? { ...unsettled, settled: [...settled, ...done] } : null;
  await query
    .updateTable('waitlist')
    .set({ unsettled: left && JSON.stringify(left) })
    .where('id', '=', waitlistId)
    .where('unsettled', '=', text)
    .execute();
}

/** Waitlists whose queues still have to follow. */
export async function findUnsettled({ db }: Context, limit: number): Promise<number[]> {
  const rows = await db.query
    .selectFrom('waitlist')
    .select('id')
    .where('unsettled', 'is not', null)
    .where('deleted_at', 'is', null)
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

async function settleQueue(context: Context, change: QueueChange, unsettled: Unsettled): Promise<void> {
  const { trx, queue } = change;
  if (unsettled.metadataKeys) await countOnly(change, await currentKeys(trx, queue));
  if (unsettled.boost) await startRerank(context, change);
}

/** Applies to everyone in the queue, so it takes a while. */
async function startRerank(context: Context, change: QueueChange): Promise<void> {
  const { trx, queue, lastSeq: total } = change;
  await trx.updateTable('queue_state').set({ rerank_after: 0 }).where('queue_id', '=', queue.id).execute();
  if (total > 0) createJob(context, change, { kind: RERANK_KIND, input: null, total, runner: 'server' });
}

async function currentKeys(trx: Trx, { waitlist }: Queue): Promise<string[]> {
  const row = await trx
    .selectFrom('waitlist')
    .select('metadata_keys')
    .where('id', '=', waitlist.internalId)
    .executeTakeFirstOrThrow();
  return readMetadataKeys(row);
}

/** With the text that it is stored as. Of damaged text, everything has to follow. */
async function readUnsettled(
  query: Context['db']['query'],
  waitlistId: number,
): Promise<{ unsettled: Unsettled; text: string } | null> {
  const row = await query
    .selectFrom('waitlist')
    .select('unsettled')
    .where('id', '=', waitlistId)
    .executeTakeFirst();
  if (!row?.unsettled) return null;
  const stored = row.unsettled;
  const read = ifReadable(() => storedJson<Unsettled>(stored));
  const unsettled = read ?? { boost: true, metadataKeys: true, mark: '' };
  return { unsettled, text: row.unsettled };
}
