import { spawnSync } from 'node:child_process';
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const MEMORY = '/dev/shm';
/** Four times what exists at the same time in a whole run. */
const BYTES_MAX = 2 * 1024 ** 3;

/**
 * A directory for everything that the tests write, also those in other processes. In memory where that is possible:
 * creating a database takes a sixth of the processor time there, and commits need not wait for a disk. Returns a
 * function that removes it.
 */
export function useTemporaryDirectory(): () => void {
  const directory = inMemory() ?? createIn(tmpdir());
  process.env.TMPDIR = directory;
  return () => remove(directory);
}

function inMemory(): string | undefined {
  if (!hasRoom(MEMORY)) return undefined;
  const directory = createIn(MEMORY);
  if (canRunPrograms(directory)) return directory;
  remove(directory);
  return undefined;
}

function createIn(place: string): string {
  const directory = mkdtempSync(path.join(place, 'doorlist-tests-'));
  chmodSync(directory, 0o1777); // Some tests start programs as another user.
  return directory;
}

function remove(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
}

function hasRoom(place: string): boolean {
  try {
    accessSync(place, constants.W_OK);
  } catch {
    return false;
  }
  const { bavail, bsize } = statfsSync(place);
  return bavail * bsize > BYTES_MAX;
}

/** Docker mounts the memory of a container without that right. */
function canRunPrograms(directory: string): boolean {
  const program = path.join(directory, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}
