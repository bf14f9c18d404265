import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, globSync, readFileSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import type { Log } from '../lib/log.ts';
import { ROOT } from '../lib/root.ts';
import type { BuildState } from './thread-offers.ts';

const VITE = path.join(ROOT, 'node_modules/vite/bin/vite.js');
const SOURCES = ['web/src/**/*', 'web/index.html', 'web/vite.config.ts', 'package-lock.json'];
const COMPRESSIBLE = /\.(js|css|html|svg)$/;

/** Where the built dashboard is served from. */
export const DASHBOARD_DIRECTORY = path.join(ROOT, 'web/dist');
/** Written last: the fingerprint of the sources that were built. */
const STAMP = 'sources.sha256';

export function hasDashboard(): boolean {
  return existsSync(path.join(DASHBOARD_DIRECTORY, 'index.html'));
}

/** A package has the built files and no sources, so there is nothing to compare. */
export function isDashboardCurrent(): boolean {
  if (!existsSync(path.join(ROOT, 'web/index.html'))) return true;
  const stamp = path.join(DASHBOARD_DIRECTORY, STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint();
}

/** What has to be done first, in one sentence. */
export function whyNotBuildable(): string | undefined {
  if (!existsSync(VITE)) {
    return 'not built, because development packages are not installed. Run `npm ci --include=dev && npm run build`.';
  }
  try {
    accessSync(path.join(ROOT, 'web'), constants.W_OK);
  } catch {
    return `not built, because ${path.join(ROOT, 'web')} is read-only. Run \`npm run build\` where it is writable.`;
  }
  return undefined;
}

/** Builds beside the old files and swaps them, so that a server never sees half a build. */
export async function buildDashboard(signal?: AbortSignal): Promise<void> {
  const obstacle = whyNotBuildable();
  if (obstacle !== undefined) throw new Error(obstacle);
  const stamp = fingerprint();
  const fresh = `${DASHBOARD_DIRECTORY}.${process.pid}`;
  try {
    await runVite(fresh, signal);
    await compressAll(fresh);
    await writeFile(path.join(fresh, STAMP), stamp);
    await swap(fresh);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function swap(fresh: string): Promise<void> {
  const old = `${fresh}.old`;
  await rename(DASHBOARD_DIRECTORY, old).catch(() => {}); // There may be none.
  // Another process may have put its own build there meanwhile. Both are of the same sources.
  await rename(fresh, DASHBOARD_DIRECTORY).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
  await rm(old, { recursive: true, force: true });
}

function fingerprint(): string {
  const hash = createHash('sha256');
  for (const file of globSync(SOURCES, { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort())
    hash
      .update(`${path.relative(ROOT, file)}\n`)
      .update(readFileSync(file))
      .update('\n');
  return hash.digest('hex');
}

async function runVite(outDir: string, signal: AbortSignal | undefined): Promise<void> {
  const child = spawn(
    process.execPath,
    [
      VITE,
      'build',
      '--config',
      'web/vite.config.ts',
      '--outDir',
      outDir,
      '--emptyOutDir',
      '--logLevel',
      'error',
    ],
    { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], ...(signal ? { signal } : {}) },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`Vite failed: ${said.trim() || `exit code ${code}`}`);
}

/** Once at the build, at the best level, instead of for every request. */
async function compressAll(directory: string): Promise<void> {
  for (const name of globSync('**/*', { cwd: directory })) {
    if (!COMPRESSIBLE.test(name)) continue;
    const file = path.join(directory, name);
    const content = await readFile(file);
    const params = { [zlib.BROTLI_PARAM_SIZE_HINT]: content.length };
    await writeFile(`${file}.br`, await promisify(brotliCompress)(content, { params }));
    await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
  }
}

export interface StartedBuild {
  state(): BuildState;
  /** When the state no longer changes. */
  readonly settled: Promise<void>;
  stop(): void;
}

/** In the background: the API does not wait for it, and works without it. */
export function buildDashboardIfNeeded(log: Log, wanted: boolean): StartedBuild {
  const stopping = new AbortController();
  const state: BuildState = { problem: undefined, building: false };
  const started = { state: () => state, stop: () => stopping.abort() };
  const settled = Promise.resolve();
  if (!wanted || isDashboardCurrent()) return { ...started, settled };
  const obstacle = whyNotBuildable();
  if (obstacle !== undefined) {
    state.problem = hasDashboard() ? undefined : obstacle;
    log.warn(
      { reason: obstacle },
      state.problem ? 'there is no dashboard' : 'the dashboard is older than its sources',
    );
    return { ...started, settled };
  }
  state.building = !hasDashboard();
  log.info({}, 'building the dashboard, which takes a few seconds');
  const build = buildDashboard(stopping.signal)
    .then(
      () => log.info({}, 'built the dashboard'),
      (error: Error) => {
        if (stopping.signal.aborted) return;
        state.problem = hasDashboard()
          ? undefined
          : 'not built, because the build failed. The log has the reason.';
        log.error({ reason: error.message }, 'could not build the dashboard; the API works without it');
      },
    )
    .finally(() => {
      state.building = false;
    });
  return { ...started, settled: build };
}
