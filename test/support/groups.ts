import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { without } from './programs.ts';

/** A third of a folder such as `test/admin`: enough to share the cost of loading, little enough to run side by side. */
const PART_BYTES = 100_000;
/**
 * They take several times as long as other files of their size. Those that mostly wait come first, and run
 * beside those that keep the processors busy.
 */
const SLOWNESS: Readonly<Record<string, number>> = {
  'test/reliability': 6,
  'test/webhooks': 4,
  'test/browser': 3,
};

/**
 * Loading the service and warming it up takes longer than most files take to test it, so that files of a
 * folder share a process. Each of them is a suite there, with hooks of its own. Returns modules to run instead
 * of the files, named in the order to start them: the longest first, or the run would end with one of them alone.
 */
export function groupFiles(files: readonly string[], directory: string): string[] {
  const folders = Map.groupBy(files, (file) => (file.startsWith('src/') ? 'src' : path.dirname(file)));
  const groups = [...folders].flatMap(([folder, members]) =>
    inParts(members).map((part) => ({ folder, part, length: sizeOf(part) * (SLOWNESS[folder] ?? 1) })),
  );
  groups.sort((a, b) => b.length - a.length);
  return groups.map(({ folder, part }, at) => {
    const module = path.join(directory, `${String(at).padStart(3, '0')}-${folder.replaceAll('/', '-')}.mjs`);
    writeFileSync(module, moduleOf(part));
    return module;
  });
}

function inParts(files: readonly string[]): string[][] {
  const parts: string[][] = [[]];
  for (const file of files) {
    const last = parts.at(-1) as string[];
    if (last.length > 0 && sizeOf([...last, file]) > PART_BYTES) parts.push([file]);
    else last.push(file);
  }
  return parts;
}

function sizeOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + statSync(file).size, 0);
}

/** The clean-up after tests is loaded outside of the suites, and so belongs to all of them. */
function moduleOf(files: readonly string[]): string {
  const support = (file: string) => JSON.stringify(path.join(import.meta.dirname, file));
  const suites = files.map((file) => {
    const skip = file.startsWith('test/browser/') && without('Chromium');
    const [name, options, module] = [file, { skip }, path.resolve(file)].map((value) =>
      JSON.stringify(value),
    );
    return `describe(${name}, ${options}, () => loaded[loaded.push(import(${module})) - 1]);`;
  });
  return [
    `import { describe } from 'node:test';`,
    `import ${support('cleanup.ts')};`,
    `import { stopTracking } from ${support('before-tests.ts')};`,
    'const loaded = [];',
    ...suites,
    'await Promise.allSettled(loaded);',
    'stopTracking();',
    '',
  ].join('\n');
}
