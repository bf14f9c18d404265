import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Channel } from './channel.ts';
import type { Attempt, Delivery } from './delivery.ts';
import { RoundRobin, TargetState } from './round-robin.ts';
import type { Target } from './target.ts';

const channel = { name: 'webhook', atOnce: 4 } as Channel;
const target = (id: number): Target => ({ queueId: 1, channel: 'webhook', id: Buffer.of(id) });
const ids = (states: readonly TargetState[]) => states.map(({ target: { id } }) => id[0]);

function holding(state: TargetState, count: number): TargetState {
  state.waiting.push(...Array.from({ length: count }, () => ({}) as Delivery));
  return state;
}

describe('the round robin', () => {
  it('serves the targets that waited longest, in an order that every process shares', () => {
    const targets = new RoundRobin([channel]);
    targets.markReady([target(3), target(1), target(2)]);
    assert.deepEqual(ids(targets.next(2)), [1, 3]);
    assert.deepEqual(ids(targets.next(2)), [2, 3]);
    assert.deepEqual(ids(targets.next(2)), [1, 2]);
  });

  it('shares that order among queues whose targets have the same id, such as those of emails', () => {
    const email = { name: 'email', atOnce: 4 } as Channel;
    const emails = (queueId: number): Target => ({ queueId, channel: 'email', id: Buffer.from('mail') });
    const targets = new RoundRobin([email, channel]);
    targets.markReady([emails(3), target(1), emails(1), emails(2)]);
    assert.deepEqual(
      targets.next(4).map((state) => `${state.target.queueId} ${state.target.channel}`),
      ['1 email', '1 webhook', '2 email', '3 email'],
    );
  });

  it('skips targets of channels that are not running', () => {
    const targets = new RoundRobin([channel]);
    targets.markReady([{ ...target(1), channel: 'pigeon' }]);
    assert.equal(targets.canClaim, false);
  });

  it('serves an idle target at once when it has new deliveries, and a rate-limited one when its quota allows', () => {
    const targets = new RoundRobin([channel]);
    targets.markReady([target(1), target(2)]);
    for (const state of targets.next(2)) state.pausedUntil = Number.POSITIVE_INFINITY;
    for (const state of targets) state.ready = state.target.id[0] === 2;
    targets.wake([target(1), target(2)]);
    assert.deepEqual(ids(targets.next(2)), [1]);
    targets.resume();
    assert.deepEqual(ids(targets.next(2)), [1, 2]);
  });

  it('forgets only idle targets', () => {
    const targets = new RoundRobin([channel]);
    targets.markReady([target(1), target(2), target(3)]);
    for (const state of targets.next(3)) state.ready = state.target.id[0] === 2;
    for (const state of targets) if (state.target.id[0] === 3) holding(state, 1);
    targets.forgetIdle();
    assert.deepEqual(ids([...targets]), [2, 3]);
  });
});

describe('a target', () => {
  const attempt = (ok: boolean, durationMs: number): Attempt => ({
    ...{ ok, durationMs, status: null, error: null, response: null, retryAfterMs: 0 },
  });

  it('is sent one delivery at a time while it fails, and more as it recovers', () => {
    const state = new TargetState(target(1), channel);
    for (let i = 0; i < 5; i += 1) state.learn(attempt(false, 10));
    assert.deepEqual([state.atOnce, state.room], [1, 1]);
    for (let i = 0; i < 9; i += 1) state.learn(attempt(true, 10));
    assert.equal(state.atOnce, channel.atOnce);
  });

  it('has more deliveries claimed ahead the faster it responds', () => {
    const state = new TargetState(target(1), channel);
    assert.equal(state.room, 2 * channel.atOnce);
    for (let i = 0; i < 30; i += 1) state.learn(attempt(true, 10));
    assert.equal(state.room, 8 * channel.atOnce);
  });

  it('is claimed from again once half of what was claimed is done', () => {
    const state = new TargetState(target(1), channel);
    assert.equal(holding(state, 5).room, 0);
    state.waiting.pop();
    assert.equal(state.room, 4);
  });
});
