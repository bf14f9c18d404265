import type { ValueMarker } from './liquid.ts';
import { escapeHtml } from './values.ts';

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
