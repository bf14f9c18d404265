import { emailedSuppressions } from './0041-emailed-suppressions.ts';

/** One step of the schema, in one transaction. */
export interface Migration {
  version: number;
  /** For the log. */
  name: string;
  statements: readonly string[];
}

/** Since release 0.1.0, each with the next version. */
export const MIGRATIONS: readonly Migration[] = [emailedSuppressions];
