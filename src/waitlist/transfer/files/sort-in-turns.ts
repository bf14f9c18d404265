import { endOfTurn } from '../../../lib/end-of-turn.ts';

/** Some milliseconds of work. */
const ITEMS_A_TURN = 4_096;

/** Sorts millions of numbers by merging ever longer runs, and others get a turn in between. Equal ones keep their order. */
export async function sortInTurns(
  numbers: Uint32Array<ArrayBuffer>,
  compare: (a: number, b: number) => number,
): Promise<Uint32Array<ArrayBuffer>> {
  const { length } = numbers;
  for (let from = 0; from < length; from += ITEMS_A_TURN) {
    numbers.subarray(from, from + ITEMS_A_TURN).sort(compare);
    await endOfTurn();
  }
  let sorted = numbers;
  let other = new Uint32Array(length);
  for (let run = ITEMS_A_TURN; run < length; run *= 2) {
    for (let from = 0; from < length; from += 2 * run) {
      const [middle, end] = [Math.min(from + run, length), Math.min(from + 2 * run, length)];
      let [left, right] = [from, middle];
      for (let to = from; to < end; to += 1) {
        const takesLeft =
          left < middle && (right === end || compare(sorted[left] as number, sorted[right] as number) <= 0);
        other[to] = sorted[takesLeft ? left++ : right++] as number;
        if (to % (8 * ITEMS_A_TURN) === 0) await endOfTurn();
      }
    }
    [sorted, other] = [other, sorted];
  }
  return sorted;
}
