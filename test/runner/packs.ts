import type { Engine } from '../../src/db/database.ts';
import type { TestFile } from './test-file.ts';

/** A test file as it runs. */
export interface Planned extends Pick<TestFile, 'file' | 'alone' | 'browser' | 'nextRelease'> {
  /** The only one that it runs on. */
  engine?: Engine | undefined;
  seconds: number;
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
  const kinds = Map.groupBy(files, kindOf);
  return [...kinds]
    .flatMap(([name, members]) =>
      cut(members, Math.ceil(sumOf(members) / packSeconds)).map((part) => ({ name, files: part })),
    )
    .toSorted((a, b) => sumOf(b.files) - sumOf(a.files));
}

/** Files of different kinds cannot share a process, or a browser would run beside what needs none. */
function kindOf({ browser, nextRelease, engine }: Planned): string {
  const kind = [browser && 'browser', nextRelease && 'next-release', engine ?? 'both'];
  return kind.filter(Boolean).join('-');
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
