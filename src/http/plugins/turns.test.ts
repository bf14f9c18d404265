import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pageTurns } from './turns.ts';

describe('pages', () => {
  it('give way for a moment only, however long the database takes', async () => {
    const given: number[] = [];
    const turn = pageTurns({ giveWay: async (ms) => void given.push(ms) });
    await turn('a', () => sleep(30));
    await turn('a', async () => {});
    assert.deepEqual(given, [0, 100]);
  });
});
