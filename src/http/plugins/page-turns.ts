import { type FewAtOnce, fewAtOnce } from '../../lib/few-at-once.ts';
import type { Lifecycle } from './lifecycle.ts';

/** While one is read from a database that is far away, others can be made. */
const PAGES_AT_ONCE = 4;
/** Clients time out sooner or later. */
const LONGEST_WAIT_MS = 10_000;
/** Others get so many times as long as pages, while there are others. */
const SHARE_OF_OTHERS = 7;
/** While a page waits for a slow or distant database, it takes nothing from others. */
const LONGEST_WAY_MS = 100;

/** A page takes as long as twenty lookups, here and in the database. */
export function pageTurns({ giveWay }: Pick<Lifecycle, 'giveWay'>): FewAtOnce {
  return fewAtOnce({
    most: PAGES_AT_ONCE,
    longestWaitMs: LONGEST_WAIT_MS,
    giveWay: (tookMs) => giveWay(Math.min(SHARE_OF_OTHERS * tookMs, LONGEST_WAY_MS)),
  });
}
