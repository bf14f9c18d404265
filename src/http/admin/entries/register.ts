import type { TypedApp } from '../../typed-app.ts';
import type { AdminParts } from '../core/parts.ts';
import { registerAboutEntry } from './about-entry.ts';
import { registerEntry } from './entry.ts';
import { registerListEntries } from './list-entries.ts';

export function registerEntries(app: TypedApp, parts: AdminParts): void {
  registerListEntries(app, parts);
  registerEntry(app, parts);
  registerAboutEntry(app, parts);
}
