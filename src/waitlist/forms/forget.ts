import { sharedNow } from '../../db/shared-clock.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { Context } from '../queue/context.ts';
import { forgetSources } from './limits.ts';
import { BLOCKED_KEPT_MS } from './refusals.ts';

const REFUSALS_KEPT_MS = 400 * DAY_MS;

/** Deletes what forms remember for a short time: used tokens, places, networks, and who got how many mails. */
export async function forgetExpired(context: Context): Promise<void> {
  const { db } = context;
  const now = await sharedNow(context);
  const forms = await db.query
    .selectFrom('form')
    .select('queue_id')
    .where((e) => db.reachable(e.ref('queue_id')))
    .execute();
  for (const { queue_id } of forms) {
    await db.transaction(async (trx) => {
      await trx
        .deleteFrom('form_spent')
        .where('queue_id', '=', queue_id)
        .where('expires_at', '<=', now)
        .execute();
      await trx
        .deleteFrom('form_visit')
        .where('queue_id', '=', queue_id)
        .where('expires_at', '<=', now)
        .execute();
      await trx
        .deleteFrom('form_mail')
        .where('queue_id', '=', queue_id)
        .where('day', '<=', now - 2 * DAY_MS)
        .execute();
      await trx
        .deleteFrom('form_refusal')
        .where('queue_id', '=', queue_id)
        .where('slot', '<=', now - REFUSALS_KEPT_MS)
        .execute();
      await trx
        .deleteFrom('form_blocked_origin')
        .where('queue_id', '=', queue_id)
        .where('last_at', '<=', now - BLOCKED_KEPT_MS)
        .execute();
      await forgetSources(trx, queue_id, now);
    });
  }
}
