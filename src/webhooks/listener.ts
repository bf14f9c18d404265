import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { newNumberedId } from '../ids.ts';
import type { Log } from '../log.ts';
import type { Message } from '../outbox/message.ts';
import { type EntryView, viewEntries } from '../waitlist/entries/entry-view.ts';
import type { Queue } from '../waitlist/queue/directory.ts';
import type { EntryRow } from '../waitlist/queue/entry-rows.ts';
import { entryOf } from '../waitlist/queue/events.ts';
import type { Listener } from '../waitlist/queue/listener.ts';
import { eventBody, eventData } from './event-body.ts';
import { isSubscribed, type PublicEvent, passes } from './subscriptions.ts';
import { endpointTarget } from './target.ts';

const findFilters = statement<{ queueId: number }, { id: Uint8Array; events: string }>((db, parameter) =>
  db.query
    .selectFrom('webhook_endpoint')
    .select(['id', 'events'])
    .where('queue_id', '=', parameter('queueId')),
);

/** Writes to the webhook endpoints that subscribe to what happened. */
export function webhookListener({ db, log }: { db: Database; log: Log }): Listener {
  return {
    wants: (event, { subscriptions }) => isSubscribed(subscriptions, event),
    compose: async ({ trx, queue, now }, events, entries) => {
      const [endpoints, rows] = await Promise.all([
        findFilters.within(db, trx, { queueId: queue.id }),
        entries.read(events.flatMap((event) => entryOf(event) ?? [])),
      ]);
      const shown = showEntries(log, queue, rows);
      return (events as readonly PublicEvent[]).map((event, index): Message => {
        const id = newNumberedId(now, index);
        const { kind } = event;
        const entry = shown.get(entryOf(event) ?? 0);
        const body = eventBody(queue, { id, kind, at: now, data: eventData(event, entry?.view ?? null) });
        const people = entry?.people ?? [];
        return {
          id,
          kind,
          body: queue.vault.seal('event.body', id, body),
          subjects: 'invite' in event ? [...people, event.invite.id] : people,
          targets: endpoints
            .filter(({ events: filter }) => passes(filter, kind))
            .map((endpoint) => endpointTarget(queue.id, endpoint.id)),
        };
      });
    },
  };
}

interface ShownEntry {
  view: EntryView;
  /** Ids of everybody whose data the view shows: the entry, and its referrer. */
  people: Uint8Array[];
}

function showEntries(log: Log, queue: Queue, rows: ReadonlyMap<number, EntryRow>): Map<number, ShownEntry> {
  const all = [...rows.values()];
  const views = viewEntries({ log }, queue, all);
  return new Map(
    all.map(({ seq, id, referrer_id }, index) => [
      seq,
      { view: views[index] as EntryView, people: referrer_id ? [id, referrer_id] : [id] },
    ]),
  );
}
