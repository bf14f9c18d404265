import type { Log } from '../lib/log.ts';
import { type Attempt, ERASED } from './attempt.ts';
import type { Channel } from './channel.ts';
import type { Delivery } from './delivery.ts';

/** Returns undefined if no attempt was made. The delivery is claimed again when its lease ends. */
export async function attemptDelivery(
  log: Log,
  channel: Channel,
  delivery: Delivery,
): Promise<Attempt | undefined> {
  const { target, body, permit } = delivery;
  if (body === null) return ERASED;
  try {
    const attempt = await channel.send(delivery, body);
    return attempt ?? (permit.erased ? ERASED : undefined);
  } catch (error) {
    const { name, message } = error as Error;
    const fields = { queue: target.queueId, channel: channel.name, error: name, reason: message };
    log.error(fields, 'a delivery could not be attempted');
    return { ...ERASED, final: false, error: 'not sent because of an internal error: see the log' };
  }
}
