/** Characters are counted as OpenAPI does it: an emoji is one. */
export function isLonger(text: string, characters: number): boolean {
  return text.length > characters && [...text].length > characters;
}
