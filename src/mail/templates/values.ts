import { couldBecomeLink } from './link-like.ts';

const VALUE_CHARACTERS_MAX = 200;
/** Control characters, and marks that change the direction of text. */
const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
/** A single line of plain text. */
export function plainLine(text: string, most: number = VALUE_CHARACTERS_MAX): string {
  const line = text.toWellFormed().replace(INVISIBLE, ' ').replace(/\s+/g, ' ').trim();
  const characters = [...line.slice(0, 2 * most + 2)];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : line;
}

/** Metadata for templates: plain lines and numbers. Values that could become links are left out. */
export function plainMetadata(value: unknown): unknown {
  if (typeof value === 'string') {
    const line = plainLine(value);
    return line === '' || couldBecomeLink(value) ? null : line;
  }
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const plain: Record<string, unknown> = Object.create(null);
  for (const [key, inner] of Object.entries(value)) plain[key] = plainMetadata(inner);
  return plain;
}

/** Clients show these as an email address, whatever the part before the @ looks like. */
const ORDINARY_LOCAL_PART = /^(?!www\.)[a-z0-9][a-z0-9._+'-]*$/i;

/** An email for templates, or null if the part before the @ could become a link by itself. */
export function plainEmail(email: string): string | null {
  const local = email.slice(0, email.lastIndexOf('@'));
  return ORDINARY_LOCAL_PART.test(local) || !couldBecomeLink(local) ? plainLine(email, email.length) : null;
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
