import type { Database, Trx } from '../db/database.ts';
import { DELIVERY_COLUMNS, EVENT_COLUMNS, EVENT_SUBJECT_COLUMNS } from '../db/tables.ts';
import { type Target, targetName } from './target.ts';

/** Something to deliver: written in the transaction that brings it about, sent once that is committed. */
export interface Message {
  readonly id: Uint8Array;
  readonly kind: string;
  /** Sealed by whoever composed it; only its channel can open it. */
  readonly body: Uint8Array;
  /** Ids and hashes of everybody whose data the body shows: erasing one of them erases the body. */
  readonly subjects: readonly Uint8Array[];
  /** One delivery for each; all of the message's queue. */
  readonly targets: readonly Target[];
  /** Its id was chosen so that a second one like it meets the first, and is dropped. */
  readonly onlyOnce?: boolean;
}

/** Returns the targets to wake after the commit. The commit must wait for `written`. */
export function writeMessages(
  db: Database,
  trx: Trx,
  queueId: number,
  messages: readonly Message[],
  now: number,
): { targets: Target[]; written: Promise<unknown> } {
  const suffix = messages.some(({ onlyOnce }) => onlyOnce) ? 'on conflict do nothing' : '';
  const events = messages.map(({ id, kind, body }) => [queueId, id, kind, body, now]);
  const subjects = messages.flatMap((message) =>
    message.subjects.map((subject) => [queueId, subject, message.id]),
  );
  const deliveries = messages.flatMap((message) =>
    message.targets.map(({ channel, id }) => [queueId, channel, id, message.id, now]),
  );
  const written = Promise.all([
    db.insertRows(trx, { table: 'event', columns: EVENT_COLUMNS, rows: events, suffix }),
    db.insertRows(trx, { table: 'event_subject', columns: EVENT_SUBJECT_COLUMNS, rows: subjects, suffix }),
    db.insertRows(trx, { table: 'delivery', columns: DELIVERY_COLUMNS, rows: deliveries, suffix }),
  ]);
  return { targets: distinct(messages.flatMap(({ targets }) => targets)), written };
}

function distinct(targets: readonly Target[]): Target[] {
  return [...new Map(targets.map((target) => [targetName(target), target])).values()];
}
