import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { startOutbox } from '../../src/installation/start-outbox.ts';
import { parseId } from '../../src/lib/ids.ts';
import { changeSettings } from '../../src/waitlist/queue/change-settings.ts';
import { deleteEndpoint } from '../../src/webhooks/change-endpoints.ts';
import { listEndpoints } from '../../src/webhooks/endpoints.ts';
import { listDeliveries } from '../../src/webhooks/list-deliveries.ts';
import { afterTest } from '../support/cleanup.ts';
import { forEachEngine, startService } from '../support/harness.ts';
import { startReceiver } from '../support/receiver.ts';
import { endpointFor, inState, LOOPBACK, startSending, until } from '../support/webhooks.ts';

forEachEngine('claims', (engine) => {
  describe('the dispatcher', () => {
    it('delivers to other endpoints while one hangs with a backlog', async () => {
      const service = await startSending(engine, { dispatcher: { drainMs: 0 } });
      afterTest(service.close);
      const list = await service.waitlist();
      const queue = await list.queue();
      const good = await startReceiver();
      afterTest(good.close);
      // On a busy machine some are given up meanwhile, and others take their places.
      const open = new Set<ServerResponse>();
      let mostOpen = 0;
      const hanging = await startReceiver((_, response) => {
        open.add(response);
        mostOpen = Math.max(mostOpen, open.size);
        response.on('close', () => open.delete(response));
      });
      afterTest(hanging.close);
      await endpointFor(service.context, queue, `${hanging.url}/hang`);
      const others = await Promise.all(
        Array.from({ length: 5 }, (_, i) => endpointFor(service.context, queue, `${good.url}/${i}`)),
      );
      for (let batch = 0; batch < 2; batch += 1) {
        await list.signup(
          ...Array.from({ length: 100 }, (_, i) => ({ email: `b${batch}e${i}@example.com` })),
        );
      }
      await until(`all of them, not ${good.received.length}`, () => good.received.length === 1_000);
      for (const { id } of others) await inState(service.context, id, 'delivered', 200);
      assert.ok(mostOpen <= 16, `${mostOpen} places for one endpoint`);
    });

    it('delivers to other endpoints while the settings of one cannot be decrypted', async () => {
      const service = await startSending(engine);
      afterTest(service.close);
      const list = await service.waitlist();
      const queue = await list.queue();
      const receiver = await startReceiver();
      afterTest(receiver.close);
      const damaged = await endpointFor(service.context, queue, `${receiver.url}/damaged`);
      const good = await endpointFor(service.context, queue, `${receiver.url}/good`);
      const settings = () =>
        service.context.db.query
          .updateTable('webhook_endpoint')
          .where('queue_id', '=', queue.id)
          .where('id', '=', parseId('whe', damaged.id) ?? Buffer.alloc(0));
      const { sealed } = await service.context.db.query
        .selectFrom('webhook_endpoint')
        .select('sealed')
        .where('id', '=', parseId('whe', damaged.id) ?? Buffer.alloc(0))
        .executeTakeFirstOrThrow();
      await settings()
        .set({ sealed: Buffer.from('damaged') })
        .execute();
      await list.signup({ email: 'a@example.com' });
      await inState(service.context, good.id, 'delivered', 1);
      assert.match(service.log.join(''), new RegExp(`${damaged.id}.*cannot be decrypted`));
      assert.deepEqual(
        receiver.received.map(({ url }) => url),
        ['/good'],
      );
      await settings().set({ sealed }).execute();
      service.wake();
      await inState(service.context, damaged.id, 'delivered', 1);
    });

    it('delivers for other queues while the keys of one cannot be decrypted', async () => {
      const service = await startSending(engine);
      afterTest(service.close);
      const { db } = service.context;
      const [hurt, well] = [await service.waitlist(), await service.waitlist()];
      const receiver = await startReceiver();
      afterTest(receiver.close);
      const [{ id: hurtId }, wellQueue] = [await hurt.queue(), await well.queue()];
      await endpointFor(service.context, await hurt.queue(), `${receiver.url}/hurt`);
      const endpoint = await endpointFor(service.context, wellQueue, `${receiver.url}/well`);
      await service.stopSending();
      await hurt.signup({ email: 'a@example.com' });
      await well.signup({ email: 'a@example.com' });
      await changeSettings(service.context, (trx) =>
        trx
          .updateTable('queue')
          .set({ wrapped_keys: Buffer.from('damaged') })
          .where('id', '=', hurtId)
          .execute(),
      );
      const outbox = await startOutbox({ ...service.context }, service.config, { pollMs: 50 });
      afterTest(outbox.stop);
      await inState(service.context, endpoint.id, 'delivered', 1);
      assert.match(service.log.join(''), /its keys cannot be decrypted/);
      const left = await db.query
        .selectFrom('delivery')
        .select('due_at')
        .where('queue_id', '=', hurtId)
        .execute();
      assert.ok(left.every(({ due_at }) => due_at !== null));
    });

    it('finishes requests in flight before it stops, and releases unsent claims', async () => {
      const service = await startSending(engine);
      afterTest(service.close);
      const list = await service.waitlist();
      const held: ServerResponse[] = [];
      const receiver = await startReceiver((_, response) => void held.push(response));
      afterTest(receiver.close);
      const queue = await list.queue();
      const endpoints = [1, 2].map((n) => endpointFor(service.context, queue, `${receiver.url}/${n}`));
      const ids = (await Promise.all(endpoints)).map(({ id }) => id);
      await list.signup(...Array.from({ length: 40 }, (_, i) => ({ email: `e${i}@example.com` })));
      await until('a beginning', () => receiver.received.length === 32);
      const stopped = service.stopSending();
      for (const response of held) response.end();
      await stopped;
      assert.equal(receiver.received.length, 32);
      const now = new Date(service.clock.now).toISOString();
      for (const id of ids) {
        await inState(service.context, id, 'delivered', 16);
        const { deliveries } = await listDeliveries(service.context, id, { limit: 200, state: 'pending' });
        assert.deepEqual(new Set(deliveries.map(({ attempts }) => attempts)), new Set([0]));
        assert.deepEqual(
          new Set(deliveries.map(({ nextAttemptAt }) => nextAttemptAt)),
          new Set([Date.parse(now)]),
        );
      }
    });

    it('delivers what another process recorded', async () => {
      const recording = await startService(engine, { environment: LOOPBACK });
      afterTest(recording.close);
      const sending = await startService(engine, { environment: LOOPBACK, storage: recording.storage });
      afterTest(sending.close);
      // PostgreSQL notifies it, so it need not poll within this test; on SQLite it polls all the time.
      const pollMs = engine === 'postgres' ? 600_000 : 1_000;
      const outbox = await startOutbox(sending.context, sending.config, { pollMs });
      afterTest(outbox.stop);
      const list = await recording.waitlist();
      const receiver = await startReceiver();
      afterTest(receiver.close);
      const { id } = await endpointFor(recording.context, await list.queue(), receiver.url);
      await list.signup({ email: 'ada@example.com' });
      await inState(recording.context, id, 'delivered', 1);
      assert.equal(receiver.received.length, 1);
      await list.signup({ email: 'bob@example.com' }); // The dispatcher has nothing to do by now.
      await until('the delivery', () => receiver.received.length === 2);
    });

    it('sends nothing more to a deleted endpoint, and deletes its deliveries', async () => {
      const service = await startSending(engine);
      afterTest(service.close);
      const list = await service.waitlist();
      const queue = await list.queue();
      const receiver = await startReceiver((_, response) => {
        response.statusCode = 500;
        response.end();
      });
      afterTest(receiver.close);
      const { id } = await endpointFor(service.context, queue, receiver.url);
      await list.signup({ email: 'ada@example.com' }, { email: 'bob@example.com' });
      await until('both', () => receiver.received.length === 2);
      await service.stopSending();
      await deleteEndpoint(service.context, id);
      assert.deepEqual(await listEndpoints(service.context, queue), []);
      for (const table of ['delivery', 'delivery_attempt'] as const)
        assert.deepEqual(await service.context.db.query.selectFrom(table).select('event_id').execute(), []);
      const events = () => service.context.db.query.selectFrom('event').select('id').execute();
      const before = (await events()).length;
      await list.signup({ email: 'cyd@example.com' });
      assert.equal((await events()).length, before, 'nobody listens any more');
    });
  });
});
