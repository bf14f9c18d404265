import { closeSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createDataFile } from '../lib/private-file.ts';
import type { SealingKey } from './crypto.ts';

/** Next to `master.key`. Records which key was last saved elsewhere, to stop the reminder. */
const NAME = 'master.key.saved';

export function markMasterKeySaved(dataDir: string, { id }: SealingKey): void {
  const file = path.join(dataDir, NAME);
  rmSync(file, { force: true });
  const handle = createDataFile(file);
  try {
    writeFileSync(handle, `${id.toString('hex')}\n`);
  } finally {
    closeSync(handle);
  }
}

/** A rotation creates a new key, which has to be saved again. */
export function isMasterKeySaved(dataDir: string, { id }: SealingKey): boolean {
  try {
    return readFileSync(path.join(dataDir, NAME), 'utf8').trim() === id.toString('hex');
  } catch {
    return false;
  }
}
