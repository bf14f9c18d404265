import { bytesKey } from '../lib/bytes-key.ts';
import { compareText } from '../lib/compare-text.ts';

/** In place of a queue, for what belongs to the whole installation. The first queue has the id 1. */
export const INSTALLATION_ID = 0;

/** Where deliveries go: one address of one channel in a queue, such as a webhook endpoint. */
export interface Target {
  readonly queueId: number;
  readonly channel: string;
  readonly id: Uint8Array;
}

export function targetName({ queueId, channel, id }: Target): string {
  return `${queueId} ${channel} ${bytesKey(id)}`;
}

/** Every process locks targets in this order, so that two never deadlock. */
export function compareTargets(a: Target, b: Target): number {
  return a.queueId - b.queueId || compareText(a.channel, b.channel) || Buffer.compare(a.id, b.id);
}
