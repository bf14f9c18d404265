import { printableLine } from './printable.ts';

/** Shows progress on a terminal, and nothing in a pipe. */
export function progressLine(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${printableLine(text)}`);
}
