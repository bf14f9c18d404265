/** Returns every address of a name. */
export type Resolve = (hostname: string) => Promise<string[]>;

const FAILING_AT_ONCE = 2;
const MOST_REMEMBERED = 10_000;

/**
 * A lookup occupies one of few threads until the DNS gives up, and connections to the database and the mail
 * server wait for the same threads. So each name is looked up once at a time, and of names that did not resolve
 * last time, only a few are.
 */
export function fairLookups(resolve: Resolve): Resolve {
  const running = new Map<string, Promise<string[]>>();
  const failing = new Set<string>();
  const waiting: (() => void)[] = [];
  let failingNow = 0;

  const lookUp = async (hostname: string) => {
    try {
      const addresses = await resolve(hostname);
      failing.delete(hostname);
      return addresses;
    } catch (error) {
      if (failing.size >= MOST_REMEMBERED) failing.clear();
      failing.add(hostname);
      throw error;
    }
  };
  const lookUpInTurn = async (hostname: string) => {
    if (failingNow < FAILING_AT_ONCE) failingNow += 1;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await lookUp(hostname);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else failingNow -= 1;
    }
  };
  return (hostname) => {
    const known = running.get(hostname);
    if (known) return known;
    const lookup = failing.has(hostname) ? lookUpInTurn(hostname) : lookUp(hostname);
    const shared = lookup.finally(() => running.delete(hostname));
    running.set(hostname, shared);
    return shared;
  };
}
