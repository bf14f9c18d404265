import { statSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';

/**
 * Creates an empty file that only its owner can read. An existing file is replaced, not reused: it could be
 * open to others, or a link to somewhere else.
 */
export async function createPrivateFile(path: string): Promise<FileHandle> {
  await rm(path, { force: true });
  return open(path, 'wx', 0o600);
}

/** Unlike `existsSync`, this throws if access is denied: a file that we may not see is not missing. */
export function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
