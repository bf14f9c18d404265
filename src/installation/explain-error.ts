import { isIP } from 'node:net';
import path from 'node:path';
import pg from 'pg';
import type { Config } from '../config/config.ts';
import { ConfigProblem } from '../config/variable.ts';
import { DatabaseUnavailable } from '../db/database.ts';
import { SchemaTooNew, SchemaTooOld } from '../db/migrate.ts';
import { PostgresToolProblem } from '../db/postgres/backup.ts';
import { explainPostgres, PostgresTooOld } from '../db/postgres/explain.ts';
import { explainSqlite } from '../db/sqlite/explain.ts';
import { DoorlistError } from '../lib/errors.ts';
import { systemErrorWords } from '../lib/files.ts';
import { BackupProblem } from '../vault/backup-format.ts';
import { MasterKeyProblem } from '../vault/master-key.ts';
import { NothingThere } from './data-directory.ts';

type Where = Pick<Config, 'databaseUrl' | 'dataDir' | 'host' | 'port' | 'metricsHost' | 'metricsPort'>;

/**
 * Describes a problem that an operator can fix, or returns undefined for a bug of ours. `config` is undefined
 * if the configuration could not be read.
 */
export function explainError(error: Error, config?: Where): string | undefined {
  if (
    error instanceof DoorlistError ||
    error instanceof ConfigProblem ||
    error instanceof MasterKeyProblem ||
    error instanceof SchemaTooNew ||
    error instanceof NothingThere ||
    error instanceof SchemaTooOld ||
    error instanceof PostgresTooOld ||
    error instanceof PostgresToolProblem ||
    error instanceof BackupProblem
  )
    return error.message;
  if (error instanceof DatabaseUnavailable || error instanceof pg.DatabaseError) {
    const words = config && explainDatabase(error, config);
    return words ?? (error instanceof DatabaseUnavailable ? error.message : undefined);
  }
  return config && (explainSqlite(error, path.resolve(config.dataDir)) ?? explainSystem(error, config));
}

function explainDatabase(error: Error, { databaseUrl, dataDir }: Where): string | undefined {
  return databaseUrl === undefined
    ? explainSqlite(error, path.resolve(dataDir))
    : explainPostgres(error, databaseUrl);
}

/** A port in use, a directory that is not writable, a missing file. */
function explainSystem(error: NodeJS.ErrnoException, config: Where): string | undefined {
  const { syscall, code = '', path: file } = error;
  if (syscall === undefined) return undefined;
  if (file !== undefined) return explainFile(code, path.resolve(file), path.resolve(config.dataDir));
  if (syscall === 'listen' || syscall === 'bind' || syscall === 'getaddrinfo')
    return explainListening(error, config);
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return `A file could not be written, perhaps in the data directory ${path.resolve(config.dataDir)}: ${systemErrorWords(code)}. Free some space, then try again.`;
  return error.message;
}

/** Of an error while listening. One of resolving a name has only that, as `hostname`. */
interface ListenError extends NodeJS.ErrnoException {
  hostname?: string;
  address?: string;
  port?: number;
}

const UNKNOWN_NAME = ['ENOTFOUND', 'EAI_AGAIN'];

function explainListening(error: ListenError, config: Where): string {
  const { code = '', hostname, address, port: failedPort = 0 } = error;
  const isOther =
    hostname !== undefined
      ? hostname !== config.host
      : failedPort !== config.port || (isIP(config.host) > 0 && address !== config.host);
  const isMetrics = config.metricsPort !== undefined && isOther;
  const [host, port, variables] = isMetrics
    ? ([config.metricsHost, config.metricsPort, ['DOORLIST_METRICS_HOST', 'DOORLIST_METRICS_PORT']] as const)
    : ([config.host, config.port, ['HOST', 'PORT']] as const);
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is already in use. Stop the process that uses it, or set ${variables[1]} to another port.`;
  if (code === 'EACCES')
    return `This user may not listen on port ${port}. Set ${variables[1]} to a port above 1023, and use a proxy for the lower ports.`;
  const words = UNKNOWN_NAME.includes(code) ? 'the name cannot be resolved' : systemErrorWords(code);
  return `Cannot listen on ${host}: ${words}. Set ${variables[0]} to an address of this machine.`;
}

function explainFile(code: string, file: string, dataDir: string): string {
  const isOurs = file === dataDir || file.startsWith(`${dataDir}${path.sep}`);
  if (!isOurs) return `${file}: ${systemErrorWords(code)}`;
  if (code === 'ENOTDIR' || code === 'EEXIST')
    return `The data directory ${dataDir} cannot be used: it, or a part of its path, is not a directory. Set DOORLIST_DATA_DIR to another directory.`;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return `The data directory ${dataDir} cannot be used: ${file}: ${systemErrorWords(code)}. Run Doorlist as the user who owns it, or set DOORLIST_DATA_DIR to a directory that this user may write to.`;
  return `The data directory ${dataDir} cannot be used: ${file}: ${systemErrorWords(code)}.`;
}

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
