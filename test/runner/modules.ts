import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { without } from '../support/programs.ts';
import type { Pack } from './packs.ts';

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
  const beside = (file: string) => JSON.stringify(path.join(import.meta.dirname, file));
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
    `import ${beside('../support/cleanup.ts')};`,
    `import { stopTracking } from ${beside('before-tests.ts')};`,
    ...(record ? [`import { recordStatements } from ${beside('sent-statements.ts')};`] : []),
    ...(engine ? [`process.env.DOORLIST_TEST_ENGINE = '${engine}';`] : []),
    'const loaded = [];',
    ...suites,
    'await Promise.allSettled(loaded);',
    'stopTracking();',
    '',
  ].join('\n');
}
