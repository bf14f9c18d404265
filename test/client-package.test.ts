import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import manifest from '../packages/client/package.json' with { type: 'json' };
import { operationOf } from './support/documented.ts';
import { startReferenceApp } from './support/reference-app.ts';

const ROOT = path.join(import.meta.dirname, '..');
const CLIENTS = path.join(import.meta.dirname, 'clients');
const PROJECT = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024', 'dom'],
    module: 'nodenext',
    types: [],
    strict: true,
    noEmit: true,
  },
  files: ['doorlist-client-types.ts'],
};
const run = promisify(execFile);
const compile = async (project: string, ...words: string[]) => {
  try {
    await run(path.join(ROOT, 'node_modules/.bin/tsc'), ['--project', project, ...words]);
  } catch (error) {
    throw new Error((error as { stdout: string }).stdout);
  }
};

describe('the built client package', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'doorlist-package-'));
    const installed = path.join(directory, 'node_modules/@doorlist/client');
    await mkdir(installed, { recursive: true });
    await copyFile(path.join(ROOT, 'packages/client/package.json'), path.join(installed, 'package.json'));
    await compile(path.join(ROOT, 'packages/client'), '--outDir', path.join(installed, 'dist'));
    await writeFile(path.join(directory, 'package.json'), '{"type":"module"}');
    await writeFile(path.join(directory, 'tsconfig.json'), JSON.stringify(PROJECT));
    for (const file of ['doorlist-client.mjs', 'doorlist-client-types.ts'])
      await copyFile(path.join(CLIENTS, file), path.join(directory, file));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it('has types that fit a strict project', () => compile(directory));

  it('depends on nothing', async () => {
    assert.equal('dependencies' in manifest, false);
    const dist = path.join(directory, 'node_modules/@doorlist/client/dist');
    assert.ok((await readdir(dist)).includes('index.js'));
  });

  it('works on this version of Node, and on the others that are installed', async (test) => {
    const nodes = await installedNodes();
    for (const node of nodes) {
      const reference = await startReferenceApp();
      try {
        const { url, keys, codes, document } = reference;
        const example = operationOf(document, 'verifyWebhook').requestBody?.content['application/json'];
        const delivery = example?.examples.delivery?.value;
        const values = JSON.stringify({ url, key: keys.reader, code: codes.live, delivery });
        test.diagnostic(`with ${node}`);
        await run(node, [path.join(directory, 'doorlist-client.mjs'), values], { cwd: directory });
      } finally {
        await reference.close();
      }
    }
  });
});

/** This one and those on the PATH that are new enough. */
async function installedNodes(): Promise<string[]> {
  const places = (process.env.PATH ?? '').split(path.delimiter).map((place) => path.join(place, 'node'));
  const found = new Set<string>([await realpath(process.execPath)]);
  for (const place of places) {
    const file = await realpath(place).catch(() => undefined);
    if (!file || found.has(file)) continue;
    const version = await run(file, ['-p', 'process.versions.node']).catch(() => undefined);
    const [major = 0, minor = 0] = version?.stdout.split('.').map(Number) ?? [];
    if (major > 20 || (major === 20 && minor >= 3)) found.add(file);
  }
  return [...found];
}
