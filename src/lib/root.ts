import { existsSync } from 'node:fs';
import path from 'node:path';

/** The directory of this checkout or package, whether this runs from its sources or as it was built. */
export const ROOT: string = rootAbove(import.meta.dirname);

/** How its user starts a command. */
export const COMMAND: string = commandFor(ROOT, process.argv[1] ?? '');

/** In a container, where it was installed as a package, or in a checkout. */
function commandFor(root: string, script: string): string {
  if (path.basename(script) === 'doorlist') return 'doorlist';
  return root.split(path.sep).includes('node_modules') ? 'npx doorlist' : 'npm run -s doorlist --';
}

function rootAbove(directory: string): string {
  const parent = path.dirname(directory);
  return existsSync(path.join(directory, 'package.json')) || parent === directory
    ? directory
    : rootAbove(parent);
}
