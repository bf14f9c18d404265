import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { stripVTControlCharacters } from 'node:util';
import { BUILDS, COMPILED, contentOf, fingerprint, IN_USE } from './builds.js';
import { buildProgram } from './program.ts';

/** For those who change between branches. */
const KEPT = 3;
/** What another start is building may be what this one needs. */
const PATIENCE_MS = 120_000;
const TEMPORARY = '.';

/** `build/build-for-start.ts BUILD`: what a start in a checkout runs, if nobody has built it meanwhile. */
process.umask(0o022); // Nobody else may write to what is run.
const [build = ''] = process.argv.slice(2);
try {
  await buildForStart(build);
} catch (error) {
  process.stderr.write(stripVTControlCharacters((error as Error).message));
  process.exitCode = 1;
}

async function buildForStart(name: string): Promise<void> {
  mkdirSync(BUILDS, { recursive: true });
  using turn = new DatabaseSync(path.join(BUILDS, 'building.lock'), { timeout: PATIENCE_MS });
  turn.exec('begin exclusive');
  const directory = path.join(BUILDS, name);
  if (existsSync(path.join(directory, 'main.js'))) return;
  for (const left of readdirSync(BUILDS).filter((each) => each.startsWith(TEMPORARY))) remove(left);
  const fresh = path.join(BUILDS, `${TEMPORARY}${name}`);
  try {
    await buildProgram(fresh, { isTraced: true });
    mkdirSync(path.join(fresh, COMPILED), { mode: 0o700 });
    writeFileSync(path.join(fresh, IN_USE), '');
    if (fingerprint(contentOf) !== name) throw new Error('the sources changed while they were built.');
    remove(name); // If it is there, it is not whole.
    renameSync(fresh, directory);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  removeOld();
}

/** The last ones stay, and those that run. */
function removeOld(): void {
  const builds = readdirSync(BUILDS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, builtAt: statSync(path.join(BUILDS, name)).mtimeMs }))
    .sort((a, b) => b.builtAt - a.builtAt);
  for (const { name } of builds.slice(KEPT)) removeUnlessInUse(name);
}

function removeUnlessInUse(name: string): void {
  using lock = new DatabaseSync(path.join(BUILDS, name, IN_USE), { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch {
    return; // Somebody runs it.
  }
  const gone = `${TEMPORARY}${name}`;
  renameSync(path.join(BUILDS, name), path.join(BUILDS, gone));
  remove(gone);
}

function remove(name: string): void {
  rmSync(path.join(BUILDS, name), { recursive: true, force: true });
}
