import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commandList, knownCommands, RENEW } from '../support/command-list.ts';

describe('the commands and their flags', () => {
  it('are those of the list, because a new field of an operation is a new flag', async () => {
    const [known, now] = [knownCommands(), await commandList()];
    assert.equal(now, known, `If this is wanted, renew the list: ${RENEW}`);
  });
});
