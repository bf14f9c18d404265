import { type DomainEvent, EVENT_KINDS, type EventKind } from '../waitlist/queue/events.ts';
import type { PublicEvent } from '../wire/event.ts';

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
