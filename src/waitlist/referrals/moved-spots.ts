/** A place that somebody has by joining, before and after others are closed up. */
export interface Spot {
  readonly seq: number;
  readonly before: number;
  readonly after: number;
}

interface Moved {
  readonly seq: number;
  readonly rank: number;
}

/**
 * The ranks of those whom an operator moved to among these places, once the places are closed up: with the same people
 * ahead and behind. Between two places there is room for as many as were moved to the end at that time.
 */
export function spotsAfter(spots: readonly Spot[], moved: readonly Moved[]): Map<number, number> {
  const gaps = new Map<number, number[]>();
  const found = new Map<number, number>();
  let at = 0;
  for (const rank of [...new Set(moved.map((each) => each.rank))].sort((a, b) => a - b)) {
    while (at < spots.length - 1 && (spots[at] as Spot).before < rank) at += 1;
    found.set(rank, at);
    if (spots[at]?.before !== rank) gaps.set(at, [...(gaps.get(at) ?? []), rank]);
  }
  return new Map(
    moved.map(({ seq, rank }) => {
      const at = found.get(rank) as number;
      const [behind, ahead] = [spots[at] as Spot, spots[at - 1] as Spot];
      const inGap = gaps.get(at) ?? [];
      if (!inGap.includes(rank)) return [seq, behind.after];
      const spot = behind.after - inGap.length + inGap.indexOf(rank);
      if (spot > ahead.after) return [seq, spot];
      // No room: equal ranks are in the order of joining, the last one first.
      return [seq, seq < behind.seq ? ahead.after : ahead.after + 1];
    }),
  );
}
