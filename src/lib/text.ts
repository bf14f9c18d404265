import { isLonger } from './characters.ts';

/** What trimming and composing may take from a text that is not too long afterwards. */
const SLACK_UNITS = 64;

/**
 * The longest text, in UTF-16 units, that can have `most` characters once it is trimmed and normalized. Normalizing
 * takes time that grows with the square of the length, so what is longer is refused before anything else is done.
 */
export function unitsFor(most: number): number {
  return 2 * most + SLACK_UNITS;
}

/** A text as it is kept: trimmed and in NFC. Undefined if it is longer than `most` characters, or malformed. */
export function readText(input: string, most: number): string | undefined {
  if (input.length > unitsFor(most) || !input.isWellFormed()) return undefined;
  const text = composed(input);
  return isLonger(text, most) ? undefined : text;
}

export function isTooLong(input: string, most: number): boolean {
  return input.length > unitsFor(most) || isLonger(composed(input), most);
}

const composed = (text: string) => text.trim().normalize('NFC');

const PIECE_UNITS = 512;

/** Without ligatures, full width and the like, to look for something in it. A piece at a time, however long it is. */
export function plainForm(text: string): string {
  if (text.length <= PIECE_UNITS) return text.normalize('NFKC');
  let plain = '';
  for (let at = 0; at < text.length; at += PIECE_UNITS)
    plain += text.slice(at, at + PIECE_UNITS).normalize('NFKC');
  return plain;
}
