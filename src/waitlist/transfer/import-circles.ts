/**
 * Who leads to whom among entries numbered from 1, 0 for nobody. Finds those who are in a circle: following the
 * referrers of anyone leads to an end, or into exactly one circle, so that one walk over all is enough.
 */
export function findCircles(referrers: Int32Array): Set<number> {
  const inCircles = new Set<number>();
  /** The walk that came by first. */
  const walks = new Int32Array(referrers.length);
  for (let start = 1; start < referrers.length; start += 1) {
    let at = start;
    while (at !== 0 && walks[at] === 0) {
      walks[at] = start;
      at = referrers[at] ?? 0;
    }
    if (at === 0 || walks[at] !== start) continue;
    for (let member = at; !inCircles.has(member); member = referrers[member] ?? 0) inCircles.add(member);
  }
  return inCircles;
}
