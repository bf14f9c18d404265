import type { Selectable } from 'kysely';
import type { Database, Trx } from '../../db/database.ts';
import type { Tables } from '../../db/tables.ts';
import type { Queue } from '../queue/queue.ts';

export type SendingState = Omit<Selectable<Tables['mail_sending']>, 'queue_id'>;

/** In hundredths of a percent. */
const BOUNCE_LIMIT = 1_000;
const COMPLAINT_LIMIT = 50;

const UNCHANGED: SendingState = {
  ...{ bounce_limit: BOUNCE_LIMIT, complaint_limit: COMPLAINT_LIMIT },
  ...{ paused_at: null, resumed_at: null, pause_reason: null, review_at: null },
  ...{ counted_from: null, sent_before: 0 },
  ...{ warm_up_start: null, warm_up_to: null, warm_up_number: 0, warm_up_day: 0, warm_up_taken: 0 },
};

export async function readSending(
  executor: Database['query'] | Trx,
  { id }: Pick<Queue, 'id'>,
): Promise<SendingState> {
  const row = await executor
    .selectFrom('mail_sending')
    .selectAll()
    .where('queue_id', '=', id)
    .executeTakeFirst();
  return row ?? UNCHANGED;
}

export async function writeSending(
  trx: Trx,
  { id }: Pick<Queue, 'id'>,
  columns: Partial<SendingState>,
): Promise<void> {
  await trx
    .insertInto('mail_sending')
    .values({ queue_id: id, ...columns })
    .onConflict((known) => known.column('queue_id').doUpdateSet(columns))
    .execute();
}

/** Whoever claims emails counts in this row, so it stays as it is until the commit. */
export async function lockSending(trx: Trx, queue: Pick<Queue, 'id'>): Promise<SendingState> {
  await trx
    .insertInto('mail_sending')
    .values({ queue_id: queue.id })
    .onConflict((known) =>
      known.column('queue_id').doUpdateSet((e) => ({ sent_before: e.ref('mail_sending.sent_before') })),
    )
    .execute();
  return readSending(trx, queue);
}

export function isPaused({ paused_at, resumed_at }: Pick<SendingState, 'paused_at' | 'resumed_at'>): boolean {
  return paused_at !== null && resumed_at === null;
}
