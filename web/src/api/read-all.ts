/** The most that a page of the API has. */
export const PAGE = 200;

interface Page<Item> {
  items: readonly Item[];
  nextCursor: string | null;
}

/** Every page of a list, for those that are shown as a whole. */
export async function readAll<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    all.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}
