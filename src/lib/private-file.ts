import { fchownSync, openSync, statSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import path from 'node:path';

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
