import type { Database } from '../db/database.ts';
import type { Bell } from '../events/outbox/bell.ts';
import type { Keyring } from '../vault/keyring.ts';
import type { Directory } from './directory.ts';

export type Clock = () => number;

/** What every verb of the domain works with; HTTP, the command line and jobs hand it in alike. */
export interface Context {
  readonly db: Database;
  readonly keyring: Keyring;
  readonly directory: Directory;
  readonly clock: Clock;
  readonly log: Log;
  /** Rung when a commit left something to deliver. */
  readonly bell: Bell;
}

/** The little of a logger that the domain needs. Fields must never hold personal data or secrets. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
