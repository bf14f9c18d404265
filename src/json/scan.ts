const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

/** What a scan stops at, as character codes. */
export const MARK = { comma: 0x2c, colon: 0x3a, array: 0x5b, arrayEnd: 0x5d, object: 0x7b, objectEnd: 0x7d };
const MINUS = 0x2d;

interface Visitor {
  /** A comma, a colon, a bracket or a brace. Returns true to end the scan. */
  mark?(character: number): boolean | undefined;
  /** From its first quote to the last. */
  string?(start: number, end: number): void;
  /** Where a number starts. Returns true to end the scan. */
  number?(start: number): boolean | undefined;
}

/** Reads JSON once and builds nothing. What is not JSON is read too, as if it were. */
export function scan(json: string, { mark, string, number }: Visitor): void {
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) {
      const end = endOfString(json, at);
      string?.(at, end);
      at = end;
    } else if (isMark(character)) {
      if (mark?.(character)) return;
    } else if (number && (character === MINUS || (character >= DIGIT_0 && character <= DIGIT_9))) {
      if (number(at)) return;
      while (isInNumber(json.charCodeAt(at + 1))) at += 1;
    }
  }
}

function isMark(character: number): boolean {
  const { comma, colon, array, arrayEnd, object, objectEnd } = MARK;
  return (
    character === comma ||
    character === colon ||
    character === array ||
    character === arrayEnd ||
    character === object ||
    character === objectEnd
  );
}

/** Digits, `.`, `+`, `-`, `e` and `E`. */
function isInNumber(character: number): boolean {
  return (
    (character >= DIGIT_0 && character <= DIGIT_9) ||
    character === 0x2b ||
    character === MINUS ||
    character === 0x2e ||
    (character | 0x20) === 0x65
  );
}

/**
 * Returns the index of the closing quote of the string at `start`, or the end of the text if there is none.
 */
export function endOfString(json: string, start: number): number {
  const quote = json.indexOf('"', start + 1);
  if (quote < 0) return json.length;
  // Many times faster than checking each character.
  if (json.charCodeAt(quote - 1) !== BACKSLASH) return quote;
  for (let at = start + 1; at < json.length; at += 1) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) return at;
    if (character === BACKSLASH) at += 1;
  }
  return json.length;
}

/** Counts colons outside strings: one for each member as written, including duplicates. */
export function countColons(json: string): number {
  let count = 0;
  scan(json, {
    mark: (character) => {
      if (character === MARK.colon) count += 1;
      return false;
    },
  });
  return count;
}

/** `keys` are those of one object, `allKeys` those of all. */
type Excess = 'nesting' | 'values' | 'keys' | 'allKeys';

/** Whether JSON is nested deeper, or has more values or keys than allowed. Stops at the first excess. */
export function findExcess(json: string, most: Record<Excess, number>): Excess | undefined {
  let depth = 0;
  const keys: number[] = [];
  let values = 1;
  let allKeys = 0;
  let excess: Excess | undefined;
  scan(json, {
    mark: (character) => {
      const opens = character === MARK.array || character === MARK.object;
      if (opens) {
        depth += 1;
        keys[depth] = 0;
      } else if (character === MARK.colon) {
        keys[depth] = (keys[depth] ?? 0) + 1;
        allKeys += 1;
      }
      if (character === MARK.arrayEnd || character === MARK.objectEnd) depth -= 1;
      if (opens || character === MARK.comma) values += 1; // The first value. Each comma adds another.
      if (depth > most.nesting) excess = 'nesting';
      else if (values > most.values) excess = 'values';
      else if ((keys[depth] ?? 0) > most.keys) excess = 'keys';
      else if (allKeys > most.allKeys) excess = 'allKeys';
      return excess !== undefined;
    },
  });
  return excess;
}
