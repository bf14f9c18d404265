import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DAY_MS } from '../lib/time.ts';
import { FLAKY_PATH, RECEIVER_HOST, startReceiver } from './receiver.ts';

it('loses a delivery that the health check tells of, whatever came before', async () => {
  for (const before of [9, 20, 150]) {
    const receiver = await startReceiver(0);
    const send = async (id: string, days: number) => {
      const { status } = await fetch(`http://${RECEIVER_HOST}:${receiver.port}${FLAKY_PATH}`, {
        method: 'POST',
        headers: { 'webhook-id': id, 'webhook-timestamp': String((Date.now() - days * DAY_MS) / 1000) },
      });
      return status;
    };
    for (let n = 0; n < before; n += 1) await send(`old ${n}`, 30);
    assert.equal(await send('lost', 5), 500);
    assert.equal(await send('lost', 4.5), 500, 'also when it is tried again');
    const others = await Promise.all([...Array(10).keys()].map((n) => send(`other ${n}`, 5)));
    assert.ok(
      others.every((status) => status !== 500),
      'and no other one soon',
    );
    await receiver.close();
  }
});
