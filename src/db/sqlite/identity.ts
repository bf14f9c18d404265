import { type BigIntStats, statSync } from 'node:fs';

/** Throws if the open files are no longer the ones at their paths. */
type IdentityCheck = () => void;

/** A commit must reach the files that the next process will open. */
export class DatabaseReplaced extends Error {
  override name = 'DatabaseReplaced';
}

/**
 * A deleted file that is still open can be written to without an error, and the data is lost. This costs
 * three calls of 2.5 µs before a commit that takes hundreds.
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
