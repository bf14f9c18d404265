import type { Entry } from '../../api/entries.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';

/** What every part of the drawer gets. */
export interface AboutEntry {
  scope: Scope;
  entry: Entry;
}
