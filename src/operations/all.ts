import type { Operation } from './core/operation.ts';
import { waves } from './waves/waves.ts';
import { webhookDeliveries } from './webhooks/deliveries.ts';
import { webhookEndpoints, webhookSecrets } from './webhooks/endpoints.ts';

/** Every operation that is declared, in the order of the reference. */
export const OPERATIONS: readonly Operation[] = [
  ...webhookEndpoints,
  ...webhookSecrets,
  ...webhookDeliveries,
  ...waves,
];
