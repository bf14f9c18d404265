import { bytesKey } from '../../lib/ids.ts';
import { readEntries } from '../entries/browse-entries.ts';
import { browseInvites } from '../invites/browse-invites.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { Suppression } from './suppression.ts';

/** Whose address is suppressed, as far as the waitlist knows. */
export interface SuppressedPerson extends Suppression {
  email: string | null;
  entryId: Uint8Array | null;
}

/** Only hashes of suppressed addresses are stored, but those of people on the list and of invites are sealed with them. */
export async function findSuppressedPeople(
  context: Context,
  queue: Queue,
  suppressions: readonly Suppression[],
): Promise<SuppressedPerson[]> {
  if (suppressions.length === 0) return [];
  const entries = await entriesByEmailHash(
    context,
    queue,
    suppressions.map(({ emailHash }) => emailHash),
  );
  return Promise.all(
    suppressions.map(async (suppression) => {
      const { emailHash } = suppression;
      const entry = entries.get(bytesKey(emailHash));
      if (entry) return { ...suppression, email: entry.email, entryId: entry.id };
      const { invites } = await browseInvites(context, queue, { emailHash, limit: 1 });
      return { ...suppression, email: invites[0]?.email ?? null, entryId: null };
    }),
  );
}

async function entriesByEmailHash(context: Context, queue: Queue, hashes: readonly Uint8Array[]) {
  const { db } = context;
  const rows = await db.query
    .selectFrom('entry')
    .select(['seq', 'email_hash'])
    .where('queue_id', '=', queue.id)
    .where((e) => db.in(e.ref('email_hash'), hashes))
    .execute();
  const hashOf = new Map(rows.map(({ seq, email_hash }) => [seq, email_hash]));
  const entries = await readEntries(
    context,
    queue,
    rows.map(({ seq }) => seq),
  );
  return new Map(entries.map((entry) => [bytesKey(hashOf.get(entry.seq) ?? Buffer.alloc(0)), entry]));
}
