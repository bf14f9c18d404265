import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { it } from 'node:test';
import { watchStopSignals } from './stop-signals.ts';

function watch() {
  const source = new EventEmitter();
  const clock = { now: 1_000 };
  const { first, second } = watchStopSignals(undefined, source as NodeJS.Process, () => clock.now);
  const seen: string[] = [];
  first.then((signal) => seen.push(`first ${signal}`));
  second.then((signal) => seen.push(`second ${signal}`));
  const send = async (signal: NodeJS.Signals, afterMs: number) => {
    clock.now += afterMs;
    source.emit(signal, signal);
    await Promise.resolve();
    return seen;
  };
  return send;
}

it('the same signal right after the first is the first again', async () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const send = watch();
    await send(signal, 0);
    assert.deepEqual(await send(signal, 300), [`first ${signal}`]);
    assert.deepEqual(await send(signal, 800), [`first ${signal}`, `second ${signal}`]);
  }
});

it('another signal is a second one at any time', async () => {
  const send = watch();
  await send('SIGTERM', 0);
  assert.deepEqual(await send('SIGINT', 0), ['first SIGTERM', 'second SIGINT']);
});
