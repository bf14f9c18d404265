import { FORMS } from './forms.ts';
import { INSTALLATION } from './installation.ts';
import { MESSAGES } from './messages.ts';
import { PEOPLE } from './people.ts';
import { WAITLISTS } from './waitlists.ts';

/** One step of the schema, in one transaction. */
export interface Migration {
  version: number;
  /** For the log. */
  name: string;
  statements: readonly string[];
}

/** `alter table T widen COLUMN (VALUES) by (MORE)`: its check allows more values than before. */
export const WIDENING = /^alter table (\w+) widen (\w+) \(([^)]*)\) by \(([^)]*)\)$/;

/**
 * Version 40 of the schema, which empty databases start with; `MIGRATIONS` lead on from it. `tables.ts` says what the columns
 * mean. The engines spell only these words differently: `bytes`, `bigint`, `serial_key` and `clustered` (by primary key), and `widen`.
 */
export const SCHEMA: Migration = {
  version: 40,
  name: 'schema',
  statements: [...INSTALLATION, ...WAITLISTS, ...PEOPLE, ...MESSAGES, ...FORMS],
};
