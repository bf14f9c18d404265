import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const BALLAST = 'ballast';

/** A file system of its own, in memory, that can be filled and made read-only. */
export interface SmallDisk {
  readonly directory: string;
  fill(): void;
  free(): void;
  setReadOnly(readOnly: boolean): void;
  remove(): void;
}

/** Only root may mount one. */
export function mountSmallDisk(megabytes: number): SmallDisk | undefined {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-disk-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory]);
  if (status !== 0) {
    rmSync(directory, { recursive: true });
    return undefined;
  }
  chmodSync(directory, 0o755);
  const ballast = path.join(directory, BALLAST);
  return {
    directory,
    fill: () => spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=4k']), // Ends when there is no room.
    free: () => rmSync(ballast, { force: true }),
    setReadOnly: (readOnly) => {
      const remounted = spawnSync('mount', ['-o', `remount,${readOnly ? 'ro' : 'rw'}`, directory]);
      if (remounted.status !== 0) throw new Error(String(remounted.stderr));
    },
    remove: () => {
      spawnSync('umount', [directory]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
