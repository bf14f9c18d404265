/** The candidate that `word` is most likely a misspelling of, or undefined if none is close. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .sort((one, other) => one.distance - other.distance);
  const best = ranked[0];
  return best && best.distance <= Math.max(2, word.length / 4) ? best.candidate : undefined;
}

/** One wrong, missing or additional character, or two that changed places. */
export function isTypo(word: string, of: string): boolean {
  if (Math.abs(word.length - of.length) > 1) return false;
  const letters = (text: string) => [...text].sort().join('');
  const distance = word === of ? 0 : editDistance(word, of);
  return distance <= 1 || (distance === 2 && letters(word) === letters(of));
}

/** The Levenshtein distance. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [line, character] of [...from].entries()) {
    const next = [line + 1];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (to[column - 1] === character ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
