import { sql } from 'kysely';
import type { Trx } from '../../db/database.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { isOrigin } from './check-settings.ts';
import { formOf } from './form.ts';

/** Anyone can send any origin: only the newest are kept. */
const KEPT = 20;
const NOTED_MAX = 200;
export const BLOCKED_KEPT_MS = 30 * DAY_MS;

export interface BlockedOrigin {
  origin: string;
  attempts: number;
  lastAt: number;
}

/** Sites that tried to show a form without being allowed to, until they are written. */
export function noteBlockedOrigins() {
  const noted = new Map<string, number>();
  return {
    isEmpty: () => noted.size === 0,
    note: ({ id }: Queue, origin: string) => {
      const name = `${id} ${origin}`;
      if ((noted.size < NOTED_MAX || noted.has(name)) && isOrigin(origin))
        noted.set(name, (noted.get(name) ?? 0) + 1);
    },
    /** Returns them, and forgets them here. */
    take: () => {
      const taken = [...noted].map(([name, attempts]) => {
        const [queueId = '', origin = ''] = name.split(' ');
        return { queue_id: Number(queueId), origin, attempts };
      });
      noted.clear();
      return taken;
    },
  };
}

export async function writeBlockedOrigins(
  trx: Trx,
  blocked: ReturnType<ReturnType<typeof noteBlockedOrigins>['take']>,
  now: number,
): Promise<void> {
  for (const row of blocked)
    await trx
      .insertInto('form_blocked_origin')
      .values({ ...row, last_at: now })
      .onConflict((known) =>
        known.columns(['queue_id', 'origin']).doUpdateSet({
          attempts: sql`form_blocked_origin.attempts + ${row.attempts}`,
          last_at: now,
        }),
      )
      .execute();
  for (const id of new Set(blocked.map(({ queue_id }) => queue_id))) await keepNewest(trx, id);
}

async function keepNewest(trx: Trx, queueId: number): Promise<void> {
  const newest = trx
    .selectFrom('form_blocked_origin')
    .select('origin')
    .where('queue_id', '=', queueId)
    .orderBy('last_at', 'desc')
    .orderBy('origin')
    .limit(KEPT);
  await trx
    .deleteFrom('form_blocked_origin')
    .where('queue_id', '=', queueId)
    .where('origin', 'not in', newest)
    .execute();
}

/** Newest first, without those that have been allowed since. */
export async function listBlockedOrigins(context: Context, queue: Queue): Promise<BlockedOrigin[]> {
  const { settings } = await formOf(context, queue);
  const rows = await context.db.query
    .selectFrom('form_blocked_origin')
    .select(['origin', 'attempts', 'last_at'])
    .where('queue_id', '=', queue.id)
    .orderBy('last_at', 'desc')
    .orderBy('origin')
    .execute();
  return rows
    .filter(({ origin }) => !settings.allowedOrigins.includes(origin))
    .map(({ origin, attempts, last_at }) => ({ origin, attempts, lastAt: last_at }));
}
