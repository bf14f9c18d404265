import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { EXTERNAL, PROGRAM_DIRECTORY } from './program.ts';

const ROOT = path.join(import.meta.dirname, '..');
const MODULES = path.join(ROOT, 'node_modules');
/** Libraries that the base image has. */
const IN_THE_BASE = /^(libc|libdl|libm|libpthread|libgcc_s|libstdc\+\+)\.so\./;
/** What the server shows at `/docs`. */
const DOCUMENTATION = ['docs', 'README.md', 'CHANGELOG.md', 'packages/client/README.md'];

/**
 * `build/container.ts DIRECTORY`: lays out what a container adds to its base image, after `npm run build`. There is no shell
 * in the base, so the command is a script that Node itself runs.
 */
const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error('usage: build/container.ts DIRECTORY');
const app = path.join(directory, 'app');
await rm(directory, { recursive: true, force: true });
for (const each of ['app/node_modules', 'usr/local/bin', 'usr/local/lib', 'data'])
  await mkdir(path.join(directory, each), { recursive: true });
for (const file of ['package.json', 'LICENSE', 'web/dist', ...DOCUMENTATION])
  await copy(file, path.join(app, file));
await cp(PROGRAM_DIRECTORY, path.join(app, 'dist'), { recursive: true });
await copy('build/health-check.ts', path.join(app, 'health-check.ts'));
for (const name of await withDependencies(EXTERNAL)) await copyPackage(name);
await copyNode();
const command = path.join(directory, 'usr/local/bin/doorlist');
// The system passes one word of this line. Without the --, Node would take an --env-file behind it for its own, so that its
// flags are in the NODE_OPTIONS of the Dockerfile.
await writeFile(command, "#!/usr/local/bin/node --\nimport('../../../app/dist/main.js');\n");
await chmod(command, 0o755);

function copy(file: string, to: string): Promise<void> {
  return cp(path.join(ROOT, file), to, { recursive: true });
}

/** What the bundle leaves out, with everything that it needs itself. */
async function withDependencies(names: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const manifest = await readManifest(name);
    if (found.has(name) || manifest === undefined) continue;
    found.add(name);
    waiting.push(...Object.keys(manifest.dependencies ?? {}));
  }
  return found;
}

/** undefined for a package that is not installed, because it is optional. */
async function readManifest(name: string): Promise<{ dependencies?: Record<string, string> } | undefined> {
  try {
    return JSON.parse(await readFile(path.join(MODULES, name, 'package.json'), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** With machine code for this processor only. */
async function copyPackage(name: string): Promise<void> {
  const to = path.join(app, 'node_modules', name);
  await cp(path.join(MODULES, name), to, { recursive: true, dereference: true });
  const prebuilds = path.join(to, 'prebuilds');
  const platforms = await readdir(prebuilds).catch(() => []);
  const others = platforms.filter((platform) => platform !== `${process.platform}-${process.arch}`);
  for (const platform of others) await rm(path.join(prebuilds, platform), { recursive: true });
}

async function copyNode(): Promise<void> {
  const pinned = `node-${process.platform}-${process.arch}/package.json`;
  const node = path.join(path.dirname(createRequire(import.meta.url).resolve(pinned)), 'bin/node');
  await cp(node, path.join(directory as string, 'usr/local/bin/node'));
  for (const { name, file } of await librariesOf(node))
    await cp(file, path.join(directory as string, 'usr/local/lib', name), { dereference: true });
}

/** Since version 25, Node needs libatomic, which the base does not have. */
async function librariesOf(program: string): Promise<{ name: string; file: string }[]> {
  const { stdout } = await promisify(execFile)('ldd', [program]);
  const found = [...stdout.matchAll(/^\s*(\S+) => (not found|\S+)/gm)];
  return found.flatMap(([, name = '', file = '']) => {
    if (IN_THE_BASE.test(name)) return [];
    if (file === 'not found')
      throw new Error(
        `${program} needs ${name}: install it (libatomic1 on Debian and Ubuntu), and try again`,
      );
    return [{ name, file }];
  });
}
