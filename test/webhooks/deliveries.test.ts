import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { VERSION } from '../../src/lib/root.ts';
import { revokeInvite } from '../../src/waitlist/invites/end-invites.ts';
import { setEndpointEnabled, updateEndpoint } from '../../src/webhooks/change-endpoints.ts';
import { rotateEndpointSecret } from '../../src/webhooks/endpoint-secrets.ts';
import { showDelivery } from '../../src/webhooks/list-deliveries.ts';
import { sendTestEvent } from '../../src/webhooks/replay.ts';
import { afterTest } from '../support/cleanup.ts';
import { forEachEngine, type List } from '../support/harness.ts';
import { type Received, type Receiver, startReceiver, status } from '../support/receiver.ts';
import { endpointFor, guard, inState, startSending, until } from '../support/webhooks.ts';

interface Body {
  event: string;
  id: string;
  timestamp: string;
  environment: string;
  waitlist: { id: string; name: string };
  data: Record<string, unknown> & { entry: Record<string, unknown> | null };
}

const parse = ({ body }: Received) => JSON.parse(body) as Body;

/** As any receiver with a Standard Webhooks library would. */
function verifies({ body, headers }: Received, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

forEachEngine('claims', (engine) => {
  describe('a delivery', () => {
    let service: Awaited<ReturnType<typeof startSending>>;
    let receiver: Receiver;
    let list: List;
    before(async () => {
      service = await startSending(engine, { startAt: Date.now() });
    });
    after(() => service.close());

    const setUp = async (input: Parameters<typeof endpointFor>[3] = {}) => {
      list = await service.waitlist({ name: 'Acme & Söhne' });
      receiver = await startReceiver();
      afterTest(receiver.close);
      return endpointFor(service.context, await list.queue(), receiver.url, input);
    };
    const arrived = (count: number) =>
      until(`${count} deliveries, not ${receiver.received.length}`, () => receiver.received.length >= count);

    it('has the documented body for every kind of event', async () => {
      await setUp();
      const steps: (() => Promise<unknown>)[] = [];
      let invite = {} as Awaited<ReturnType<typeof list.invite>>;
      let second = invite;
      let invitedAt = '';
      steps.push(() => list.signup({ email: 'ada@example.com', metadata: { plan: 'pro' } }));
      steps.push(() => list.signup({ email: 'bob@example.com', referredBy: 'ada@example.com' }));
      steps.push(async () => {
        invitedAt = new Date(service.clock.now).toISOString();
        invite = await list.invite('bob@example.com');
      });
      steps.push(() => revokeInvite(service.context, invite.id));
      steps.push(async () => {
        second = await list.invite('nobody@example.com', { expiresAt: service.clock.now + 60_000 });
      });
      steps.push(() => service.accept(second.code));
      for (const step of steps) {
        await step();
        service.clock.advance(1); // Ids of events begin with their time.
      }
      await arrived(7);

      const told = receiver.received
        .map(parse)
        .sort((a, b) => a.id.localeCompare(b.id))
        .map((body) => {
          assert.deepEqual(Object.keys(body), [
            'event',
            'id',
            'timestamp',
            'environment',
            'waitlist',
            'data',
          ]);
          assert.match(body.id, /^evt_[0-9a-z]{26}$/);
          assert.match(body.timestamp, /^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/);
          assert.equal(body.environment, 'production');
          assert.deepEqual(body.waitlist, { id: list.id, name: 'Acme & Söhne' });
          return body;
        });
      assert.deepEqual(
        told.map(({ event }) => event),
        [
          ...['signup.created', 'signup.created', 'referral.credited'],
          ...['invite.sent', 'invite.revoked', 'invite.sent', 'invite.accepted'],
        ],
      );
      const { body: ada } = await list.lookup('ada@example.com');
      const { body: bob } = await list.lookup('bob@example.com');
      assert.deepEqual(told[0]?.data, { entry: { ...ada, referrals: 0 } });
      assert.deepEqual(told[1]?.data, { entry: bob });
      assert.deepEqual(told[2]?.data, { entry: ada, referred: bob.id });
      const invited = { id: invite.id, email: 'bob@example.com', expiresAt: null };
      const invitedBob = { ...bob, status: 'invited', position: null, invitedAt };
      assert.deepEqual(told[3]?.data, { invite: invited, entry: invitedBob });
      assert.deepEqual(told[4]?.data, { invite: invited, entry: bob });
      const stranger = { id: second.id, email: 'nobody@example.com', expiresAt: second.expiresAt };
      assert.deepEqual(told[5]?.data, { invite: stranger, entry: null });
      assert.deepEqual(told[6]?.data, { invite: stranger, entry: null });
      for (const code of [invite.code, second.code])
        assert.ok(receiver.received.every(({ body }) => !body.includes(code)));
    });

    it('can be verified by Standard Webhooks libraries and by our own endpoint', async () => {
      const { secret } = await setUp();
      await list.signup(...Array.from({ length: 25 }, (_, i) => ({ email: `é${i}@example.com` })));
      await arrived(25);
      for (const delivery of receiver.received) {
        const { headers, body } = delivery;
        assert.ok(verifies(delivery, secret));
        assert.equal(headers['user-agent'], `Doorlist/${VERSION}`);
        assert.equal(headers['content-type'], 'application/json');
        for (const name of ['id', 'timestamp', 'signature'])
          assert.equal(headers[`wh-${name}`], headers[`webhook-${name}`]);
        assert.equal(headers['wh-id'], parse(delivery).id);
        const answer = await service.verify({
          payload: body,
          headers: {
            id: headers['wh-id'],
            timestamp: headers['wh-timestamp'],
            signature: headers['wh-signature'],
          },
          webhookSecret: secret,
        });
        assert.deepEqual(answer.body, { verified: true, event: parse(delivery) });
      }
      assert.equal(receiver.ids().size, 25);
    });

    it('has the same id and the same bytes at each attempt, and a fresh timestamp', async () => {
      const { id } = await setUp();
      receiver.answer = status(500);
      await list.signup({ email: 'ada@example.com' });
      await arrived(1);
      const event = receiver.received[0]?.id ?? '';
      await until('the attempt is in the log', async () => {
        const { log } = await showDelivery(service.context, id, event);
        return log.length === 1;
      });
      await list.signup({ email: 'bob@example.com', referredBy: 'ada@example.com' }); // The entry is another now.
      receiver.answer = status(200);
      await arrived(3);
      service.clock.advance(5_000);
      await arrived(4);
      const attempts = receiver.received.filter((one) => one.id === receiver.received[0]?.id);
      assert.equal(attempts.length, 2);
      assert.equal(attempts[0]?.body, attempts[1]?.body);
      const [first, second] = attempts.map(({ headers }) => Number(headers['wh-timestamp']));
      assert.equal(second, (first ?? 0) + 5);
      await inState(service.context, id, 'delivered', 3);
    });

    it('goes only to endpoints of its queue that subscribe to its kind', async () => {
      const { id } = await setUp({ events: ['invite.sent'] });
      const other = await service.waitlist();
      await other.signup({ email: 'ada@example.com' });
      await list.signup({ email: 'ada@example.com' });
      await list.invite('ada@example.com', { environment: 'development' });
      await list.invite('ada@example.com');
      await arrived(1);
      await inState(service.context, id, 'delivered', 1);
      assert.deepEqual(
        receiver.received.map(parse).map(({ event }) => event),
        ['invite.sent'],
      );
    });

    it('is not recorded when no endpoint subscribes to it', async () => {
      await setUp({ events: ['invite.sent'] });
      await list.signup({ email: 'ada@example.com' });
      const recorded = await service.context.db.query
        .selectFrom('event')
        .select('kind')
        .where('queue_id', '=', (await list.queue()).id)
        .execute();
      assert.deepEqual(recorded, []);
    });

    it('carries custom headers', async () => {
      await setUp({ headers: { Authorization: 'Bearer abc', 'X-Team': 'growth' } });
      await list.signup({ email: 'ada@example.com' });
      await arrived(1);
      assert.equal(receiver.received[0]?.headers.authorization, 'Bearer abc');
      assert.equal(receiver.received[0]?.headers['x-team'], 'growth');
    });

    it('is signed by both secrets during a rotation, and by the new one alone after it', async () => {
      const { id, secret: old } = await setUp();
      const { secret: fresh } = await rotateEndpointSecret(service.context, id, 60_000);
      await list.signup({ email: 'ada@example.com' });
      await arrived(1);
      assert.deepEqual(
        [old, fresh].map((secret) => verifies(receiver.received[0] as Received, secret)),
        [true, true],
      );
      await inState(service.context, id, 'delivered', 1); // Else the leap ends its lease.
      service.clock.advance(60_000);
      await list.signup({ email: 'bob@example.com' });
      await arrived(2);
      assert.deepEqual(
        [old, fresh].map((secret) => verifies(receiver.received[1] as Received, secret)),
        [false, true],
      );
      const { secret: last } = await rotateEndpointSecret(service.context, id, 0);
      await list.signup({ email: 'cyd@example.com' });
      await arrived(3);
      assert.deepEqual(
        [fresh, last].map((secret) => verifies(receiver.received[2] as Received, secret)),
        [false, true],
      );
      service.clock.advance(-60_000);
    });

    it('is held while its endpoint is disabled, and sent when it is enabled again', async () => {
      const { id } = await setUp();
      await setEndpointEnabled(service.context, id, false);
      await list.signup({ email: 'ada@example.com' });
      await inState(service.context, id, 'held', 1);
      await setEndpointEnabled(service.context, id, true);
      await arrived(1);
      await inState(service.context, id, 'delivered', 1);
    });

    it("goes to the endpoint's current URL", async () => {
      const { id } = await setUp();
      await updateEndpoint(service.context, guard, id, { url: `${receiver.url}/moved?a=b` });
      await list.signup({ email: 'ada@example.com' });
      await arrived(1);
      assert.equal(receiver.received[0]?.url, '/moved?a=b');
    });

    it('can be a test event', async () => {
      const { id } = await setUp({ events: ['invite.sent'] });
      const { event } = await sendTestEvent(service.context, id);
      await arrived(1);
      const body = parse(receiver.received[0] as Received);
      assert.equal(body.event, 'webhook.test');
      assert.equal(body.id, event);
    });

    it('respects the rate limit of its endpoint', async () => {
      await setUp({ rateLimit: 5 });
      await list.signup(...Array.from({ length: 12 }, (_, i) => ({ email: `e${i}@example.com` })));
      await arrived(5);
      assert.equal(receiver.received.length, 5, 'a second’s worth at once, and then no more');
      service.clock.advance(400);
      await arrived(7);
      assert.equal(receiver.received.length, 7);
      service.clock.advance(5_000);
      await arrived(12);
    });
  });
});
