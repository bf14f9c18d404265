import type { Engine } from '../../src/db/database.ts';

/** A test file as it runs. */
export interface Planned {
  file: string;
  /** The only one that it runs on. */
  engine?: Engine | undefined;
  seconds: number;
  alone: boolean;
  browser: boolean;
}

/** The files of one process. */
export interface Pack {
  name: string;
  files: readonly Planned[];
}

/** Few, because each process loads and warms the service anew; several, so that none runs on alone at the end. */
const PACKS_PER_PROCESS = 3;

/** In the order to start them: the longest first. */
export function pack(files: readonly Planned[], processes: number): Pack[] {
  const packSeconds = sumOf(files) / (processes * PACKS_PER_PROCESS);
  const kinds = Map.groupBy(files, ({ browser, engine }) =>
    browser ? `browser-${engine ?? 'both'}` : (engine ?? 'both'),
  );
  return [...kinds]
    .flatMap(([name, members]) =>
      cut(members, Math.ceil(sumOf(members) / packSeconds)).map((part) => ({ name, files: part })),
    )
    .toSorted((a, b) => sumOf(b.files) - sumOf(a.files));
}

/** Cuts a list into parts that take about as long. Neighbours stay together: they need the same of the service. */
export function cut<T extends { seconds: number }>(files: readonly T[], parts: number): T[][] {
  const partSeconds = sumOf(files) / parts;
  let before = 0;
  const byPart = Map.groupBy(files, ({ seconds }) => {
    const middle = before + seconds / 2;
    before += seconds;
    return Math.min(Math.floor(middle / partSeconds), parts - 1);
  });
  return Array.from({ length: parts }, (_, part) => byPart.get(part) ?? []).filter(
    ({ length }) => length > 0,
  );
}

function sumOf(files: readonly { seconds: number }[]): number {
  return files.reduce((sum, { seconds }) => sum + seconds, 0);
}
