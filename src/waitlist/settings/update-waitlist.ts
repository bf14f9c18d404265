import { isDeepStrictEqual } from 'node:util';
import type { Trx } from '../../db/database.ts';
import { sharedNow } from '../../db/shared-clock.ts';
import { invalid, notFound } from '../../errors.ts';
import { changeSettings } from '../queue/change-settings.ts';
import type { Context } from '../queue/context.ts';
import { isWaitlistId, type Queue } from '../queue/directory.ts';
import { createJob } from '../queue/jobs.ts';
import { RERANK_KIND } from '../referrals/rerank.ts';
import { countOnly } from '../statistics/metadata-keys.ts';
import { listEnvironments } from './environments.ts';
import { checkSettings, settingColumns, type WaitlistSettings } from './waitlist-input.ts';
import { readWaitlist, type WaitlistSummary } from './waitlists.ts';

/** Omitted settings stay as they are. */
export interface WaitlistChanges extends Partial<WaitlistSettings> {
  /** A closed waitlist accepts no new signups. Everything else keeps working. */
  closed?: boolean;
}

/**
 * Updates a waitlist's settings, all of them or none. A new boost is applied to existing entries by a job, by
 * upkeep, or by `applyBoost`: whichever comes first.
 */
export async function updateWaitlist(
  context: Context,
  id: string,
  changes: WaitlistChanges,
): Promise<WaitlistSummary> {
  const { closed, ...settings } = changes;
  if (Object.values(changes).every((value) => value === undefined))
    throw invalid('at least one setting is required');
  checkSettings(settings);
  const queues = settings.boost === undefined ? [] : await queuesOf(context, id);
  return changeSettings(context, async (trx) => {
    const before = await requireWaitlist(trx, id);
    const isClosed = before.closedAt !== null;
    const closing =
      closed === undefined || closed === isClosed ? {} : { closed_at: closed ? context.clock() : null };
    const columns = { ...settingColumns(settings), ...closing };
    if (Object.keys(columns).length > 0)
      await trx.updateTable('waitlist').set(columns).where('public_id', '=', id).execute();
    const after = await requireWaitlist(trx, id);
    if (after.boost !== before.boost) await startRerank(context, trx, after, queues);
    if (changes.metadataKeys) await countOnly(trx, after.internalId, after.metadataKeys);
    await recordChanges(context, trx, before, after);
    return after;
  });
}

async function requireWaitlist(trx: Trx, id: string): Promise<WaitlistSummary> {
  const waitlist = await readWaitlist(trx, id);
  if (!waitlist) throw notFound(`there is no waitlist ${id}`);
  return waitlist;
}

const AUDITED = [
  'name',
  'boost',
  'referralCap',
  'inviteExpiryMs',
  'returnToQueue',
  'confirmEmails',
  'metadataKeys',
] as const satisfies readonly (keyof WaitlistSettings)[];

/** Applies to everyone in the queue, so it takes a while. */
async function startRerank(
  context: Context,
  trx: Trx,
  { internalId }: WaitlistSummary,
  queues: readonly Queue[],
): Promise<void> {
  const rows = await trx
    .updateTable('queue')
    .set({ rerank_after: 0 })
    .where('waitlist_id', '=', internalId)
    .returning(['id', 'last_seq'])
    .execute();
  const now = await sharedNow(context, trx);
  for (const { id, last_seq: total } of rows) {
    const queue = queues.find((each) => each.id === id);
    if (queue && total > 0)
      createJob(context, { trx, queue, now }, { kind: RERANK_KIND, input: null, total, runner: 'server' });
  }
}

/** Found before the transaction, which must not wait for another connection. */
async function queuesOf(context: Context, waitlistId: string): Promise<Queue[]> {
  const queues: Queue[] = [];
  for (const { name } of await listEnvironments(context)) {
    const queue = isWaitlistId(waitlistId) ? await context.directory.queue(waitlistId, name) : undefined;
    if (queue) queues.push(queue);
  }
  return queues;
}

/** Only what is different afterwards. */
async function recordChanges(
  { audit }: Context,
  trx: Trx,
  before: WaitlistSummary,
  after: WaitlistSummary,
): Promise<void> {
  const object = { kind: 'waitlist', id: after.id, name: after.name } as const;
  const changed = AUDITED.filter((setting) => !isDeepStrictEqual(before[setting], after[setting]));
  const values = (of: WaitlistSummary) =>
    Object.fromEntries(changed.map((setting) => [setting, of[setting]]));
  if (changed.length > 0)
    await audit?.(trx, { action: 'waitlist.updated', object, before: values(before), after: values(after) });
  if ((before.closedAt === null) !== (after.closedAt === null))
    await audit?.(trx, { action: after.closedAt === null ? 'waitlist.opened' : 'waitlist.closed', object });
}
