import type { Selectable } from 'kysely';
import type { Database, Trx } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';

type StoredMessage = Pick<Selectable<Tables['event']>, 'id' | 'kind' | 'body' | 'created_at'>;

/** Returns all stored messages about one of these subjects, oldest first. */
export function findMessagesAbout(
  db: Database,
  queueId: number,
  subjects: readonly Uint8Array[],
): Promise<StoredMessage[]> {
  return db.query
    .selectFrom('event')
    .select(['id', 'kind', 'body', 'created_at'])
    .where('queue_id', '=', queueId)
    .where('id', 'in', (e) =>
      e
        .selectFrom('event_subject')
        .select('event_id')
        .where('queue_id', '=', queueId)
        .where((x) => db.in(x.ref('subject'), subjects)),
    )
    .orderBy('id')
    .execute();
}

export async function hasMessageAbout(trx: Trx, queueId: number, subject: Uint8Array): Promise<boolean> {
  const row = await trx
    .selectFrom('event_subject')
    .select('event_id')
    .where('queue_id', '=', queueId)
    .where('subject', '=', subject)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
