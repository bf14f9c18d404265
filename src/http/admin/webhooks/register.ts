import type { TypedApp } from '../../typed-app.ts';
import type { AdminParts } from '../core/parts.ts';
import { registerEndpoints } from './endpoints.ts';
import { registerDeliveries } from './list-deliveries.ts';
import { registerSecrets } from './secrets.ts';

export function registerWebhooks(app: TypedApp, parts: AdminParts): void {
  registerEndpoints(app, parts);
  registerSecrets(app, parts);
  registerDeliveries(app, parts);
}
