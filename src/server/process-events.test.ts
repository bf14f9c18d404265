import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import path from 'node:path';
import { describe, it } from 'node:test';
import { watchStopSignals } from './process-events.ts';

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

/** In a process of its own, because the test runner counts such rejections as failures. */
const SCRIPT = `
  const { watchRejections } = await import(${JSON.stringify(path.join(import.meta.dirname, 'process-events.ts'))});
  const lines = [];
  let counted = 0;
  const log = { error: (fields, text) => lines.push({ ...fields, text }) };
  const stop = watchRejections(log, { unhandledRejection: () => { counted += 1; } });
  void Promise.reject(new TypeError('the batch failed'));
  void Promise.reject('no error at all');
  await new Promise((resolve) => setImmediate(resolve));
  process.stdout.write(JSON.stringify({ lines, counted }));
  stop();
`;

function run(script: string) {
  return spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
}

describe('rejections that nobody handles', () => {
  it('are logged with what they were, and counted, and the process goes on', () => {
    const { status, stdout, stderr } = run(SCRIPT);
    assert.equal(status, 0, stderr);
    const { lines, counted } = JSON.parse(stdout);
    assert.equal(counted, 2);
    const [first, second] = lines;
    assert.equal(first.text, 'nobody handled the rejection of a promise');
    assert.deepEqual([first.error, first.reason], ['TypeError', 'the batch failed']);
    assert.match(first.stack, /TypeError: the batch failed\n {4}at /);
    assert.equal(second.reason, 'no error at all');
  });

  it('end a process that does not watch them, as Node does', () => {
    assert.equal(run(`${SCRIPT}\nvoid Promise.reject(new Error('afterwards'));`).status, 1);
  });
});
