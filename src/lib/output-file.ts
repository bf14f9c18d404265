import { lstat, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { type DoorlistError, invalid } from './errors.ts';
import { systemErrorWords } from './system-error.ts';

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
