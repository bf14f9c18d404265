import { formatId } from '../ids.ts';
import { isoTime, isoTimeOrNull } from '../time.ts';
import type { EntryView } from '../waitlist/entries/entry-view.ts';
import type { Queue } from '../waitlist/queue/directory.ts';
import type { PublicEvent } from './subscriptions.ts';

/** Made once: every attempt sends these bytes. */
export function eventBody(
  { environment, waitlist }: Queue,
  event: { id: Uint8Array; kind: string; at: number; data: object },
): string {
  return JSON.stringify({
    event: event.kind,
    id: formatId('evt', event.id),
    timestamp: isoTime(event.at),
    environment,
    waitlist: { id: waitlist.id, name: waitlist.name },
    data: event.data,
  });
}

export function eventData(event: PublicEvent, entry: EntryView | null): object {
  if ('invite' in event) {
    const { id, email, expiresAt } = event.invite;
    return { invite: { id: formatId('inv', id), email, expiresAt: isoTimeOrNull(expiresAt) }, entry };
  }
  if ('entryId' in event) return { entry: { id: formatId('ent', event.entryId) } };
  if ('referred' in event) return { entry, referred: formatId('ent', event.referred) };
  return { entry };
}
