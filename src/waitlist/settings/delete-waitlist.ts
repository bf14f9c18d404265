import type { Trx } from '../../db/database.ts';
import { sharedNow } from '../../db/shared-clock.ts';
import { invalid, notFound } from '../../errors.ts';
import { BEGIN_WITHIN_MS } from '../../outbox/permit.ts';
import { changeSettings } from '../queue/change-settings.ts';
import type { Context } from '../queue/context.ts';
import { RECHECK_AFTER_MS } from '../queue/directory.ts';
import { readWaitlist, settingsOf } from './waitlists.ts';

/**
 * Deletes a waitlist in every environment. Its keys are destroyed, so all of its data is unreadable at once,
 * and its id can be used again. Once this resolves, no instance sends anything for it any more. Upkeep removes
 * the rows, in small steps.
 */
export async function deleteWaitlist(context: Context, id: string, confirm: string): Promise<void> {
  const wasSending = await changeSettings(context, async (trx) => {
    const waitlist = await readWaitlist(trx, id);
    if (!waitlist) throw notFound(`there is no waitlist ${id}`);
    if (confirm !== id) throw invalid(`confirm: must be ${id}`);
    const now = await sharedNow(context, trx);
    const { internalId } = waitlist;
    const queueIds = await destroyKeys(trx, internalId);
    context.db.lockDeliveries(trx, queueIds, 'exclusive');
    await trx
      .updateTable('waitlist')
      .set({ public_id: `deleted ${internalId}`, deleted_at: now })
      .where('id', '=', internalId)
      .execute();
    await trx.deleteFrom('server_key').where('waitlist_id', '=', internalId).execute();
    await endJobs(context, trx, queueIds, now);
    context.db.markErased(trx);
    const sending = await hasDue(context, trx, queueIds);
    await context.audit?.(trx, {
      action: 'waitlist.deleted',
      object: { kind: 'waitlist', id, name: waitlist.name },
      before: { ...settingsOf(waitlist) },
    });
    return sending;
  });
  // Until then, other instances may act on what they remember, or begin an attempt they were permitted.
  await pause(RECHECK_AFTER_MS + (wasSending ? BEGIN_WITHIN_MS : 0));
  await context.db.wipeErased().catch(() => {}); // The keys are gone. Upkeep tries the wipe again.
}

/** Also waits for changes that are under way, because it locks the queues. */
async function destroyKeys(trx: Trx, waitlistId: number): Promise<number[]> {
  const rows = await trx
    .updateTable('queue')
    .set({ wrapped_keys: Buffer.alloc(0), next_expiry: null, next_reminder: null, rerank_after: null })
    .where('waitlist_id', '=', waitlistId)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

async function endJobs({ db }: Context, trx: Trx, queueIds: number[], now: number): Promise<void> {
  await trx
    .updateTable('job')
    .set({ outcome: 'cancelled', finished_at: now, updated_at: now, lease_token: null, lease_until: null })
    .where((e) => db.in(e.ref('queue_id'), queueIds))
    .where('finished_at', 'is', null)
    .execute();
}

async function hasDue({ db }: Context, trx: Trx, queueIds: number[]): Promise<boolean> {
  const due = await trx
    .selectFrom('delivery')
    .select('queue_id')
    .where((e) => db.in(e.ref('queue_id'), queueIds))
    .where('due_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return due !== undefined;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
