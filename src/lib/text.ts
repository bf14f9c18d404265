import { invalid } from './errors.ts';

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

/** Without ligatures, full width and the like, to look for something in it. */
export function plainForm(text: string): string {
  return inPieces(text, 'NFKC');
}

const ASCII = /^[\t\n\r -~]*$/;
/** On letters of Latin, Greek and Cyrillic. */
const ACCENTS = /[\u0300-\u036f]/g;

/** To compare what people type: the same for capitals, accents, ligatures, full width and ß as without. */
export function foldedForm(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const bare = inPieces(text, 'NFKD').replace(ACCENTS, '');
  // Twice, because some letters have more than one small form.
  return bare.toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

/** However long it is. */
function inPieces(text: string, form: 'NFKC' | 'NFKD'): string {
  if (text.length <= PIECE_UNITS) return text.normalize(form);
  let normal = '';
  for (let at = 0; at < text.length; at += PIECE_UNITS)
    normal += text.slice(at, at + PIECE_UNITS).normalize(form);
  return normal;
}

/** Characters are counted as OpenAPI does it: an emoji is one. */
export function isLonger(text: string, characters: number): boolean {
  return text.length > characters && [...text].length > characters;
}

/** By code units, for `sort`: the same everywhere, unlike the order of a language. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** As a shell reads it back. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The candidate that `word` is most likely a misspelling of, or undefined if none is close. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .sort((one, other) => one.distance - other.distance);
  const best = ranked[0];
  return best && best.distance <= Math.max(2, word.length / 4) ? best.candidate : undefined;
}

/** One wrong, missing or additional character, or two that changed places. */
export function isTypo(word: string, of: string): boolean {
  if (Math.abs(word.length - of.length) > 1) return false;
  const [one, other] = difference(word, of);
  if (one.length <= 1 && other.length <= 1) return true;
  const letters = (text: string) => [...text].sort().join('');
  return letters(one) === letters(other) && editDistance(one, other) === 2;
}

/** Two texts without what they begin and end with in common. */
function difference(one: string, other: string): [string, string] {
  const least = Math.min(one.length, other.length);
  let start = 0;
  while (start < least && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < least - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return [one.slice(start, one.length - end), other.slice(start, other.length - end)];
}

/** The Levenshtein distance. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [line, character] of [...from].entries()) {
    const next = [line + 1];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (to[column - 1] === character ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

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
