import assert from 'node:assert/strict';
import perfHooks from 'node:perf_hooks';
import { describe, it } from 'node:test';
import type { AnyFinding } from '../installation/health.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Signups } from '../waitlist/signup/signup.ts';
import { createHealthLook } from './gauges.ts';
import { createMetrics } from './metrics.ts';

const MINUTE_MS = 60_000;
const PATIENT_MS = 60_000;

function looking(check: () => Promise<AnyFinding[]>) {
  const clock = { now: 1_000 };
  const look = createHealthLook(check, () => clock.now);
  return { clock, look: () => look(PATIENT_MS, 'too long'), impatient: () => look(0, 'too long') };
}

describe('the look at health for metrics', () => {
  it('has the worst of each check, and nothing of what nobody looked at', async () => {
    const found: AnyFinding[] = [
      { what: 'database', ok: true, detail: '' },
      { what: 'wave', ok: false, detail: '' },
      { what: 'wave', ok: true, level: 'warning', detail: '' },
      { what: 'backup', ok: true, level: 'warning', detail: '' },
      { what: 'webhook endpoint', ok: false, level: 'warning', detail: '' },
      { what: 'mail server', ok: true, level: 'unchecked', detail: '' },
    ];
    const { checks, at } = await looking(async () => found).look();
    assert.deepEqual(Object.fromEntries(checks), {
      ...{ database: 0, wave: 2, backup: 1 },
      'webhook endpoint': 1,
    });
    assert.equal(at, 1_000);
  });

  it('is made once a minute, and says when', async () => {
    let looks = 0;
    const { clock, look } = looking(async () => {
      looks += 1;
      return [];
    });
    await look();
    clock.now += MINUTE_MS - 1;
    assert.equal((await look()).at, 1_000);
    clock.now += 1;
    assert.equal((await look()).at, 1_000 + MINUTE_MS);
    assert.equal(looks, 2);
  });

  it('that fails is not replaced by an old one, and is tried again', async () => {
    let fails = false;
    const { clock, look } = looking(async () => {
      if (fails) throw new Error('no database');
      return [];
    });
    await look();
    clock.now += MINUTE_MS;
    fails = true;
    await assert.rejects(look(), /no database/);
    await assert.rejects(look(), /no database/);
    fails = false;
    assert.equal((await look()).at, clock.now);
  });

  it('that takes too long goes on, alone, and is there for the next one who asks', async () => {
    let looks = 0;
    let answer = (_: AnyFinding[]) => {};
    const { clock, look, impatient } = looking(() => {
      looks += 1;
      return new Promise((resolve) => {
        answer = resolve;
      });
    });
    await assert.rejects(impatient(), { code: 'unavailable' });
    clock.now += 2 * MINUTE_MS;
    await assert.rejects(impatient(), { code: 'unavailable' });
    assert.equal(looks, 1);
    const late = look();
    answer([]);
    assert.equal((await late).at, 1_000);
  });
});

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
