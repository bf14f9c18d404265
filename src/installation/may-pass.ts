import type { Config } from '../config/config.ts';
import { DatabaseUnavailable } from '../db/database.ts';
import { SchemaTooNew, SchemaTooOld } from '../db/migrate.ts';
import { explainSqlite } from '../db/sqlite/explain.ts';
import { DoorlistError } from '../lib/errors.ts';
import { NothingThere } from './data-directory.ts';
import { explainError } from './explain-error.ts';

/** Not `as long as`: somebody may have to free the disk first, or to install what is missing. */
const PASSING_CODES = new Set([
  ...['EAGAIN', 'EBUSY', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM', 'ENOSPC'],
  'ERR_MODULE_NOT_FOUND', // An update of the program is being installed.
]);

/**
 * Whether the same command can succeed later: what failed is the database, the disk or another process, and not
 * what was asked.
 */
export function mayPass(error: Error): boolean {
  if (error instanceof DoorlistError) return ['unavailable', 'rate_limited'].includes(error.code);
  return (
    error instanceof DatabaseUnavailable ||
    error instanceof NothingThere ||
    error instanceof SchemaTooOld ||
    error instanceof SchemaTooNew ||
    explainSqlite(error, '') !== undefined ||
    PASSING_CODES.has((error as NodeJS.ErrnoException).code ?? '')
  );
}

/**
 * The same for a command that could not open the installation, and so never came to what was asked. Whatever an operator
 * can mend is worth another try: a disk that is not mounted yet, a key or a file that this user may not read, a variable.
 */
export function mayPassOnceOpen(error: Error, config: Config | undefined): boolean {
  return mayPass(error) || explainError(error, config) !== undefined;
}
