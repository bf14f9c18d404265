import { execFile, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const OUTPUT_BYTES_MAX = 16 * 1024 ** 2;

interface Program {
  /** Names or paths of it, the first that exists is used. */
  commands: readonly string[];
  /** Debian's packages that contain it. */
  packages: readonly string[];
}

/** What some tests need and a machine may lack. Without it, they are skipped by name. */
const PROGRAMS = {
  // Without windows it takes two thirds of the processor time.
  Chromium: {
    commands: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'],
    packages: ['chromium-headless-shell', 'fonts-liberation'],
  },
  curl: { commands: ['curl'], packages: ['curl'] },
  jq: { commands: ['jq'], packages: ['jq'] },
  Python: { commands: ['python3'], packages: ['python3'] },
  Go: { commands: ['go'], packages: ['golang-go'] },
  Ruby: { commands: ['ruby'], packages: ['ruby'] },
  PHP: { commands: ['php'], packages: ['php-cli'] },
  Zsh: { commands: ['zsh'], packages: ['zsh'] },
  fish: { commands: ['fish'], packages: ['fish'] },
  nginx: { commands: ['nginx', '/usr/sbin/nginx'], packages: ['nginx-light'] },
  HAProxy: { commands: ['haproxy', '/usr/sbin/haproxy'], packages: ['haproxy'] },
  Prometheus: { commands: ['prometheus'], packages: ['prometheus'] },
  PgBouncer: { commands: ['pgbouncer', '/usr/sbin/pgbouncer'], packages: ['pgbouncer'] },
  // Together: a dump needs a server of the same version, and ours comes without `pg_dump`.
  'pg_dump and its server': { commands: ['pg_dump'], packages: ['postgresql'] },
} as const satisfies Record<string, Program>;

/** In place of the path of a browser, it leaves browser tests out. */
export const NO_BROWSER = 'none';

/** Asked each time, because the runner chooses after this module was loaded. */
function chosenBrowser(): string | undefined {
  return process.env.DOORLIST_TEST_BROWSER || undefined;
}

export type ProgramName = keyof typeof PROGRAMS;

/** Where it is, or undefined. */
export function findProgram(name: ProgramName): string | undefined {
  const chosen = chosenBrowser();
  if (name === 'Chromium' && chosen !== undefined) return chosen === NO_BROWSER ? undefined : chosen;
  const places = (process.env.PATH ?? '').split(path.delimiter);
  const { commands } = PROGRAMS[name];
  return commands
    .flatMap((command) => places.map((place) => path.resolve(place, command)))
    .find(isExecutable);
}

/** For the `skip` of a test: false if the programs are there, or why it is skipped. */
export function without(...names: ProgramName[]): string | false {
  if (chosenBrowser() === NO_BROWSER && names.includes('Chromium')) return 'browser tests were left out';
  const missing = names.filter((name) => !isInstalled(name));
  return missing.length > 0 && `needs ${missing.join(' and ')}: ${howToInstall(missing)}`;
}

function isInstalled(name: ProgramName): boolean {
  if (name === 'pg_dump and its server') return serverOfPgDump() !== undefined;
  return findProgram(name) !== undefined;
}

/** The directory of the server's programs, on Debian not on the PATH. */
export function serverOfPgDump(): string | undefined {
  const dump = findProgram('pg_dump and its server');
  if (dump === undefined) return undefined;
  const { stdout } = spawnSync(dump, ['--version'], { encoding: 'utf8' });
  const major = /(\d+)/.exec(stdout)?.[1];
  return [`/usr/lib/postgresql/${major}/bin`, path.dirname(dump)].find((directory) =>
    isExecutable(path.join(directory, 'initdb')),
  );
}

/** Installs what is missing where that works unattended: as root on Debian. A failure is only told. */
export async function installMissing(): Promise<void> {
  const missing = (Object.keys(PROGRAMS) as ProgramName[]).filter((name) => !isInstalled(name));
  if (missing.length === 0 || process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return;
  console.log(`Installing ${missing.join(', ')} with apt-get: some tests need them.`);
  const enableServices = keepServicesFromStarting();
  try {
    await aptGet('update');
    const install = (packages: string[]) => aptGet('install', '-y', '--no-install-recommends', ...packages);
    const wanted = packagesOf(missing);
    // Older releases have it only together with the windows.
    const common = wanted.map((name) => (name === 'chromium-headless-shell' ? 'chromium' : name));
    await install(wanted).catch(() => install(common));
  } catch (error) {
    console.log((error as Error).message);
  } finally {
    enableServices();
  }
}

const APT_OPTIONS = [
  // Nothing that was just installed has to survive a power cut: waiting for the disk takes longer than unpacking.
  'Dpkg::Options::=--force-unsafe-io',
  // A machine that has just started may be updating itself.
  'DPkg::Lock::Timeout=300',
];

async function aptGet(...words: string[]): Promise<void> {
  const options = APT_OPTIONS.flatMap((option) => ['-o', option]);
  await promisify(execFile)('apt-get', ['-qq', ...options, ...words], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    maxBuffer: OUTPUT_BYTES_MAX,
  });
}

/** Tests start their own servers. Debian asks these files whether to start those of a new package. */
function keepServicesFromStarting(): () => void {
  const files = {
    '/usr/sbin/policy-rc.d': '#!/bin/sh\nexit 101\n',
    '/etc/postgresql-common/createcluster.d/doorlist-tests.conf': 'create_main_cluster = false\n',
  };
  const created = Object.entries(files).filter(([file]) => !existsSync(file));
  for (const [file, content] of created) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content, { mode: 0o755 });
  }
  return () => {
    for (const [file] of created) rmSync(file, { force: true });
  };
}

function howToInstall(missing: readonly ProgramName[]): string {
  return `apt-get install ${packagesOf(missing).join(' ')}`;
}

function packagesOf(names: readonly ProgramName[]): string[] {
  return names.flatMap((name) => [...PROGRAMS[name].packages]);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
