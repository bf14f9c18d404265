import type { TypedApp } from '../../typed-app.ts';
import type { AdminParts } from '../core/parts.ts';
import { registerExports } from './exports.ts';
import { registerImports } from './imports.ts';

export async function registerTransfer(app: TypedApp, parts: AdminParts): Promise<void> {
  await registerImports(app, parts);
  registerExports(app, parts);
}
