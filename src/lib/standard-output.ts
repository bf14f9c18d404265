import { createWriteStream, fstatSync } from 'node:fs';
import type { Writable } from 'node:stream';

const DESCRIPTOR = 1;
const NAMES = ['/dev/stdout', `/dev/fd/${DESCRIPTOR}`, `/proc/self/fd/${DESCRIPTOR}`];

let opened: Writable | undefined;

/**
 * `process.stdout`, unless that is a file: Node writes to it once and ignores how much of it was written, so that a
 * full disk would cut the output short without an error.
 */
export function standardOutput(): Writable {
  opened ??= fstatSync(DESCRIPTOR).isFile()
    ? createWriteStream('', { fd: DESCRIPTOR, autoClose: false })
    : process.stdout;
  return opened;
}

export function isStandardOutput(file: string): boolean {
  return NAMES.includes(file);
}
