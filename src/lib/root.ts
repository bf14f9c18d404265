import { existsSync } from 'node:fs';
import path from 'node:path';
import manifest from '../../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;

/** The directory of this checkout or package, whether this runs from its sources or as it was built. */
export const ROOT: string = rootAbove(import.meta.dirname);

/** As a checkout runs a command, and as the documentation writes it. */
export const CHECKOUT_COMMAND = 'npm run -s doorlist --';

/** How its user starts a command. */
export const COMMAND: string = commandFor(ROOT, process.argv[1] ?? '');

/** In a container, as a package of the machine or of a project, or in a checkout. */
export function commandFor(root: string, script: string): string {
  if (isImage(script)) return 'doorlist';
  const folders = root.split(path.sep);
  const modules = folders.indexOf('node_modules');
  if (modules === -1) return CHECKOUT_COMMAND;
  // A project has this file, and `npm install --global` writes none.
  const project = path.join(folders.slice(0, modules).join(path.sep), 'package.json');
  return existsSync(project) ? 'npx doorlist' : 'doorlist';
}

/** Only in the image of a container is this the name of the program. */
export function isImage(script: string): boolean {
  return path.basename(script) === 'doorlist';
}

/** The same for starting the server. */
export function startFor(command: string): string {
  return command === CHECKOUT_COMMAND ? 'npm start' : `${command} serve`;
}

function rootAbove(directory: string): string {
  const parent = path.dirname(directory);
  return existsSync(path.join(directory, 'package.json')) || parent === directory
    ? directory
    : rootAbove(parent);
}
