const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

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
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charCodeAt(at);
    if (character === COLON) count += 1;
    else if (character === QUOTE) at = endOfString(json, at);
  }
  return count;
}

type Excess = 'nesting' | 'values';

/**
 * Whether JSON is nested deeper or has more values than allowed. Builds nothing, and stops at the first
 * excess.
 */
export function findExcess(json: string, most: { nesting: number; values: number }): Excess | undefined {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < json.length; at += 1) {
    switch (json.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(json, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        values += 1; // The first value. Each comma adds another.
        if (depth > most.nesting) return 'nesting';
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
      case 0x2c: // ,
        values += 1;
        break;
    }
    if (values > most.values) return 'values';
  }
  return undefined;
}
