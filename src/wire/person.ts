import { formatId } from '../lib/ids.ts';
import { isoTime } from '../lib/time.ts';
import type { PersonExport } from '../waitlist/transfer/export/export-person.ts';
import { presentEntry } from './entry.ts';
import { presentInviteDetails } from './invite.ts';
import { presentWaitlistReference } from './waitlist.ts';

/** All data stored about one person, for that person to read. */
export function presentPerson({ queue, entry, operatorConfirmation, invites, events }: PersonExport) {
  return {
    waitlist: presentWaitlistReference(queue.waitlist),
    environment: queue.environment,
    entry: entry && presentEntry(entry),
    language: entry?.language ?? null,
    importedCode: entry?.importedCode ?? null,
    operatorConfirmation: operatorConfirmation && {
      source: operatorConfirmation.source,
      by: operatorConfirmation.by,
      at: isoTime(operatorConfirmation.at),
    },
    invites: invites.map(presentInviteDetails),
    events: events.map(({ id, kind, at, body }) => ({
      id: formatId('evt', id),
      kind,
      at: isoTime(at),
      body,
    })),
  };
}
