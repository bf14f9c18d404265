import type { Context } from './context.ts';
import { expireInvites } from './end-invites.ts';
import { remindInvited } from './remind-invited.ts';
import { applyBoost } from './rerank.ts';

const EVERY_MS = 1_000;
const QUEUES_AT_ONCE = 100;

/** What has to happen without anybody asking: invites expire, their reminders go out, a changed boost is applied. */
export interface Upkeep {
  close(): Promise<void>;
}

export function startUpkeep(context: Context): Upkeep {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= keepUp(context)
      .catch((error: Error) =>
        context.log.warn({ reason: error.message }, 'upkeep failed; it is tried again'),
      )
      .finally(() => {
        running = undefined;
      });
  }, EVERY_MS);
  return {
    close: async () => {
      clearInterval(timer);
      await running;
    },
  };
}

/** One round of it. Several instances may do it at once: each step is a transaction under the queue's lock. */
export async function keepUp(context: Context): Promise<void> {
  const { db, clock, directory } = context;
  const due = await db.query
    .selectFrom('queue')
    .select('id')
    .where('next_expiry', '<=', clock())
    .limit(QUEUES_AT_ONCE)
    .execute();
  for (const { id } of due) {
    const queue = await directory.queueById(id);
    if (queue) await expireInvites(context, queue);
  }
  const reminding = await db.query
    .selectFrom('queue')
    .select('id')
    .where('next_reminder', '<=', clock())
    .limit(QUEUES_AT_ONCE)
    .execute();
  for (const { id } of reminding) {
    const queue = await directory.queueById(id);
    if (queue) await remindInvited(context, queue);
  }
  const unranked = await db.query
    .selectFrom('queue')
    .select('id')
    .where('rerank_after', 'is not', null)
    .limit(QUEUES_AT_ONCE)
    .execute();
  for (const { id } of unranked) {
    const queue = await directory.queueById(id);
    if (queue) await applyBoost(context, queue);
  }
}
