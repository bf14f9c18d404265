import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';

const DOORLIST = path.join(import.meta.dirname, '../../bin/doorlist');

export const NOBODY = { uid: 65_534, gid: 65_534 };

/** For the `skip` of a test that starts Doorlist as another user. */
export function withoutAnotherUser(): string | false {
  if (process.getuid?.() !== 0) return 'needs root, which can be another user';
  const { status } = spawnSync(DOORLIST, ['--version'], { ...NOBODY, cwd: tmpdir() });
  return status === 0 ? false : 'needs a checkout that other users can read';
}
