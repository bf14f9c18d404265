import { type FileHandle, open, rm } from 'node:fs/promises';

/**
 * An empty file that only its owner can read. Whatever was there under this name is replaced, not reused: it could be
 * open to others, or a link to somewhere else.
 */
export async function createPrivateFile(path: string): Promise<FileHandle> {
  await rm(path, { force: true });
  return open(path, 'wx', 0o600);
}
