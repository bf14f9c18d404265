import type { Context } from './context.ts';
import type { Queue } from './queue.ts';

/** The names of what can be paused, as the log shows them: the connection, everyone, and the sender of a waitlist. */
export const MAIL_SERVER = 'mail server';
export const EVERYONE = 'sending emails';
export const SENDER_OF = 'sender of ';

/** Why the mail server takes no emails of a waitlist now. undefined if it does, as far as is known. */
export async function whyRefused(
  { db }: Pick<Context, 'db'>,
  { waitlist }: Queue,
): Promise<string | undefined> {
  const pause = await db.query
    .selectFrom('mail_pause')
    .select('error')
    .where('name', 'in', [MAIL_SERVER, EVERYONE, SENDER_OF + waitlist.id])
    .orderBy('since')
    .limit(1)
    .executeTakeFirst();
  return pause?.error;
}
