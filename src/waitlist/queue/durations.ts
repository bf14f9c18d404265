/** From one second to two years, each a factor of √2 apart. */
export const DURATION_LIMITS_MS: readonly number[] = Array.from({ length: 53 }, (_, step) =>
  Math.round(1000 * 2 ** (step / 2)),
);

/** How many of the limits a duration has reached. */
export function bucketOfDuration(ms: number): number {
  const first = DURATION_LIMITS_MS.findIndex((limit) => ms < limit);
  return first < 0 ? DURATION_LIMITS_MS.length : first;
}

/** Estimates a quantile from the counts of the buckets, or null if they are empty. */
export function quantile(counts: ReadonlyMap<number, number>, share: number): number | null {
  const buckets = [...counts].filter(([, count]) => count > 0).sort(([a], [b]) => a - b);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  let rank = share * total;
  for (const [bucket, count] of buckets) {
    if (rank <= count) return within(bucket, rank / count);
    rank -= count;
  }
  return null;
}

/** Assumes an even distribution inside a bucket. */
function within(bucket: number, part: number): number {
  const from = DURATION_LIMITS_MS[bucket - 1] ?? 0;
  const to = DURATION_LIMITS_MS[bucket] ?? from;
  return Math.round(from + (to - from) * part);
}
