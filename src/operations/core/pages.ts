import Type from 'typebox';
import { CURSOR_LENGTH } from '../../wire/schema.ts';

export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 200;

/** For `querystring` of every list that can grow. */
export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_LIMIT_MAX,
      description: `Most items on a page. Default: ${PAGE_LIMIT_DEFAULT}.`,
      examples: [PAGE_LIMIT_DEFAULT],
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      ...CURSOR_LENGTH,
      description: '`nextCursor` of the previous page, with the same filters.',
      examples: ['AYjPZ1mXQmWw5c0'],
    }),
  ),
};

export const nextCursorSchema = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'Pass this as `cursor` to get the next page. `null` on the last page.',
});

/** Read one item more than the limit. If it is there, the last one shown leads to the next page. */
export function pageOf<T>(found: readonly T[], limit: number, cursorOf: (last: T) => string) {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: found.length > limit && last !== undefined ? cursorOf(last) : null };
}

/** Sealed cursors as text. */
export function formatCursor(cursor: Uint8Array | null): string | null {
  return cursor && Buffer.from(cursor).toString('base64url');
}

/** Text that `formatCursor` cannot have written becomes an empty cursor, which fails to open. */
export function readCursor(text: string | undefined): Uint8Array | undefined {
  if (text === undefined) return undefined;
  const cursor = Buffer.from(text, 'base64url');
  return cursor.toString('base64url') === text ? cursor : Buffer.alloc(0);
}
