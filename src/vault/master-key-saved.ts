import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { SealingKey } from './crypto.ts';

/** Next to `master.key`. Records which key was last saved elsewhere, to stop the reminder. */
const NAME = 'master.key.saved';

export function markMasterKeySaved(dataDir: string, { id }: SealingKey): void {
  writeFileSync(path.join(dataDir, NAME), `${id.toString('hex')}\n`, { mode: 0o600 });
}

/** A rotation creates a new key, which has to be saved again. */
export function isMasterKeySaved(dataDir: string, { id }: SealingKey): boolean {
  try {
    return readFileSync(path.join(dataDir, NAME), 'utf8').trim() === id.toString('hex');
  } catch {
    return false;
  }
}
