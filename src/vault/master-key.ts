import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { createDataFile, isThere } from '../lib/files.ts';
import { randomBytes } from '../lib/ids.ts';
import { KEY_BYTES, type SealingKey, sealingKey } from './crypto.ts';

/** The source of the master key. During a rotation there are two: the current one and the next one. */
export interface MasterKeySource {
  /** Reads again at each call, so that a running server notices a rotation. */
  load(): SealingKey[];
  /** Creates the first key, if there is none and the source can store one. */
  create(): SealingKey;
  /** Returns the next key of a rotation. After `finishRotation`, it is the current one. */
  prepareRotation(): SealingKey;
  /** For the key that now opens the database. Keeps every other key. */
  finishRotation(committed: SealingKey): string;
  /** Says where a key is expected, for when there is none. */
  readonly missing?: string;
}

export class MasterKeyProblem extends Error {
  override name = 'MasterKeyProblem';
}

export function generateMasterKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

export function masterKeyFromText(text: string, where: string): SealingKey {
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== KEY_BYTES || key.toString('base64') !== text.trim()) {
    throw new MasterKeyProblem(`${where}: must be ${KEY_BYTES} bytes in base64`);
  }
  return sealingKey(key);
}

function masterKeyIn(file: string): SealingKey {
  try {
    return masterKeyFromText(readFileSync(file, 'utf8'), file);
  } catch (error) {
    const isDirectory = (error as NodeJS.ErrnoException).code === 'EISDIR';
    if (!(isDirectory || error instanceof MasterKeyProblem)) throw error;
    throw new MasterKeyProblem(
      `${path.resolve(file)} does not hold a master key (${KEY_BYTES} bytes in base64). Restore the file from a backup, or set DOORLIST_MASTER_KEY.`,
    );
  }
}

export function masterKeyFromEnvironment(current: string, next: string | undefined): MasterKeySource {
  const inUse = masterKeyFromText(current, 'DOORLIST_MASTER_KEY');
  const upcoming = next === undefined ? undefined : masterKeyFromText(next, 'DOORLIST_MASTER_KEY_NEXT');
  return {
    load: () => (upcoming ? [inUse, upcoming] : [inUse]),
    create: () => inUse,
    prepareRotation: () => {
      if (upcoming) return upcoming;
      throw new MasterKeyProblem(
        'set DOORLIST_MASTER_KEY_NEXT to the new key on every instance first (`master-key generate` makes one)',
      );
    },
    finishRotation: () =>
      'Now set DOORLIST_MASTER_KEY to the value of DOORLIST_MASTER_KEY_NEXT, unset the latter, and restart.',
  };
}

/** `master.key` in the data directory. `master.key.next` exists only during a rotation. */
export function masterKeyFromFile(directory: string): MasterKeySource {
  const file = path.join(directory, 'master.key');
  const nextFile = `${file}.next`;
  const load = () => [file, nextFile].filter(isThere).map(masterKeyIn);
  return {
    load,
    missing: `There is no master key in ${path.resolve(file)}, and the data of this database cannot be read without it. Restore the file from a backup, or set DOORLIST_DATA_DIR to the directory that has it, or DOORLIST_MASTER_KEY to the key. Nothing was changed.`,
    create: () => {
      writeKeyFile(file, generateMasterKey());
      return masterKeyIn(file);
    },
    prepareRotation: () => {
      writeKeyFile(nextFile, generateMasterKey());
      return masterKeyIn(nextFile);
    },
    finishRotation: (committed) => {
      const isCommitted = (name: string) => isThere(name) && masterKeyIn(name).id.equals(committed.id);
      if (isCommitted(nextFile)) renameSync(nextFile, file);
      else if (!isCommitted(file))
        throw new MasterKeyProblem(
          `neither ${file} nor ${nextFile} holds the new master key: restore it from a backup before you change these files`,
        );
      syncDirectory(directory);
      return `The new key is in ${file}. Back it up.`;
    },
  };
}

/** Restores a key from a backup. An existing key is kept. */
export function restoreMasterKey(directory: string, key: string): void {
  writeKeyFile(path.join(directory, 'master.key'), key);
}

/** All or nothing, and never over an existing key: the first of several processes wins. */
function writeKeyFile(file: string, key: string): void {
  const temporary = `${file}.${process.pid}.tmp`;
  rmSync(temporary, { force: true }); // Left by a process that was killed.
  const handle = createDataFile(temporary);
  try {
    writeFileSync(handle, `${key}\n`);
    fsyncSync(handle);
    linkSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    closeSync(handle);
    rmSync(temporary);
  }
  syncDirectory(path.dirname(file));
}

function syncDirectory(directory: string): void {
  const handle = openSync(directory, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

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
