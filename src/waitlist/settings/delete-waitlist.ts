import { setTimeout as pause } from 'node:timers/promises';
import type { Trx } from '../../db/database.ts';
import { sharedNow } from '../../db/shared-clock.ts';
import { invalid, notFound } from '../../lib/errors.ts';
import { BEGIN_WITHIN_MS } from '../../outbox/delivery.ts';
import { changeSettings } from '../queue/change-settings.ts';
import type { Context } from '../queue/context.ts';
import { RECHECK_AFTER_MS } from '../queue/registry.ts';
import { readWaitlist, settingsOf } from './waitlists.ts';

/**
 * Deletes a waitlist in every environment. Its keys are destroyed, so all of its data is unreadable at once,
 * and its id can be used again. Once this resolves, no instance sends anything for it any more. Upkeep removes
 * the rows, in small steps.
 */
export async function deleteWaitlist(context: Context, id: string, confirm: string): Promise<void> {
  const waitlistId = await changeSettings(context, async (trx) => {
    const waitlist = await readWaitlist(trx, id);
    if (!waitlist) throw notFound(`there is no waitlist ${id}`);
    if (confirm !== id) throw invalid(`confirm: must be ${id}`);
    const { internalId } = waitlist;
    await trx
      .updateTable('waitlist')
      .set({ public_id: `deleted ${internalId}`, deleted_at: await sharedNow(context, trx) })
      .where('id', '=', internalId)
      .execute();
    await trx.deleteFrom('server_key').where('waitlist_id', '=', internalId).execute();
    await context.audit?.(trx, {
      action: 'waitlist.deleted',
      object: { kind: 'waitlist', id, name: waitlist.name },
      before: settingsOf(waitlist),
    });
    return internalId;
  });
  const wasSending = await endQueues(context, waitlistId);
  // Until then, other instances may act on what they remember, or begin an attempt they were permitted.
  await pause(RECHECK_AFTER_MS + (wasSending ? BEGIN_WITHIN_MS : 0));
  await context.db.wipeErased().catch(() => {}); // The keys are gone. Upkeep tries the wipe again.
}

/**
 * Destroys the keys of a deleted waitlist's queues and ends their jobs. One queue at a time, each under its own
 * lock, so it also waits for changes that are under way. Upkeep calls it too, in case the process died before.
 * Returns whether a delivery was due.
 */
export async function endQueues(context: Context, waitlistId: number): Promise<boolean> {
  const { unlimited } = context.db;
  const rows = await unlimited.query
    .selectFrom('queue')
    .select(['id', 'wrapped_keys'])
    .where('waitlist_id', '=', waitlistId)
    .execute();
  let sending = false;
  for (const { id, wrapped_keys } of rows) {
    if (wrapped_keys.length > 0)
      sending = (await unlimited.transaction((trx) => endQueue(context, trx, id))) || sending;
  }
  return sending;
}

async function endQueue(context: Context, trx: Trx, queueId: number): Promise<boolean> {
  const { db } = context;
  await trx
    .updateTable('queue_state')
    .set({
      next_expiry: null,
      next_reminder: null,
      rerank_after: null,
      close_after: null,
    })
    .where('queue_id', '=', queueId)
    .execute();
  await trx
    .updateTable('queue')
    .set({ wrapped_keys: Buffer.alloc(0) })
    .where('id', '=', queueId)
    .execute();
  await trx
    .updateTable('wave')
    .set({ state: 'stopped', next_at: null })
    .where('queue_id', '=', queueId)
    .where('state', 'in', ['active', 'paused'])
    .execute();
  db.lockDeliveries(trx, [queueId], 'exclusive');
  const now = await sharedNow(context, trx);
  await trx
    .updateTable('job')
    .set({ outcome: 'cancelled', finished_at: now, updated_at: now, lease_token: null, lease_until: null })
    .where('queue_id', '=', queueId)
    .where('finished_at', 'is', null)
    .execute();
  db.markErased(trx);
  return hasDue(trx, queueId);
}

async function hasDue(trx: Trx, queueId: number): Promise<boolean> {
  const due = await trx
    .selectFrom('delivery')
    .select('queue_id')
    .where('queue_id', '=', queueId)
    .where('due_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return due !== undefined;
}
