import { type BigIntStats, statSync } from 'node:fs';

/** Throws when the files that an open connection writes to are no longer those at their paths. */
export type IdentityCheck = () => void;

/** What a process that opens the database after us would see is what a commit must have reached. */
export class DatabaseReplaced extends Error {
  override name = 'DatabaseReplaced';
}

/**
 * An open file can be written to after it was deleted, and nothing says that the bytes are lost. Three calls of 2.5 µs
 * before a commit that takes hundreds.
 */
export function watchIdentity(file: string): IdentityCheck {
  const paths = [file, `${file}-wal`, `${file}-shm`];
  const opened = paths.map(identify);
  return () => {
    for (let i = 0; i < paths.length; i += 1) {
      const now = identify(paths[i] as string);
      const before = opened[i];
      if (before === undefined) opened[i] = now;
      else if (now?.ino !== before.ino || now.dev !== before.dev) {
        throw new DatabaseReplaced(
          `${paths[i]} was removed or replaced while Doorlist was running: put it back, or restart Doorlist`,
        );
      }
    }
  };
}

function identify(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}
