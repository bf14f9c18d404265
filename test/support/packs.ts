import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Engine } from '../../src/db/database.ts';
import { without } from './programs.ts';

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

/**
 * Writes a module for each pack, to run instead of the files, and returns their paths. Each file is a suite there, with
 * hooks of its own.
 */
export function writeModules(packs: readonly Pack[], directory: string, record: boolean): string[] {
  return packs.map((one, at) => {
    const module = path.join(directory, `${String(at).padStart(3, '0')}-${one.name}.mjs`);
    writeFileSync(module, moduleOf(one, record));
    return module;
  });
}

/** The clean-up after tests is loaded outside of the suites, and so belongs to all of them. */
function moduleOf({ files }: Pack, record: boolean): string {
  const support = (file: string) => JSON.stringify(path.join(import.meta.dirname, file));
  const suites = files.map(({ file, browser }) => {
    const skip = browser && without('Chromium');
    const [name, options, module] = [file, { skip }, path.resolve(file)].map((value) =>
      JSON.stringify(value),
    );
    const recording = record ? `recordStatements(${name}); ` : '';
    return `describe(${name}, ${options}, () => { ${recording}return loaded[loaded.push(import(${module})) - 1]; });`;
  });
  const engine = files[0]?.engine;
  return [
    `import { describe } from 'node:test';`,
    `import ${support('cleanup.ts')};`,
    `import { stopTracking } from ${support('before-tests.ts')};`,
    ...(record ? [`import { recordStatements } from ${support('sent-statements.ts')};`] : []),
    ...(engine ? [`process.env.DOORLIST_TEST_ENGINE = '${engine}';`] : []),
    'const loaded = [];',
    ...suites,
    'await Promise.allSettled(loaded);',
    'stopTracking();',
    '',
  ].join('\n');
}
