/** C0 and C1 controls, and marks that reorder text: they could forge lines or control the terminal. */
const CONTROLS = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** Text for a terminal, with the control characters of user data made visible. */
export function printable(text: string): string {
  return text.replace(CONTROLS, (character) =>
    character === '\n' || character === '\t' ? character : escaped(character),
  );
}

/** For a value that must stay on its line. */
export function printableLine(text: string): string {
  return text.replace(CONTROLS, escaped);
}

/** Like `JSON.stringify`, but also escapes the control characters that it leaves in. */
export function printableJson(value: unknown): string {
  return printableLine(JSON.stringify(value));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
