import type { Target } from '../outbox/target.ts';

export const WEBHOOK_CHANNEL = 'webhook';

export function endpointTarget(queueId: number, endpointId: Uint8Array): Target {
  return { queueId, channel: WEBHOOK_CHANNEL, id: endpointId };
}
