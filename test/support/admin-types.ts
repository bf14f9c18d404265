import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { startReferenceApp } from './reference-app.ts';

const ROOT = path.join(import.meta.dirname, '../..');
export const TYPES_FILE = path.join(ROOT, 'web/src/api/schema.d.ts');

/** The types of the admin API, from its OpenAPI document as the app serves it now. */
export async function renderAdminTypes(): Promise<string> {
  const reference = await startReferenceApp();
  const directory = await mkdtemp(path.join(tmpdir(), 'doorlist-types-'));
  try {
    const document = path.join(directory, 'openapi.json');
    const output = path.join(directory, 'schema.d.ts');
    await writeFile(document, await (await fetch(`${reference.url}/admin/openapi.json`)).text());
    await promisify(execFile)(
      process.execPath,
      [
        '--import',
        path.join(ROOT, 'test/clients/typescript-api.ts'),
        path.join(ROOT, 'node_modules/openapi-typescript/bin/cli.js'),
        document,
        '--output',
        output,
      ],
      { cwd: ROOT },
    );
    return await readFile(output, 'utf8');
  } finally {
    await rm(directory, { recursive: true, force: true });
    await reference.close();
  }
}
