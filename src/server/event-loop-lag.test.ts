import assert from 'node:assert/strict';
import perfHooks from 'node:perf_hooks';
import { it } from 'node:test';
import type { Context } from '../waitlist/queue/context.ts';
import type { Signups } from '../waitlist/signup/signup.ts';
import { createMetrics } from './metrics.ts';

it('the delay of the event loop is measured without waking an idle process', async (test) => {
  const monitor = test.mock.method(perfHooks, 'monitorEventLoopDelay');
  const db = { engine: 'sqlite', connections: () => null, probe: () => Promise.reject(new Error('none')) };
  const context = { db, log: { warn: () => {}, info: () => {} } } as unknown as Context;
  const signups = { waiting: () => 0, mostWaiting: 0 } as Signups;
  const page = createMetrics().over({
    ...{ context, signups, others: async () => [], checkHealth: async () => [] },
  });
  const options = monitor.mock.calls.map(({ arguments: [given] }) => given);
  assert.ok(options.length > 0);
  for (const { resolution = 0, samplePerIteration = false } of options.map((given) => given ?? {}))
    assert.ok(samplePerIteration || resolution > 24 * 60 * 60 * 1000, 'wakes at most once a day');
  await new Promise((resolve) => setImmediate(resolve));
  const text = await page.read();
  for (const name of ['', '_min', '_max', '_mean', '_stddev', '_p50', '_p90', '_p99']) {
    assert.equal(text.match(new RegExp(`^nodejs_eventloop_lag${name}_seconds \\d`, 'gm'))?.length, 1, name);
  }
});
