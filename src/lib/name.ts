import { isLonger } from './characters.ts';
import { invalid } from './errors.ts';
import { readText } from './text.ts';

interface Length {
  least?: 0 | 1;
  most: number;
}

/** A name as it is kept. */
export function readName(text: string, length: Length): string {
  const name = nameOf(text, length);
  if (name === undefined) throw invalid(`name: ${problemOf(length)}`);
  return name;
}

export function nameProblem(text: string, length: Length): string | undefined {
  return nameOf(text, length) === undefined ? problemOf(length) : undefined;
}

function nameOf(text: string, { least = 1, most }: Length): string | undefined {
  const name = readText(text, most);
  return name !== undefined && isLine(name, most) && name.length >= least ? name : undefined;
}

function problemOf({ least = 1, most }: Length): string {
  return `must be ${least === 0 ? 'at most' : '1 to'} ${most} characters on one line`;
}

export function isLine(text: string, most: number): boolean {
  return !isLonger(text, most) && !/\p{Cc}/u.test(text);
}
