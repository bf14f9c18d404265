import assert from 'node:assert/strict';
import type { Engine } from '../../src/db/database.ts';
import { type OutboxTimes, startOutbox } from '../../src/installation/start-outbox.ts';
import { allowList } from '../../src/lib/addresses.ts';
import type { DispatcherOptions } from '../../src/outbox/dispatcher.ts';
import type { Context } from '../../src/waitlist/queue/context.ts';
import type { Queue } from '../../src/waitlist/queue/queue.ts';
import { createEndpoint } from '../../src/webhooks/change-endpoints.ts';
import type { EndpointInput } from '../../src/webhooks/endpoint-settings.ts';
import { createGuard } from '../../src/webhooks/guard.ts';
import { type DeliveryState, listDeliveries } from '../../src/webhooks/list-deliveries.ts';
import { eventually, type Service, type ServiceOptions, startService } from './harness.ts';

export const LOOPBACK = { DOORLIST_WEBHOOK_ALLOW: '127.0.0.1' };
export const guard = createGuard(allowList(['127.0.0.1']));

export interface SendingOptions extends ServiceOptions {
  dispatcher?: DispatcherOptions & OutboxTimes;
}

/** A service that sends deliveries, without jitter and with constant polling. */
export async function startSending(
  engine: Engine,
  { dispatcher = {}, ...options }: SendingOptions = {},
): Promise<Service & { wake(): void; stopSending(): Promise<void> }> {
  const service = await startService(engine, {
    ...options,
    environment: { ...LOOPBACK, ...options.environment },
  });
  const outbox = await startOutbox(service.context, service.config, {
    pollMs: 50,
    random: () => 0,
    ...dispatcher,
  });
  let stopped: Promise<void> | undefined;
  const stopSending = () => {
    stopped ??= outbox.stop();
    return stopped;
  };
  return {
    ...service,
    wake: outbox.wake,
    stopSending,
    close: async () => {
      await stopSending();
      await service.close();
    },
  };
}

export function endpointFor(
  context: Context,
  queue: Queue,
  url: string,
  input: Partial<EndpointInput> = {},
): ReturnType<typeof createEndpoint> {
  return createEndpoint(context, guard, queue, { url, ...input });
}

/** Waits until this many deliveries of an endpoint are in this state. */
export async function inState(
  context: Context,
  endpointId: string,
  state: DeliveryState,
  count: number,
): Promise<void> {
  const ask = async () => {
    const { deliveries } = await listDeliveries(context, endpointId, { limit: 200, state });
    return deliveries.length;
  };
  assert.equal(await eventually(ask, (found) => found === count), count, `${state} deliveries`);
}

export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  assert.ok(await eventually(async () => isSo(), Boolean), `in vain: ${what}`);
}
