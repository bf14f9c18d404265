import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Of what is in use after a collection, until the next one. */
const GROWTH_PERCENT = 30;
/** As V8 sees fit: several times what is in use. */
const USUAL = 0;

let running = 0;

/**
 * Keeps the heap small during work that leaves much behind, such as an import: each chunk of rows outlives the collections of
 * what is new, and V8 would let them pile up. It collects more often instead, which takes a few percent of the time.
 */
export async function withSmallHeap<T>(work: () => Promise<T>): Promise<T> {
  running += 1;
  if (running === 1) setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  try {
    return await work();
  } finally {
    running -= 1;
    if (running === 0) setFlagsFromString(`--heap-growing-percent=${USUAL}`);
  }
}

/** A buffer that outlives a few collections of what is new is freed only by one of everything. */
const MINOR_PER_MAJOR = 4;

let collect: ((options: { type: 'minor' | 'major' }) => void) | undefined;
let collections = 0;

/**
 * Frees what was needed for a moment. For large buffers, of which V8 sees little more than their names: it would let tens of
 * megabytes pile up before it looks. Takes a few milliseconds, and every fourth time tens.
 */
export function freeBuffers(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as NonNullable<typeof collect>;
  }
  collections += 1;
  collect({ type: collections % MINOR_PER_MAJOR === 0 ? 'major' : 'minor' });
}
