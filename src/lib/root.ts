import { existsSync } from 'node:fs';
import path from 'node:path';

/** The directory of this checkout or package, whether this runs from its sources or as it was built. */
export const ROOT: string = rootAbove(import.meta.dirname);

function rootAbove(directory: string): string {
  const parent = path.dirname(directory);
  return existsSync(path.join(directory, 'package.json')) || parent === directory
    ? directory
    : rootAbove(parent);
}
