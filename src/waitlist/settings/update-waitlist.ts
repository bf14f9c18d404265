import { isDeepStrictEqual } from 'node:util';
import { DatabaseUnavailable, type Trx } from '../../db/database.ts';
import { invalid, notFound } from '../../lib/errors.ts';
import { checkSettings, rowOf } from '../../lib/setting.ts';
import { changeSettings } from '../queue/change-settings.ts';
import { afterCommit, type Context } from '../queue/context.ts';
import { WAITLIST_SETTINGS, type WaitlistSettings } from '../queue/waitlist-settings.ts';
import { markUnsettled, settleQueues } from './settle-queues.ts';
import { readWaitlist, type WaitlistSummary } from './waitlists.ts';

/** Omitted settings stay as they are. */
export interface WaitlistChanges extends Partial<WaitlistSettings> {
  /** A closed waitlist accepts no new signups. Everything else keeps working. */
  closed?: boolean;
}

/**
 * Updates a waitlist's settings, all of them or none. A new boost is applied to existing entries by a job, by
 * upkeep, or by `rerank`: whichever comes first.
 */
export async function updateWaitlist(
  context: Context,
  id: string,
  changes: WaitlistChanges,
): Promise<WaitlistSummary> {
  const { closed, ...settings } = changes;
  if (Object.values(changes).every((value) => value === undefined))
    throw invalid('at least one setting is required');
  checkSettings(WAITLIST_SETTINGS, settings);
  const updated = await changeSettings(context, async (trx) => {
    const before = await requireWaitlist(trx, id);
    const isClosed = before.closedAt !== null;
    const closing =
      closed === undefined || closed === isClosed ? {} : { closed_at: closed ? context.clock() : null };
    const columns = { ...rowOf(WAITLIST_SETTINGS, settings), ...closing };
    if (Object.keys(columns).length > 0)
      await trx.updateTable('waitlist').set(columns).where('public_id', '=', id).execute();
    const after = await requireWaitlist(trx, id);
    const boost = after.boost !== before.boost;
    await markUnsettled(trx, after.internalId, { boost, metadataKeys: changes.metadataKeys !== undefined });
    await recordChanges(context, trx, before, after);
    return after;
  });
  await afterCommit(context, (context) =>
    settleQueues(context, updated.internalId).catch((error: unknown) => {
      // The settings are saved, so the change succeeded.
      if (!(error instanceof DatabaseUnavailable)) throw error;
      context.log.warn({ reason: error.message }, 'the queues of a waitlist follow its settings later');
    }),
  );
  return updated;
}

async function requireWaitlist(trx: Trx, id: string): Promise<WaitlistSummary> {
  const waitlist = await readWaitlist(trx, id);
  if (!waitlist) throw notFound(`there is no waitlist ${id}`);
  return waitlist;
}

const NAMES = Object.keys(WAITLIST_SETTINGS) as (keyof WaitlistSettings)[];

/** Only what is different afterwards. */
async function recordChanges(
  { audit }: Context,
  trx: Trx,
  before: WaitlistSummary,
  after: WaitlistSummary,
): Promise<void> {
  const object = { kind: 'waitlist', id: after.id, name: after.name } as const;
  const changed = NAMES.filter((setting) => !isDeepStrictEqual(before[setting], after[setting]));
  const values = (of: WaitlistSummary) =>
    Object.fromEntries(changed.map((setting) => [setting, of[setting]]));
  if (changed.length > 0)
    await audit?.(trx, { action: 'waitlist.updated', object, before: values(before), after: values(after) });
  if ((before.closedAt === null) !== (after.closedAt === null))
    await audit?.(trx, { action: after.closedAt === null ? 'waitlist.opened' : 'waitlist.closed', object });
}
