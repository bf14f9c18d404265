import { conflict, notFound } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';

/** Sends a pending person another link to confirm their email. */
export async function resendConfirmation(context: Context, queue: Queue, entryId: string): Promise<void> {
  const id = parseId('ent', entryId);
  await changeQueue(context, queue, async (change) => {
    const { trx, settings } = change;
    const entry =
      id &&
      (await trx
        .selectFrom('entry')
        .select(['seq', 'status', 'email_hash'])
        .where('queue_id', '=', queue.id)
        .where('id', '=', id)
        .executeTakeFirst());
    if (!entry) throw notFound(`there is no entry ${entryId}`);
    if (entry.status !== 'pending')
      throw conflict(`this person has nothing to confirm: the entry is ${entry.status}`);
    if (entry.email_hash === null) throw conflict('this person has no email address');
    if (!settings.mailKinds.includes('confirm'))
      throw conflict('confirmation emails are turned off for this waitlist');
    change.record({ kind: 'confirmation.resent', entry: entry.seq });
    await context.audit?.(trx, { action: 'confirmation.resent', object: { kind: 'entry', id: entryId } });
  });
}
