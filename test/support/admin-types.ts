import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { startReferenceApp } from './reference-app.ts';

const ROOT = path.join(import.meta.dirname, '../..');
export const TYPES_FILE = path.join(ROOT, 'web/src/api/schema.d.ts');

interface Document {
  paths: Record<string, Record<string, { responses?: Record<string, unknown> }>>;
}

/** The types of the admin API, from its OpenAPI document as the app serves it now. */
export async function renderAdminTypes(): Promise<string> {
  const reference = await startReferenceApp();
  const directory = await mkdtemp(path.join(tmpdir(), 'doorlist-types-'));
  try {
    const document = path.join(directory, 'openapi.json');
    const output = path.join(directory, 'schema.d.ts');
    const served = await fetch(`${reference.url}/admin/openapi.json`);
    await writeFile(document, JSON.stringify(withoutErrors((await served.json()) as Document)));
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

/** All errors have the same shape, and repeating it for each operation would be half of the file. */
function withoutErrors(document: Document): Document {
  for (const operations of Object.values(document.paths))
    for (const operation of Object.values(operations))
      for (const status of Object.keys(operation.responses ?? {}))
        if (status >= '400') delete operation.responses?.[status];
  return document;
}
