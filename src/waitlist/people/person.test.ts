import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { QueueVault } from '../../vault/vault.ts';
import { metadataPairs, pairsMeant } from './person.ts';

/** Hashes that can be read. */
const vault = { hash: (_purpose: string, text: string) => Buffer.from(text) } as unknown as QueueVault;

function textsOf(hashes: readonly Buffer[]): string[] {
  return hashes.map(String);
}

describe('pairs of metadata', () => {
  it('are the texts, numbers and booleans at the top', () => {
    const metadata = { plan: 'pro', seats: 5, beta: false, team: { size: 3 }, tags: ['a'], none: null };
    const expected = ['["plan","pro"]', '["seats",5]', '["beta",false]'];
    assert.deepEqual(textsOf(metadataPairs(vault, metadata)), expected);
  });

  for (const [text, meant] of [
    ['pro', ['"pro"']],
    ['true', ['"true"', 'true']],
    ['5', ['"5"', '5']],
    ['-1.5e3', ['"-1.5e3"', '-1500']],
    ['05', ['"05"']],
    ['0x3', ['"0x3"']],
    ['5.', ['"5."']],
    ['1e999', ['"1e999"']],
    [' 5', ['" 5"']],
    ['', ['""']],
  ] as const)
    it(`that ${JSON.stringify(text)} can mean are ${meant.join(' and ')}`, () => {
      assert.deepEqual(
        textsOf(pairsMeant(vault, 'k', text)),
        meant.map((value) => `["k",${value}]`),
      );
    });
});
