// @ts-check
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { enableCompileCache } from 'node:module';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

// Each start runs this before anything else. JavaScript, because to translate a single file of TypeScript takes Node longer
// than all that is done here.

const ROOT = path.join(import.meta.dirname, '..');
/** Has a directory for each state of the sources that was built, named after the fingerprint of their content. */
export const BUILDS = path.join(ROOT, 'dist.checkout');
/** A fingerprint by sizes and times, which are read in half the time, and the build that it stands for. */
const CURRENT = path.join(BUILDS, 'current');
/** In each build, and locked by those who run it. */
export const IN_USE = 'in-use.lock';
/** In each build: what Node keeps of the compiled code. It goes with the build. */
export const COMPILED = 'compiled';
const CODE = /^[^.].*(?<!\.test)\.(ts|js|json)$/;
const WRITABLE_BY_OTHERS = 0o022;

/**
 * The program as it was built from the sources as they are now, which is done first if need be. Undefined where that is not
 * possible.
 * @returns {{ main: string, lock: DatabaseSync } | undefined}
 */
export function builtProgram() {
  try {
    const times = fingerprint(timesOf);
    const [knownTimes, known = ''] = isSafe(BUILDS) ? readCurrent() : [];
    const same = knownTimes === times ? take(known) : undefined;
    if (same) return same;
    const build = fingerprint(contentOf);
    const taken = take(build) ?? (canBuild() && buildFromSources(build) ? take(build) : undefined);
    if (taken && isOwn() && fingerprint(timesOf) === times) remember(times, build);
    return taken;
  } catch {
    return undefined; // Such as while an update is being installed. Who runs the sources is told what is missing.
  }
}

/**
 * Changes with what is built, and with the Node that builds it.
 * @param {(file: string) => string | Buffer} describe
 */
export function fingerprint(describe) {
  const hash = createHash('sha256').update(process.version);
  const files = [...codeIn('src'), ...codeIn('build'), 'package.json', 'tsconfig.json', installedPackages()];
  for (const file of files) hash.update(`\0${file}\0`).update(describe(file));
  return hash.digest('hex').slice(0, 32);
}

/** @param {string} file */
export function contentOf(file) {
  const content = readFileSync(path.join(ROOT, file));
  if (!file.endsWith('package-lock.json')) return content;
  // With or without those that are only for development: the program has none of them.
  const packages = Object.entries(JSON.parse(content.toString()).packages);
  return JSON.stringify(packages.filter(([place, { dev }]) => place !== '' && !dev));
}

/** @param {string} file */
function timesOf(file) {
  const { size, mtimeMs, ctimeMs, ino } = statSync(path.join(ROOT, file));
  return `${size} ${mtimeMs} ${ctimeMs} ${ino}`;
}

/**
 * @param {string} directory
 * @returns {string[]}
 */
function codeIn(directory) {
  const entries = readdirSync(path.join(ROOT, directory), { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const name = `${directory}/${entry.name}`;
    if (entry.isDirectory()) return codeIn(name);
    return CODE.test(entry.name) ? [name] : [];
  });
}

/** npm writes the first one at the end of each installation. */
function installedPackages() {
  const installed = 'node_modules/.package-lock.json';
  return existsSync(path.join(ROOT, installed)) ? installed : 'package-lock.json';
}

function readCurrent() {
  return existsSync(CURRENT) ? readFileSync(CURRENT, 'utf8').split(' ') : [];
}

/**
 * @param {string} times
 * @param {string} build
 */
function remember(times, build) {
  const fresh = `${CURRENT}.${process.pid}`;
  writeFileSync(fresh, `${times} ${build}`, { mode: 0o644 });
  renameSync(fresh, CURRENT);
}

/**
 * Undefined if there is no such build. Else nobody removes it while this process runs: the system releases the shared lock
 * when it ends.
 * @param {string} build
 */
function take(build) {
  const directory = path.join(BUILDS, build);
  const file = path.join(directory, 'main.js');
  if (!existsSync(file) || !isSafe(BUILDS) || !isSafe(directory)) return undefined;
  const lock = new DatabaseSync(path.join(directory, IN_USE), { readOnly: true });
  lock.exec('begin; select 1 from sqlite_schema');
  if (!existsSync(file)) return undefined; // It was removed just before it was locked.
  const compiled = path.join(directory, COMPILED);
  if (isOwn() && process.env.NODE_COMPILE_CACHE === undefined) enableCompileCache(compiled);
  return { main: pathToFileURL(file).href, lock };
}

/**
 * Whether only those who own the sources can have written what is in it.
 * @param {string} directory
 */
function isSafe(directory) {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  return (
    found?.isDirectory() === true && found.uid === ownerOfSources() && (found.mode & WRITABLE_BY_OTHERS) === 0
  );
}

/** Others use what the owner has built, and leave nothing behind that the owner could not remove. */
function isOwn() {
  return process.getuid?.() === ownerOfSources();
}

function ownerOfSources() {
  return statSync(ROOT).uid;
}

function canBuild() {
  const wasBuilt = existsSync(BUILDS);
  if (!isOwn() || (wasBuilt && !isSafe(BUILDS))) return false;
  if (!existsSync(path.join(ROOT, 'node_modules/rolldown'))) return false;
  try {
    accessSync(wasBuilt ? BUILDS : ROOT, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * In a process of its own, because this one would keep the memory that it takes.
 * @param {string} build
 */
function buildFromSources(build) {
  const { status, signal, stderr } = spawnSync(
    process.execPath,
    [path.join(import.meta.dirname, 'build-for-start.ts'), build],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, NODE_OPTIONS: '' }, encoding: 'utf8' },
  );
  if (status === 0) return true;
  const reason = stderr.trim() || `the build ended with ${signal ?? status}`;
  process.stderr.write(`doorlist: Could not build the program, and runs its sources: ${reason}\n`);
  return false;
}
