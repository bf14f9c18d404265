import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { SealingKey } from './crypto.ts';

/** Beside `master.key`: says which key was last put in a safe place, so that the reminder can end. */
const NAME = 'master.key.saved';

export function markMasterKeySaved(dataDir: string, { id }: SealingKey): void {
  writeFileSync(path.join(dataDir, NAME), `${id.toString('hex')}\n`, { mode: 0o600 });
}

/** After a rotation there is another key, and it has yet to be saved. */
export function isMasterKeySaved(dataDir: string, { id }: SealingKey): boolean {
  try {
    return readFileSync(path.join(dataDir, NAME), 'utf8').trim() === id.toString('hex');
  } catch {
    return false;
  }
}
