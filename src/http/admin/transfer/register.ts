import type { TypedApp } from '../../typed-app.ts';
import type { AdminParts } from '../core/parts.ts';
import { registerExports } from './exports.ts';

export function registerTransfer(app: TypedApp, parts: AdminParts): void {
  registerExports(app, parts);
}
