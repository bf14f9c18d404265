import { statSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';

/**
 * An empty file that only its owner can read. Whatever was there under this name is replaced, not reused: it could be
 * open to others, or a link to somewhere else.
 */
export async function createPrivateFile(path: string): Promise<FileHandle> {
  await rm(path, { force: true });
  return open(path, 'wx', 0o600);
}

/** Unlike `existsSync`, this throws where we may not look: what another user has locked away is not missing. */
export function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
