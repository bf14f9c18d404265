import { parseEmail } from '../../lib/email.ts';
import { ifReadable } from '../../vault/crypto.ts';
import { mailboxHash } from '../people/identity.ts';
import type { Person } from '../people/person.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { forEachQueue } from '../queue/readable.ts';

/** Keeps each read and write to a few milliseconds. */
const STEP = 500;

/**
 * Fills in the mailboxes of entries from before they were stored, without the queue's lock: signups do not wait for it. It
 * can stop anywhere, and several instances can do it at once.
 */
export async function fillMailboxes(context: Context, enough: () => boolean = () => false): Promise<void> {
  const { db } = context;
  const rows = await db.query
    .selectFrom('queue_state')
    .select('queue_id as id')
    .where('mailboxes_after', 'is not', null)
    .where((e) => db.reachable(e.ref('queue_id')))
    .execute();
  const ids = rows.map(({ id }) => id);
  await forEachQueue(context, 'mailboxes of earlier entries', ids, async (_, queue) => {
    while (!enough() && (await fillStep(context, queue)));
  });
}

/** Returns whether there is more to do. */
async function fillStep({ db }: Context, queue: Queue): Promise<boolean> {
  const progress = await db.query
    .selectFrom('queue_state')
    .select('mailboxes_after')
    .where('queue_id', '=', queue.id)
    .executeTakeFirst();
  if (!progress || progress.mailboxes_after === null) return false;
  const entries = await db.query
    .selectFrom('entry')
    .select(['seq', 'id', 'person', 'email_hash'])
    .where('queue_id', '=', queue.id)
    .where('seq', '>', progress.mailboxes_after)
    .where('mailbox_hash', 'is', null)
    .orderBy('seq')
    .limit(STEP)
    .execute();
  const rows = entries.flatMap((entry) => {
    const mailbox_hash = mailboxOfEntry(queue, entry);
    if (!mailbox_hash) return [];
    return { queue_id: queue.id, seq: entry.seq, email_hash: entry.email_hash, mailbox_hash };
  });
  // Only while the entry has the email: it may have been erased since it was read.
  if (rows.length > 0)
    await db.transaction(async (trx) =>
      trx.update('entry', { key: ['queue_id', 'seq', 'email_hash'] }, rows),
    );
  const next = entries.length < STEP ? null : (entries.at(-1)?.seq ?? null);
  await db.query
    .updateTable('queue_state')
    .set({ mailboxes_after: next })
    .where('queue_id', '=', queue.id)
    .where('mailboxes_after', '=', progress.mailboxes_after)
    .execute();
  return next !== null;
}

function mailboxOfEntry(
  { vault }: Queue,
  { id, person, email_hash }: { id: Uint8Array; person: Uint8Array | null; email_hash: Uint8Array | null },
): Buffer | null {
  if (!person || !email_hash) return null;
  const opened = ifReadable(() => vault.open<Person>('entry.person', id, person));
  const email = parseEmail(opened?.email ?? '');
  return email ? mailboxHash(vault, email.key) : null;
}
