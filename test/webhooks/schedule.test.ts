import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DELAYS_MS } from '../../src/outbox/deliver.ts';
import { pruneEvents } from '../../src/outbox/prune.ts';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import type { Context } from '../../src/waitlist/queue/context.ts';
import { setEndpointEnabled } from '../../src/webhooks/change-endpoints.ts';
import { findEndpoint, readEndpoint } from '../../src/webhooks/endpoints.ts';
import { showDelivery } from '../../src/webhooks/list-deliveries.ts';
import { replayEvent } from '../../src/webhooks/replay.ts';
import { replayFailed } from '../../src/webhooks/replay-job.ts';
import { afterTest } from '../support/cleanup.ts';
import { forEachEngine, type List } from '../support/harness.ts';
import { type Answering, type Receiver, startReceiver, status } from '../support/receiver.ts';
import { endpointFor, inState, startSending, until } from '../support/webhooks.ts';

const showEndpoint = async (context: Context, id: string) => {
  const { queue, row } = await findEndpoint(context, id);
  return readEndpoint(queue, row);
};

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

forEachEngine('time', (engine) => {
  describe('a delivery that fails', () => {
    let service: Awaited<ReturnType<typeof startSending>>;
    let receiver: Receiver;
    let list: List;
    let endpoint: string;
    before(async () => {
      service = await startSending(engine);
    });
    after(() => service.close());

    /** One event, sent to a receiver that answers so. */
    const fail = async (answer: Answering): Promise<string> => {
      list = await service.waitlist();
      receiver = await startReceiver(answer);
      afterTest(receiver.close);
      endpoint = (await endpointFor(service.context, await list.queue(), receiver.url)).id;
      await list.signup({ email: 'ada@example.com' });
      await until('the first attempt', () => receiver.received.length === 1);
      return receiver.received[0]?.id ?? '';
    };
    const attempted = async (event: string, times: number, target = endpoint) => {
      const read = () => showDelivery(service.context, target, event);
      await until(`attempt ${times} in the log`, async () => (await read()).log.length === times);
      return read();
    };
    const nextIn = ({ nextAttemptAt }: { nextAttemptAt: number | null }) =>
      nextAttemptAt === null ? null : nextAttemptAt - service.clock.now;

    it('is retried on the schedule that Standard Webhooks recommends, ten attempts in all', async () => {
      const expected = [
        5 * SECOND,
        5 * MINUTE,
        30 * MINUTE,
        2 * HOUR,
        5 * HOUR,
        10 * HOUR,
        14 * HOUR,
        20 * HOUR,
        DAY,
      ];
      assert.deepEqual(DELAYS_MS, [0, ...expected]);
      service.clock.advance(SECOND - 1);
      const earlier = await fail(status(500));
      await attempted(earlier, 1);
      const earlierEndpoint = endpoint;
      service.clock.advance(1);
      const event = await fail(status(500, {}, 'out of order'));
      for (const [index, delay] of expected.entries()) {
        const delivery = await attempted(event, index + 1);
        assert.equal(delivery.state, 'pending');
        assert.equal(nextIn(delivery), delay);
        if (index < 2) {
          service.clock.advance(delay - 1);
          // What failed a millisecond earlier is due now. In the log, so that it failed before the clock moves on.
          await attempted(earlier, index + 2, earlierEndpoint);
          assert.equal(receiver.received.length, index + 1, 'not a millisecond too early');
          service.clock.advance(1);
        } else service.clock.advance(delay);
        await until(`attempt ${index + 2}`, () => receiver.received.length === index + 2);
      }
      const given = await attempted(event, 10);
      assert.equal(given.state, 'failed');
      assert.equal(given.nextAttemptAt, null);
      assert.deepEqual(
        new Set(given.log.map(({ status, error, response }) => `${status} ${error} ${response}`)),
        new Set(['500 answered 500 out of order']),
      );
      assert.equal(receiver.ids().size, 1);

      receiver.answer = status(204);
      assert.deepEqual(await replayEvent(service.context, endpoint, event), { replayed: 1 });
      const replayed = await attempted(event, 11);
      assert.equal(replayed.state, 'delivered');
      assert.equal(receiver.ids().size, 1);
    });

    it('waits as long as Retry-After asks, within bounds', async () => {
      const in10Minutes = () => new Date(service.clock.now + 10 * MINUTE).toUTCString();
      const cases: [string | (() => string), number][] = [
        ['120', 120 * SECOND],
        ['1', 5 * SECOND],
        [in10Minutes, 10 * MINUTE],
        ['soon', 5 * SECOND],
        ['-5', 5 * SECOND],
        ['1e9', 5 * SECOND],
        ['31536000', DAY],
        [() => new Date(service.clock.now + 365 * DAY).toUTCString(), DAY],
        [() => new Date(service.clock.now - DAY).toUTCString(), 5 * SECOND],
      ];
      for (const [value, wait] of cases) {
        const header = typeof value === 'string' ? value : value();
        const event = await fail(status(429, { 'retry-after': header }));
        assert.equal(nextIn(await attempted(event, 1)), wait, header);
      }
    });

    it('disables its endpoint on a 410, and is kept', async () => {
      const event = await fail(status(410));
      await attempted(event, 1);
      const { disabledAt, disabledReason } = await showEndpoint(service.context, endpoint);
      assert.deepEqual([disabledAt, disabledReason], [service.clock.now, 'answered 410 Gone']);
      await list.signup({ email: 'bob@example.com' });
      await inState(service.context, endpoint, 'held', 2);
      assert.equal(receiver.received.length, 1);
      receiver.answer = status(200);
      service.clock.advance(5 * SECOND);
      await setEndpointEnabled(service.context, endpoint, true);
      await inState(service.context, endpoint, 'delivered', 2);
    });

    it('disables its endpoint after five days without a success, with a log line', async () => {
      const event = await fail(status(503));
      await attempted(event, 1);
      service.clock.advance(5 * DAY - 1);
      await attempted(event, 2);
      assert.equal((await showEndpoint(service.context, endpoint)).disabledAt, null);
      service.clock.advance(5 * MINUTE);
      await attempted(event, 3);
      const view = await showEndpoint(service.context, endpoint);
      assert.equal(view.disabledReason, 'no delivery succeeded for 5 days');
      await inState(service.context, endpoint, 'held', 1);
      const notice = () =>
        service.log.find((line) => line.includes('webhook endpoint disabled') && line.includes(endpoint));
      await until('it is logged', () => notice() !== undefined);
      assert.match(notice() ?? '', /"level":"warn".*no delivery succeeded for 5 days/);
      receiver.answer = status(200);
      await setEndpointEnabled(service.context, endpoint, true);
      service.clock.advance(HOUR);
      await inState(service.context, endpoint, 'delivered', 1);
      const after = await showEndpoint(service.context, endpoint);
      assert.deepEqual([after.failingSince, after.disabledReason], [null, null]);
    });

    it('is logged when its endpoint starts to fail, and when it recovers', async (t) => {
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
      const event = await fail(status(503));
      await attempted(event, 1);
      t.mock.timers.tick(MINUTE); // A state is one line a minute.
      receiver.answer = status(200);
      service.clock.advance(5 * SECOND);
      await inState(service.context, endpoint, 'delivered', 1);
      const lines = () =>
        service.log
          .map((line) => JSON.parse(line) as Record<string, unknown>)
          .filter((line) => line.endpoint === endpoint)
          .map(({ level, state, reason }) => ({ level, state, reason }));
      await until('it is logged', () => lines().length >= 2);
      assert.deepEqual(lines(), [
        { level: 'warn', state: 'failing', reason: 'answered 503' },
        { level: 'info', state: 'ok', reason: undefined },
      ]);
    });

    it('can be replayed with all others that failed since a given time', async () => {
      const event = await fail(status(500));
      await list.signup({ email: 'bob@example.com' });
      await until('both', () => receiver.received.length === 2);
      const failedAt = (offset: number) => ({ failed_at: service.clock.now + offset, due_at: null });
      const queueId = (await list.queue()).id;
      const update = service.context.db.query.updateTable('delivery').where('queue_id', '=', queueId);
      await attempted(event, 1);
      await inState(service.context, endpoint, 'pending', 2);
      await attempted(receiver.received[1]?.id ?? '', 1);
      await update.set(failedAt(-HOUR)).execute();
      receiver.answer = status(200);
      const since = service.clock.now - 30 * MINUTE;
      assert.deepEqual(await replayFailed(service.context, endpoint, since), { replayed: 0 });
      assert.deepEqual(await replayFailed(service.context, endpoint, since - HOUR), { replayed: 2 });
      await inState(service.context, endpoint, 'delivered', 2);
      assert.equal(receiver.ids().size, 2);
    });

    it('is not sent once the person it is about is erased', async () => {
      const event = await fail(status(500, {}, 'you sent ada@example.com'));
      await attempted(event, 1);
      // Before the removal: it is told at once, and refused it would be told again when the clock moves.
      receiver.answer = status(200);
      await eraseEntry(service.context, await list.queue(), 'ada@example.com');
      const erased = await showDelivery(service.context, endpoint, event);
      assert.deepEqual([erased.request.body, erased.log[0]?.response], [null, null]);
      service.clock.advance(5 * SECOND);
      const { state, log } = await attempted(event, 2);
      assert.deepEqual([state, log[1]?.error], ['failed', 'not sent: its content was erased']);
      await assert.rejects(replayEvent(service.context, endpoint, event), /was erased/);
      await until('the removal itself', () => receiver.received.length === 2);
      const { data } = JSON.parse(receiver.received[1]?.body ?? '') as { data: { entry: object } };
      assert.deepEqual(Object.keys(data.entry), ['id']);
    });

    it('is deleted with its log after the retention period', async () => {
      await fail(status(200));
      await inState(service.context, endpoint, 'delivered', 1);
      service.clock.advance(DAY);
      await list.signup({ email: 'bob@example.com' });
      await inState(service.context, endpoint, 'delivered', 2);
      service.clock.advance(29 * DAY + 1);
      await service.stopSending();
      const count = await pruneEvents(service.context, 30 * DAY);
      assert.ok(count >= 1);
      const queueId = (await list.queue()).id;
      for (const table of ['event', 'event_subject', 'delivery', 'delivery_attempt'] as const) {
        const rows = await service.context.db.query
          .selectFrom(table)
          .select('queue_id')
          .where('queue_id', '=', queueId)
          .execute();
        assert.equal(rows.length, 1, table);
      }
    });
  });
});
