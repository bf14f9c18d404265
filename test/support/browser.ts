import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** Returns the path of a Chromium browser. Installs one if that works unattended. */
export function ensureBrowser(): string {
  const found = findBrowser();
  if (found) return found;
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) {
    throw new Error(`no browser on the PATH: install one of ${NAMES.join(', ')}`);
  }
  for (const words of [['update'], ['install', '-y', 'chromium']]) {
    const { status } = spawnSync('apt-get', words, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    if (status !== 0) throw new Error(`no browser on the PATH, and apt-get ${words.join(' ')} failed`);
  }
  const installed = findBrowser();
  if (!installed) throw new Error('no browser on the PATH, not even after apt-get install chromium');
  return installed;
}

function findBrowser(): string | undefined {
  const places = (process.env.PATH ?? '').split(path.delimiter);
  return NAMES.flatMap((name) => places.map((place) => path.join(place, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
