import type { Operation } from './core/operation.ts';
import { alerts } from './instance/alerts.ts';
import { environments } from './instance/environments.ts';
import { health } from './instance/health.ts';
import { instance } from './instance/instance.ts';
import { gateKeyOperations, mailEventKeyOperations } from './keys/hook-key-kinds.ts';
import { productKeys, waitlistKeys } from './keys/server-keys.ts';
import { statistics } from './statistics/statistics.ts';
import { firstSteps } from './waitlists/first-steps.ts';
import { waitlists } from './waitlists/waitlists.ts';
import { waves } from './waves/waves.ts';

/** Every operation that is declared, in the order of the reference. */
export const OPERATIONS: readonly Operation[] = [
  ...instance,
  ...health,
  ...alerts,
  ...environments,
  ...waitlists,
  ...firstSteps,
  ...waitlistKeys,
  ...productKeys,
  ...gateKeyOperations,
  ...mailEventKeyOperations,
  ...statistics,
  ...waves,
];
