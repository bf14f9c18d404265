/** C0 and C1 controls, and what reorders text: they could forge lines, or command the terminal. */
const CONTROLS = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** Text for a terminal: what people sent us shows its control characters instead of performing them. */
export function printable(text: string): string {
  return text.replace(CONTROLS, (character) =>
    character === '\n' || character === '\t' ? character : escaped(character),
  );
}

/** The same for a value that has to stay in its line. */
export function printableLine(text: string): string {
  return text.replace(CONTROLS, escaped);
}

/** The same value as `JSON.stringify` writes, without the controls that it lets through. */
export function printableJson(value: unknown): string {
  return printableLine(JSON.stringify(value));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
