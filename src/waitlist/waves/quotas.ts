/** A share of the invites, as a weight, and how many it got so far. */
export interface Share {
  readonly weight: number;
  seats: number;
}

/**
 * Which of the shares gets the next place, by the quota method of Balinski and Young: among the shares that it does
 * not take beyond their part, rounded up, the one with the most weight for each place. After every place, each
 * share is less than one person away from its part of all places.
 */
export function nextShare<S extends Share>(shares: readonly S[]): S | undefined {
  const weights = shares.reduce((sum, { weight }) => sum + weight, 0);
  const places = shares.reduce((sum, { seats }) => sum + seats, 0) + 1;
  const within = shares.filter(({ weight, seats }) => seats * weights < weight * places);
  return within.reduce<S | undefined>(
    (best, each) => (!best || each.weight * (best.seats + 1) > best.weight * (each.seats + 1) ? each : best),
    undefined,
  );
}
