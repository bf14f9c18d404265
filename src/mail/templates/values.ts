import { plainForm } from '../../lib/text.ts';
import type { ValueMarker } from './liquid.ts';

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

/** Invisible characters that link detectors skip: between the letters of a host name they hide it. */
const IGNORED = /\p{Default_Ignorable_Code_Point}|\p{Cf}/gu;
/**
 * Treated as a dot by browsers, or looking like one. Others (fullwidth, small, one dot leader) become a dot
 * in NFKC.
 */
const DOT_LIKE = /[\u3002\u06d4\u0701\u0702\ua4f8\ua60e\u{10a50}]/gu;

/** What mail clients turn into links, and a little more, because they differ in what they take for a host. */
const LINKS: readonly RegExp[] = [
  // https://, //host, and two backslashes as in a Windows share.
  /[/\\]{2}/,
  // A scheme without slashes.
  /(?:^|[^\p{L}])(?:https?|hxxps?|ftp|mailto|tel|sms|javascript|vbscript|data|file|about|blob)\s{0,9}:/iu,
  /(?:^|[^\p{L}\p{N}])www\d*\./iu,
  // A dot followed by two or more characters, the first a letter of any alphabet.
  /[^\s.,;:!?'"()<>{}[\]]\.[\p{L}][\p{L}\p{N}\p{M}-]/u,
  // A name without a dot, but with a port: localhost:3000.
  /\p{L}[\p{N}\p{M}-]{0,20}:\d{2,5}(?!\d)/u,
  // Addresses: 192.0.2.1, [2001:db8::1].
  /(?<!\d)\d{1,3}(?:\.\d{1,3}){3}(?!\d)/,
  /\[[\da-f:.]{0,9}:[\da-f:.]{1,40}\]/i,
];

/**
 * Whether a mail client could turn a stranger's value into a link, and so lead people somewhere in our name.
 * When in doubt, yes: all that happens is that a name that looks like a host is left out of a mail.
 */
export function couldBecomeLink(value: string): boolean {
  const seen = plainForm(value).replace(IGNORED, '').replace(DOT_LIKE, '.');
  return LINKS.some((link) => link.test(seen));
}

const MARK = /Mk7z(\d+)z7kM/g;

/**
 * Placeholders for values while a template is converted to HTML. Markdown sees only the placeholders, so that
 * no value is read as markup. The values are inserted afterwards, escaped for their context.
 */
export class Marks implements ValueMarker {
  readonly #values: string[] = [];
  /** Our own links, the only values that may become a link. */
  readonly #links: ReadonlySet<string>;

  constructor(links: ReadonlySet<string>) {
    this.#links = links;
  }

  mark(value: unknown): string {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return '';
    this.#values.push(String(value));
    return `Mk7z${this.#values.length - 1}z7kM`;
  }

  inText(text: string): string {
    return text.replace(MARK, (_, index) => this.#value(index));
  }

  inHtml(text: string, link: (url: string) => string): string {
    return escapeHtml(text).replace(MARK, (_, index) => {
      const value = this.#value(index);
      return this.#links.has(value) ? link(value) : escapeHtml(value);
    });
  }

  /** Returns undefined if a reader must not be led there. */
  inAddress(address: string): string | undefined {
    const filled = address.replace(MARK, (_, index) => {
      const value = this.#value(index);
      return this.#links.has(value) ? value : encodeURIComponent(value);
    });
    return /^(https?:\/\/|mailto:)[^\s"<>]+$/i.test(filled) ? filled : undefined;
  }

  #value(index: string): string {
    return this.#values[Number(index)] ?? '';
  }
}
