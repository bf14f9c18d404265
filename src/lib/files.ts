import { createWriteStream, fchownSync, fstatSync, openSync, statSync } from 'node:fs';
import { type FileHandle, lstat, open, realpath, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { getSystemErrorMap } from 'node:util';
import { type DoorlistError, invalid } from './errors.ts';

/** What is behind the name of a file that someone wants written. */
export interface OutputFile {
  /** With links followed, so that replacing the file leaves the link. */
  path: string;
  /** A pipe or a device: to be appended to, never replaced. */
  isStream: boolean;
}

/** Also if one of these was redirected to a file, which has earlier output of others. */
const DESCRIPTOR = /^\/(?:dev\/(?:stdout|stderr|fd\/\d+)|proc\/(?:self|\d+)\/fd\/\d+)$/;

/** Refuses what cannot be written to. */
export async function findOutputFile(given: string): Promise<OutputFile> {
  const found = await stat(given).catch(ifMissing);
  if (found === undefined) {
    if (await lstat(given).catch(ifMissing))
      throw refused(given, 'it is a link to a file that does not exist');
    return { path: given, isStream: false };
  }
  if (found.isFIFO() || found.isCharacterDevice() || DESCRIPTOR.test(path.resolve(given)))
    return { path: given, isStream: true };
  if (found.isFile()) return { path: await realpath(given), isStream: false };
  throw refused(given, found.isDirectory() ? 'it is a directory' : 'it is neither a file nor a pipe');
}

/** The errors of an open file do not name it. */
export function writeProblem(file: string, error: NodeJS.ErrnoException): Error {
  return error.code === undefined ? error : refused(file, systemErrorWords(error.code));
}

function refused(file: string, reason: string): DoorlistError {
  return invalid(`cannot write ${file}: ${reason}`);
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

const STANDARD_OUTPUT = 1;
const NAMES = ['/dev/stdout', `/dev/fd/${STANDARD_OUTPUT}`, `/proc/self/fd/${STANDARD_OUTPUT}`];

let opened: Writable | undefined;

/**
 * `process.stdout`, unless that is a file: Node writes to it once and ignores how much of it was written, so that a
 * full disk would cut the output short without an error.
 */
export function standardOutput(): Writable {
  opened ??= fstatSync(STANDARD_OUTPUT).isFile()
    ? createWriteStream('', { fd: STANDARD_OUTPUT, autoClose: false })
    : process.stdout;
  return opened;
}

export function isStandardOutput(file: string): boolean {
  return NAMES.includes(file);
}

/**
 * Creates an empty file that only its owner can read. An existing file is replaced, not reused: it could be
 * open to others, or a link to somewhere else.
 */
export async function createPrivateFile(file: string): Promise<FileHandle> {
  await rm(file, { force: true });
  return open(file, 'ax', 0o600);
}

/**
 * Creates an empty file in a data directory and returns its descriptor. What root creates belongs to the owner of
 * the directory, whose server has to use it. Never opens an existing file: through a planted link, that owner
 * would get any file of the machine.
 */
export function createDataFile(file: string): number {
  const descriptor = openSync(file, 'wx', 0o600);
  if (process.getuid?.() === 0) {
    const { uid, gid } = statSync(path.dirname(file));
    fchownSync(descriptor, uid, gid);
  }
  return descriptor;
}

/** Unlike `existsSync`, this throws if access is denied: a file that we may not see is not missing. */
export function isThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** Describes a system error code: `ENOENT` is "no such file or directory". */
export function systemErrorWords(code: string): string {
  return [...getSystemErrorMap().values()].find(([name]) => name === code)?.[1] ?? code;
}
