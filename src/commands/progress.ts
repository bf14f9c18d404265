import { printableLine } from './printable.ts';

/** Shows, to a person who watches, how far long work has come; says nothing into a pipe. */
export function progressLine(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${printableLine(text)}`);
}
