import { formatId } from '../lib/ids.ts';
import { readAlerts } from '../operators/alerts.ts';
import type { OperatorContext } from '../operators/context.ts';
import type { Channel } from '../outbox/channel.ts';
import { type Attempt, responseRow } from '../outbox/delivery.ts';
import { INSTALLATION_ID, type Target } from '../outbox/target.ts';
import { MustNotBegin } from './requests.ts';
import { DEADLINE_MS, type Sender } from './send.ts';

export const ALERT_CHANNEL = 'alert';

export const ALERT_TARGET: Target = {
  queueId: INSTALLATION_ID,
  channel: ALERT_CHANNEL,
  id: Buffer.from('alert'),
};

/** There is no address any more. */
const NOT_WANTED: Attempt<never> = {
  ...{ ok: true, status: null, error: null, response: null },
  ...{ durationMs: 0, retryAfterMs: 0 },
};

interface Setup {
  url: string | null;
}

/** Posts alerts about the installation's health to the address that operators chose. They are not signed. */
export function alertChannel(
  context: OperatorContext,
  sender: Sender,
  deadlineMs: number = DEADLINE_MS,
): Channel<Setup> {
  const { vault, clock } = context;
  return {
    name: ALERT_CHANNEL,
    deadlineMs,
    atOnce: 1,
    prepare: async (targets) => {
      const { webhookUrl: url } = await readAlerts(context);
      return async () => targets.map(() => ({ setup: { url } }));
    },
    charge: async () => {},
    send: async (delivery, sealedBody) => {
      const { setup, eventId, permit, target } = delivery;
      if (setup.url === null) return NOT_WANTED;
      const body = vault.open<string>('event.body', eventId, sealedBody);
      const outgoing = { url: setup.url, headers: {}, keys: [], id: formatId('evt', eventId), body };
      while (await permit.renew()) {
        try {
          const { response, ...rest } = await sender.send(outgoing, clock(), permit.isGiven);
          const seal = (text: string) => vault.seal('delivery.response', responseRow(target, delivery), text);
          return { ...rest, response: response === null ? null : seal(response) };
        } catch (error) {
          if (!(error instanceof MustNotBegin)) throw error; // Connecting took too long: renew the permit.
        }
      }
      return undefined;
    },
    settle: async () => undefined,
    close: async () => {}, // The sender is that of the webhooks.
  };
}
