import type { Selectable } from 'kysely';
import type { Database, Trx } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';
import { DAY_MS } from '../lib/time.ts';
import { type Target, targetName } from './target.ts';

/** Written in the same transaction as the change it is about, and sent after the commit. */
export interface Message {
  readonly id: Uint8Array;
  readonly kind: string;
  /** Sealed. Only the channel can open it. */
  readonly body: Uint8Array;
  /** Ids and hashes of everyone whose data is in the body. Erasing one of them erases the body. */
  readonly subjects: readonly Uint8Array[];
  /** Each target gets one delivery. */
  readonly targets: readonly Target[];
  /** Sent before what was not urgent within the last day. */
  readonly urgent?: boolean;
  /** Drops a second message with the same id. */
  readonly onlyOnce?: boolean;
}

/** Deliveries are claimed in the order of the times at which they are due. */
const URGENT_MS = DAY_MS;

/** Returns the targets to wake after the commit. */
export function writeMessages(
  trx: Trx,
  queueId: number,
  messages: readonly Message[],
  now: number,
): Target[] {
  const onConflict = messages.some(({ onlyOnce }) => onlyOnce) ? 'ignore' : undefined;
  const events = messages.map(({ id, kind, body }) => ({
    queue_id: queueId,
    id,
    kind,
    body,
    created_at: now,
  }));
  const subjects = messages.flatMap((message) =>
    message.subjects.map((subject) => ({ queue_id: queueId, subject, event_id: message.id })),
  );
  const deliveries = messages.flatMap((message) =>
    message.targets.map(({ channel, id }) => ({
      queue_id: queueId,
      channel,
      target_id: id,
      event_id: message.id,
      due_at: message.urgent ? now - URGENT_MS : now,
    })),
  );
  trx.insert('event', events, { onConflict });
  trx.insert('event_subject', subjects, { onConflict });
  trx.insert('delivery', deliveries, { onConflict });
  return distinct(messages.flatMap(({ targets }) => targets));
}

function distinct(targets: readonly Target[]): Target[] {
  return [...new Map(targets.map((target) => [targetName(target), target])).values()];
}

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

/** Sent after new deliveries are committed, so that they do not wait for the next poll. */
export interface WakeUps {
  /** Wakes the dispatcher of this process and, through the database, those of other processes. */
  send(targets: readonly Target[]): void;
  /** Returns a function that stops listening. */
  listen(woken: (targets: readonly Target[]) => void): () => void;
}

export function createWakeUps(db: Pick<Database, 'notify'>): WakeUps {
  const listeners = new Set<(targets: readonly Target[]) => void>();
  let notifying: Promise<void> | undefined;
  let again = false;

  /**
   * Sends one notification at a time, however many commits happen meanwhile. Losing one only means waiting
   * for the next poll.
   */
  const notifyOthers = () => {
    again = notifying !== undefined;
    notifying ??= db
      .notify()
      .catch(() => {})
      .finally(() => {
        notifying = undefined;
        if (again) notifyOthers();
      });
  };
  return {
    send: (targets) => {
      for (const woken of listeners) woken(targets);
      notifyOthers();
    },
    listen: (woken) => {
      listeners.add(woken);
      return () => listeners.delete(woken);
    },
  };
}
