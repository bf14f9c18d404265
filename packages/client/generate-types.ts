import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startReferenceApp } from '../../test/support/reference-app.ts';

const ROOT = path.join(import.meta.dirname, '../..');

/** Writes `src/api.ts` from the current OpenAPI document: `npm run client:types`. */
const reference = await startReferenceApp();
const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-client-types-'));
try {
  const document = path.join(directory, 'openapi.json');
  writeFileSync(document, JSON.stringify(reference.document));
  execFileSync(process.execPath, [
    '--import',
    path.join(ROOT, 'test/clients/typescript-api.ts'),
    path.join(ROOT, 'node_modules/openapi-typescript/bin/cli.js'),
    document,
    '--output',
    path.join(import.meta.dirname, 'src/api.ts'),
  ]);
} finally {
  rmSync(directory, { recursive: true, force: true });
  await reference.close();
}
