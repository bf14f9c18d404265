import Type from 'typebox';
import { nullable } from '../../../wire/schema.ts';

export const PAGE_LIMIT = 50;
export const PAGE_LIMIT_MAX = 200;

/** For `querystring` of every list that can grow. */
export const pageQuery = (cursor: string) => ({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_LIMIT_MAX,
      description: 'Items per page. Default: 50.',
      examples: [PAGE_LIMIT],
    }),
  ),
  cursor: Type.Optional(
    Type.String({ description: '`nextCursor` of the previous page.', examples: [cursor] }),
  ),
});

export const nextCursor = nullable<string>('string', {
  description: 'Pass this as `cursor` to get the next page. `null` on the last page.',
});

/** Read one item more than the limit. If it is there, the last item shown leads to the next page. */
export function pageOf<T>(found: readonly T[], limit: number, cursorOf: (last: T) => string) {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: found.length > limit && last !== undefined ? cursorOf(last) : null };
}
