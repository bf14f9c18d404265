const VALUE_CHARACTERS_MAX = 200;
/** Controls, and marks that turn the direction of what follows. */
const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
/** Mail clients make links of these by themselves: a stranger's signup could send anybody anywhere in our name. */
const LINK_LIKE = /:\/\/|\bwww\.|\b[\p{L}\p{N}-]+\.[\p{L}]{2,}(?:\/|\b)/iu;

/** One line without anything that could act as more than text. */
export function plainLine(text: string, most: number = VALUE_CHARACTERS_MAX): string {
  const line = text.toWellFormed().replace(INVISIBLE, ' ').replace(/\s+/g, ' ').trim();
  const characters = [...line.slice(0, 2 * most + 2)];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : line;
}

/** Metadata as templates may see it: plain lines and numbers. What could become a link counts as missing. */
export function plainMetadata(value: unknown): unknown {
  if (typeof value === 'string') {
    const line = plainLine(value);
    return line === '' || LINK_LIKE.test(line) ? null : line;
  }
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const plain: Record<string, unknown> = Object.create(null);
  for (const [key, inner] of Object.entries(value)) plain[key] = plainMetadata(inner);
  return plain;
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
