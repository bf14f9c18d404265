import { existsSync } from 'node:fs';
import path from 'node:path';

/** The directory of this checkout or package, whether this runs from its sources or as it was built. */
export const ROOT: string = rootAbove(import.meta.dirname);

/** How its user starts a command: in a checkout, or where it was installed as a package. */
export const COMMAND: string = ROOT.split(path.sep).includes('node_modules')
  ? 'npx doorlist'
  : 'npm run -s doorlist --';

function rootAbove(directory: string): string {
  const parent = path.dirname(directory);
  return existsSync(path.join(directory, 'package.json')) || parent === directory
    ? directory
    : rootAbove(parent);
}
