import { globSync, readFileSync } from 'node:fs';

/** The one place that may. */
const READER = 'src/waitlist/queue/readable.ts';
const OPENS = /\bregistry\.queue(ById|ByTag)?\(/;
const REPEATS =
  /\b(for|while) \(|\.(map|flatMap|forEach|filter|reduce|some|every|find)\($|\.(map|flatMap|forEach|filter|reduce|some|every|find)\((async )?\(/;
const ENDS = /^\s*(export )?(async )?function |^\s*(export )?const \w+ = (async )?\(/;

/**
 * Queues that are opened in a loop: a damaged one would end it for all others. `forEachQueue`, `withQueues` and
 * `readableQueues` go on. Reads code as the formatter writes it. The command line asks for each by name, and says what is
 * wrong with it.
 */
export function openedInLoops(): string[] {
  return globSync('src/**/*.ts')
    .filter((file) => file !== READER && !/\.test\.ts$|^src\/(commands|demo)\//.test(file))
    .flatMap((file) => openedInLoopsOf(readFileSync(file, 'utf8')).map((found) => `${file}:${found}`));
}

export function openedInLoopsOf(text: string): string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) =>
    OPENS.test(line) && isRepeated(lines, at) ? [`${at + 1}: opens queues in a loop, see readable.ts`] : [],
  );
}

/** Looks at the heads of the blocks around it, up to its function. */
function isRepeated(lines: readonly string[], at: number): boolean {
  let indent = Number.POSITIVE_INFINITY;
  for (let above = at; above >= 0; above -= 1) {
    const line = lines[above] ?? '';
    const own = line.length - line.trimStart().length;
    if (line.trim() === '' || (above !== at && own >= indent)) continue;
    indent = own;
    if (REPEATS.test(line)) return true;
    if (ENDS.test(line)) return false;
  }
  return false;
}
