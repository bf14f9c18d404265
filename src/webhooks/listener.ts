import { statement } from '../db/statement.ts';
import { newNumberedId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { Message } from '../outbox/message.ts';
import { type Entry, openEntries } from '../waitlist/entries/entry.ts';
import { entryOf } from '../waitlist/queue/events.ts';
import type { Listener } from '../waitlist/queue/listener.ts';
import { type PublicEvent, presentEvent, presentEventData } from '../wire/event.ts';
import { isSubscribed, passes } from './subscriptions.ts';
import { endpointTarget } from './target.ts';

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
