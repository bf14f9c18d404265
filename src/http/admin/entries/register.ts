import type { TypedApp } from '../../typed-app.ts';
import type { AdminParts } from '../core/parts.ts';
import { registerAboutEntry } from './about-entry.ts';
import { registerEntry } from './entry.ts';
import { registerListEntries } from './list-entries.ts';
import { registerSameMailbox } from './same-mailbox.ts';
import { registerSavedSegments } from './saved-segments.ts';
import { registerSearchPeople } from './search-people.ts';
import { registerEntryShare } from './share.ts';

export function registerEntries(app: TypedApp, parts: AdminParts): void {
  registerListEntries(app, parts);
  registerEntry(app, parts);
  registerAboutEntry(app, parts);
  registerSameMailbox(app, parts);
  registerSavedSegments(app, parts);
  registerSearchPeople(app, parts);
  registerEntryShare(app, parts);
}
