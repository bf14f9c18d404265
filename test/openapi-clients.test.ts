import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { operationOf } from './support/documented.ts';
import { type ReferenceApp, startReferenceApp } from './support/reference-app.ts';

const ROOT = path.join(import.meta.dirname, '..');
const CLIENTS = path.join(import.meta.dirname, 'clients');

/** What a project that is strict about types has, and no more. */
const PROJECT = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
  },
};

interface Generator {
  /** In test/clients: a program that uses what was generated, rightly and wrongly. */
  program: string;
  command: (document: string, output: string) => string[];
  check?: (directory: string) => Promise<void>;
}

const GENERATORS: Record<string, Generator> = {
  'openapi-typescript with openapi-fetch': {
    program: 'openapi-fetch.ts',
    command: (document, output) => [
      '--import',
      path.join(CLIENTS, 'typescript-api.ts'),
      path.join(ROOT, 'node_modules/openapi-typescript/bin/cli.js'),
      document,
      '--output',
      output,
    ],
    check: async (directory) => {
      const [generated, ours] = await Promise.all([
        readFile(path.join(directory, 'generated.ts'), 'utf8'),
        readFile(path.join(ROOT, 'packages/client/src/api.ts'), 'utf8'),
      ]);
      assert.ok(generated === ours, 'packages/client/src/api.ts is out of date: run npm run client:types');
    },
  },
  oazapfts: {
    program: 'oazapfts.ts',
    command: (document, output) => [path.join(ROOT, 'node_modules/oazapfts/dist/cli.js'), document, output],
  },
};

const run = promisify(execFile);
const node = (words: string[]) => run(process.execPath, words, { cwd: ROOT });

describe('a client generated from the OpenAPI document', () => {
  for (const [name, generator] of Object.entries(GENERATORS)) {
    it(`has the types of the API and works with it: ${name}`, async (test) => {
      const reference = await startReferenceApp();
      test.after(() => reference.close());
      const directory = await mkdtemp(path.join(tmpdir(), 'doorlist-client-'));
      test.after(() => rm(directory, { recursive: true, force: true }));
      await generate(generator, directory, reference);
      await checkTypes(directory);
      await generator.check?.(directory);
      await node([path.join(directory, 'program.ts'), JSON.stringify(whatToTry(reference))]);
    });
  }
});

async function generate(
  { program, command }: Generator,
  directory: string,
  { document }: ReferenceApp,
): Promise<void> {
  const file = path.join(directory, 'openapi.json');
  await writeFile(file, JSON.stringify(document));
  await writeFile(path.join(directory, 'package.json'), '{"type":"module"}');
  await writeFile(path.join(directory, 'tsconfig.json'), JSON.stringify(PROJECT));
  await symlink(path.join(ROOT, 'node_modules'), path.join(directory, 'node_modules'));
  await copyFile(path.join(CLIENTS, program), path.join(directory, 'program.ts'));
  await node(command(file, path.join(directory, 'generated.ts')));
}

async function checkTypes(directory: string): Promise<void> {
  try {
    await run(path.join(ROOT, 'node_modules/.bin/tsc'), ['--project', directory]);
  } catch (error) {
    throw new Error((error as { stdout: string }).stdout);
  }
}

function whatToTry({ url, keys, codes, document }: ReferenceApp): object {
  const verification = operationOf(document, 'verifyWebhook').requestBody?.content['application/json'];
  return { url, key: keys.reader, code: codes.live, delivery: verification?.examples.delivery?.value };
}
