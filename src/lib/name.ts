import { isLonger } from './characters.ts';
import { invalid } from './errors.ts';

interface Length {
  least?: 0 | 1;
  most: number;
}

/** A name as it is kept. */
export function readName(text: string, length: Length): string {
  const problem = nameProblem(text, length);
  if (problem !== undefined) throw invalid(`name: ${problem}`);
  return text.trim().normalize();
}

export function nameProblem(text: string, { least = 1, most }: Length): string | undefined {
  const name = text.trim().normalize();
  if (isLine(name, most) && name.length >= least) return undefined;
  return `must be ${least === 0 ? 'at most' : '1 to'} ${most} characters on one line`;
}

export function isLine(text: string, most: number): boolean {
  return !isLonger(text, most) && !/\p{Cc}/u.test(text);
}
