import { lstatSync, mkdirSync, realpathSync, type Stats } from 'node:fs';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

const WRITABLE_BY_OTHERS = 0o022;
const OPEN_TO_OTHERS = 0o077;
const STICKY = 0o1000;

/**
 * Halves the time of every start but the first. Node runs what it finds in the cache, so it must be a directory that
 * nobody else can write to or replace. Otherwise there is none.
 */
export function useCompileCache(parent = tmpdir()): string | undefined {
  if (process.env.NODE_COMPILE_CACHE !== undefined || getCompileCacheDir() !== undefined) return undefined; // There is one already.
  const directory = privateDirectory(parent);
  if (directory !== undefined) enableCompileCache(directory);
  return directory;
}

export function privateDirectory(parent: string): string | undefined {
  const uid = process.getuid?.();
  if (uid === undefined) return undefined;
  try {
    const place = realpathSync(parent);
    const directory = path.join(place, `doorlist-compiled-${uid}`);
    if (!isSafeParent(lstatSync(place), uid)) return undefined;
    createUnlessThere(directory);
    return isOwn(lstatSync(directory), uid) ? directory : undefined;
  } catch {
    return undefined; // Nothing can be written here.
  }
}

function createUnlessThere(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** A link is not a directory here: it may lead anywhere. */
function isOwn(found: Stats, uid: number): boolean {
  return found.isDirectory() && found.uid === uid && (found.mode & OPEN_TO_OTHERS) === 0;
}

/** In a sticky directory such as /tmp, only its owner can rename or remove ours. */
function isSafeParent({ uid: owner, mode }: Stats, uid: number): boolean {
  return (owner === uid || owner === 0) && ((mode & WRITABLE_BY_OTHERS) === 0 || (mode & STICKY) !== 0);
}
