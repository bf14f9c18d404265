import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fairLookups } from './guard.ts';

/** A DNS that answers when the test says so. */
function slowDns() {
  const asked: string[] = [];
  const open = new Map<string, (addresses: string[] | Error) => void>();
  const resolve = fairLookups(
    (hostname) =>
      new Promise((done, fail) => {
        asked.push(hostname);
        open.set(hostname, (answer) => (answer instanceof Error ? fail(answer) : done(answer)));
      }),
  );
  const answer = (hostname: string, addresses: string[] | Error) => open.get(hostname)?.(addresses);
  const failOnce = async (hostname: string) => {
    const lookup = resolve(hostname);
    answer(hostname, new Error('no answer'));
    await assert.rejects(lookup, /no answer/);
  };
  return { asked, resolve, answer, failOnce };
}

describe('lookups', () => {
  it('of the same name at the same time are one', async () => {
    const { asked, resolve, answer } = slowDns();
    const both = [resolve('a.example'), resolve('a.example')];
    answer('a.example', ['1.1.1.1']);
    assert.deepEqual(await Promise.all(both), [['1.1.1.1'], ['1.1.1.1']]);
    const again = resolve('a.example');
    answer('a.example', ['2.2.2.2']);
    assert.deepEqual(await again, ['2.2.2.2']);
    assert.equal(asked.length, 2);
  });

  it('of names that did not resolve leave room for others, and take turns', async () => {
    const { asked, resolve, answer, failOnce } = slowDns();
    const dead = Array.from({ length: 20 }, (_, n) => `dead${n}.example`);
    for (const name of dead) await failOnce(name);
    asked.length = 0;
    const lookups = dead.map((name) => resolve(name));
    const healthy = resolve('healthy.example');
    answer('healthy.example', ['1.1.1.1']);
    assert.deepEqual(await healthy, ['1.1.1.1']);
    assert.deepEqual(asked, ['dead0.example', 'dead1.example', 'healthy.example']);
    for (const [n, lookup] of lookups.entries()) {
      answer(dead[n] as string, n === 7 ? ['7.7.7.7'] : new Error('no answer'));
      if (n === 7) assert.deepEqual(await lookup, ['7.7.7.7']);
      else await assert.rejects(lookup, /no answer/);
    }
    assert.equal(asked.length, 21);
    const recovered = resolve('dead7.example');
    assert.equal(asked.at(-1), 'dead7.example');
    answer('dead7.example', ['7.7.7.7']);
    assert.deepEqual(await recovered, ['7.7.7.7']);
  });
});
