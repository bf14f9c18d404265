import { seededRandom, shuffle } from '../support/random.ts';
import { type Recorded, secondsOf, statementsOf } from './recorded.ts';
import type { TestFile } from './test-file.ts';

/** The last statements are scattered: having all of them in every run would take twice as long. */
const COVERED = 0.95;
/** So that within a few days everything ran on both engines. */
const DRAWN = 1 / 5;

export interface Selection {
  /** Files with suites for each engine that run on both. The others run on SQLite. */
  onBoth: Set<string>;
  /** How many of them are drawn. */
  drawn: number;
  /** The share of the known statements that this sends to PostgreSQL. */
  covered: number;
}

/**
 * What runs on PostgreSQL, too: files that say what can differ there, the files that send most statements for their time,
 * a part of the rest, and what was never recorded. A page does not know the engine.
 */
export function selectForBoth(files: readonly TestFile[], recorded: Recorded, seed: number): Selection {
  const varying = files.filter(({ variesEngine }) => variesEngine);
  const always = varying.filter(
    ({ file, difference, browser }) => difference !== undefined || !(browser || recorded.files[file]),
  );
  const [own, marked] = [files.filter(({ variesEngine }) => !variesEngine), always];
  const sent = new Set([...own, ...marked].flatMap(({ file }) => [...statementsOf(file, recorded)]));
  const others = varying.filter((one) => !one.browser && !always.includes(one));
  const covering = cover(others, sent, recorded);
  const rest = others.filter((one) => !covering.includes(one));
  const drawn = shuffle(rest, seededRandom(seed)).slice(0, Math.ceil(rest.length * DRAWN));
  for (const { file } of drawn) for (const number of statementsOf(file, recorded)) sent.add(number);
  return {
    onBoth: new Set([...always, ...covering, ...drawn].map(({ file }) => file)),
    drawn: drawn.length,
    covered: recorded.statements === 0 ? 0 : sent.size / recorded.statements,
  };
}

/** Takes the file with most new statements for its time, until there are enough. Adds them to `sent`. */
function cover(files: readonly TestFile[], sent: Set<number>, recorded: Recorded): TestFile[] {
  const left = new Map(files.map((file) => [file, statementsOf(file.file, recorded)]));
  const taken: TestFile[] = [];
  while (sent.size < recorded.statements * COVERED) {
    let [best, most]: [TestFile | undefined, number] = [undefined, 0];
    for (const [file, statements] of left) {
      const fresh = [...statements].filter((number) => !sent.has(number)).length;
      const worth = fresh / secondsOf(file, recorded, 'postgres');
      if (worth > most) [best, most] = [file, worth];
    }
    if (best === undefined) break;
    for (const number of left.get(best) ?? []) sent.add(number);
    left.delete(best);
    taken.push(best);
  }
  return taken;
}
