/** Whether a text has each of the words that were typed, in any order. */
export function hasWords(text: string, typed: string): boolean {
  const known = text.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => known.includes(word));
}
