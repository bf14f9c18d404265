import type { QueueChange } from '../queue/queue-change.ts';

/** Why invites of the queue are not sent by email now, if they are at all. */
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
