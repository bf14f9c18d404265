/** Has the next item made while the current one is used. An error is thrown when it is the item's turn. */
export async function* oneAhead<T>(items: AsyncGenerator<T>): AsyncGenerator<T> {
  const begin = () => {
    const item = items.next();
    item.catch(() => {}); // Nobody waits for it yet.
    return item;
  };
  let next = begin();
  try {
    for (;;) {
      const { value, done } = await next;
      if (done) return;
      next = begin();
      yield value;
    }
  } finally {
    await items.return(undefined); // After the item that is under way.
  }
}
