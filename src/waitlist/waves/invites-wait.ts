import type { Context } from '../queue/context.ts';
import { whyRefused } from '../queue/mail-pause.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';

/** Why invites of the queue are held back by a rate of bounces, if they are sent by email at all. */
export async function whyInvitesWait({ trx, queue, settings }: QueueChange): Promise<string | undefined> {
  if (!settings.mailKinds.includes('invite')) return undefined;
  const paused = await trx
    .selectFrom('mail_sending')
    .select('pause_reason')
    .where('queue_id', '=', queue.id)
    .where('paused_at', 'is not', null)
    .where('resumed_at', 'is', null)
    .executeTakeFirst();
  return paused && inWords(paused.pause_reason ?? '');
}

export function inWords(reason: string): string {
  return `emails of the waitlist are paused: ${reason}`;
}

/**
 * Whether the mail server takes no emails of the queue, so that further invites could expire before anybody reads
 * them. Only while emails wait: they are what the server is tried with, and without them a pause would not end.
 */
export async function doesMailWait(context: Context, queue: Queue): Promise<boolean> {
  if (queue.environment !== 'production' || !(await whyRefused(context, queue))) return false;
  const { query } = context.db;
  const { mail_kinds } = await query
    .selectFrom('waitlist')
    .select('mail_kinds')
    .where('id', '=', queue.waitlist.internalId)
    .executeTakeFirstOrThrow();
  if (!mail_kinds.split(',').includes('invite')) return false;
  const waiting = await query
    .selectFrom('delivery')
    .select('event_id')
    .where('queue_id', '=', queue.id)
    .where('channel', '=', 'email')
    .where('due_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return waiting !== undefined;
}
