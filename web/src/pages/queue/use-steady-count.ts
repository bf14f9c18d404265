import { useState } from 'react';

/**
 * How many rows to show. New rows at the top wait until the reader is there, so that nothing moves under their
 * eyes. `about` says what is counted: another thing starts afresh.
 */
export function useSteadyCount(count: number, about: string, mayGrow: boolean) {
  const [shown, setShown] = useState({ count, about });
  const isStale = shown.about !== about || count < shown.count || (mayGrow && count !== shown.count);
  if (isStale) setShown({ count, about });
  const steady = isStale ? count : shown.count;
  return { count: steady, fresh: count - steady, release: () => setShown({ count, about }) };
}
