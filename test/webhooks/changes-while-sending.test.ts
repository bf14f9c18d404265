import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { BEGIN_WITHIN_MS } from '../../src/outbox/delivery.ts';
import { setEndpointEnabled, updateEndpoint } from '../../src/webhooks/change-endpoints.ts';
import { rotateEndpointSecret } from '../../src/webhooks/endpoint-secrets.ts';
import { verifyDelivery } from '../../src/webhooks/signing.ts';
import { forEachEngine } from '../support/harness.ts';
import { ok, type Received, type Receiver, startReceiver } from '../support/receiver.ts';
import { endpointFor, guard, inState, startSending, until } from '../support/webhooks.ts';

const AT_ONCE = 16;

forEachEngine('concurrency', (engine) => {
  describe('changing an endpoint while deliveries to it wait for a slow receiver', () => {
    let service: Awaited<ReturnType<typeof startSending>>;
    let receiver: Receiver;
    let endpoint: string;
    let held: ServerResponse[];
    beforeEach(async () => {
      service = await startSending(engine);
      held = [];
      receiver = await startReceiver((_, response) => void held.push(response));
      const list = await service.waitlist();
      ({ id: endpoint } = await endpointFor(service.context, await list.queue(), receiver.url));
      await list.signup(...Array.from({ length: AT_ONCE + 4 }, (_, n) => ({ email: `e${n}@example.com` })));
      await until('as many as possible are on the wire', () => held.length === AT_ONCE);
      // What is claimed may begin within this time without asking the database again.
      await new Promise((resolve) => setTimeout(resolve, BEGIN_WITHIN_MS + 10));
    });
    afterEach(async () => {
      await service.close();
      await receiver.close();
    });

    const answerAll = () => {
      receiver.answer = ok;
      for (const response of held.splice(0)) response.end();
    };
    const isSignedWith = (secret: string, { headers, body, id }: Received) => {
      const signed = {
        id,
        timestamp: String(headers['wh-timestamp']),
        signature: String(headers['wh-signature']),
      };
      return verifyDelivery({ payload: body, headers: signed, secret }, service.clock.now).verified;
    };

    it('holds the rest once it is disabled', async () => {
      await setEndpointEnabled(service.context, endpoint, false);
      answerAll();
      await inState(service.context, endpoint, 'delivered', AT_ONCE);
      await service.stopSending();
      assert.equal(receiver.received.length, AT_ONCE);
      await inState(service.context, endpoint, 'held', 4);
    });

    it('sends the rest to the new URL', async () => {
      const moved = await startReceiver();
      try {
        await updateEndpoint(service.context, guard, endpoint, { url: moved.url });
        answerAll();
        await inState(service.context, endpoint, 'delivered', AT_ONCE + 4);
        assert.deepEqual([receiver.received.length, moved.received.length], [AT_ONCE, 4]);
      } finally {
        await moved.close();
      }
    });

    it('signs the rest with the new secret once the old one is revoked', async () => {
      const { secret } = await rotateEndpointSecret(service.context, endpoint, 0);
      answerAll();
      await inState(service.context, endpoint, 'delivered', AT_ONCE + 4);
      const rest = receiver.received.slice(AT_ONCE);
      assert.deepEqual(
        rest.map((delivery) => isSignedWith(secret, delivery)),
        [true, true, true, true],
      );
    });
  });
});
