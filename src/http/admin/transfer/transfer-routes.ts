import {
  exportOperations,
  getImport,
  listImports,
  undoImport,
} from '../../../operations/transfer/transfer.ts';
import type { TypedApp } from '../../typed-app.ts';
import type { AdminParts } from '../core/admin-parts.ts';
import { serveOperations } from '../core/serve-operations.ts';
import { registerBadRows, registerExportFile, registerImportErrors } from './downloads.ts';
import { registerUploads } from './uploads.ts';

export async function registerTransfer(app: TypedApp, parts: AdminParts): Promise<void> {
  await registerUploads(app, parts);
  serveOperations(app, parts, [listImports]);
  registerImportErrors(app, parts);
  serveOperations(app, parts, [getImport]);
  registerBadRows(app, parts);
  serveOperations(app, parts, [undoImport, ...exportOperations]);
  registerExportFile(app, parts);
}
