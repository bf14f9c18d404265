import { statement } from '../db/statement.ts';
import { newNumberedId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { Message } from '../outbox/message.ts';
import type { Target } from '../outbox/target.ts';
import { type Entry, openEntries } from '../waitlist/entries/entry.ts';
import { type DomainEvent, EVENT_KINDS, type EventKind, entryOf } from '../waitlist/queue/events.ts';
import type { Listener } from '../waitlist/queue/listener.ts';
import { type PublicEvent, presentEvent, presentEventData } from '../wire/event.ts';

const findFilters = statement<{ queueId: number }, { id: Uint8Array; events: string }>((db, parameter) =>
  db.query
    .selectFrom('webhook_endpoint')
    .select(['id', 'events'])
    .where('queue_id', '=', parameter('queueId')),
);

/** Composes messages for the webhook endpoints that subscribe to an event. */
export function webhookListener(log: Log): Listener {
  return {
    wants: (event, { subscriptions }) => isSubscribed(subscriptions, event),
    compose: async ({ trx, queue, now }, events, entries) => {
      const [endpoints, rows] = await Promise.all([
        trx.run(findFilters, { queueId: queue.id }),
        entries.read(events.flatMap((event) => entryOf(event) ?? [])),
      ]);
      const opened = openEntries({ log }, queue, [...rows.values()]);
      const shown = new Map(opened.map((entry) => [entry.seq, entry]));
      return (events as readonly PublicEvent[]).map((event, index): Message => {
        const id = newNumberedId(now, index);
        const { kind } = event;
        const entry = shown.get(entryOf(event) ?? 0);
        const data = presentEventData(event, entry ?? null);
        // Serialized once: every attempt sends these bytes.
        const body = JSON.stringify(presentEvent(queue, { id, at: now, kind, data }));
        const people = entry ? peopleIn(entry) : [];
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

/** Ids of everyone whose data is in an entry: its own, and its referrer's. */
function peopleIn({ id, referrerId }: Entry): Uint8Array[] {
  return referrerId ? [id, referrerId] : [id];
}

const EVERYTHING = '*';

/** The subscriptions of a queue's endpoints, as text for the queue's row. Empty without endpoints. */
export function subscriptionsOf(endpoints: readonly { events: string }[]): string {
  if (endpoints.some(({ events }) => events === '')) return EVERYTHING;
  return [...new Set(endpoints.flatMap(({ events }) => events.split(',')))].sort().join(',');
}

/** Whether any endpoint of the queue subscribes to the event. */
export function isSubscribed(subscriptions: string, event: DomainEvent): event is PublicEvent {
  if (subscriptions === '') return false;
  if (subscriptions !== EVERYTHING) return subscriptions.split(',').includes(event.kind);
  return (EVENT_KINDS as readonly string[]).includes(event.kind);
}

/** Whether one endpoint subscribes. An empty filter means all kinds. */
export function passes(filter: string, kind: EventKind): boolean {
  return filter === '' || filter.split(',').includes(kind);
}

export const WEBHOOK_CHANNEL = 'webhook';

export function endpointTarget(queueId: number, endpointId: Uint8Array): Target {
  return { queueId, channel: WEBHOOK_CHANNEL, id: endpointId };
}
