import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Unreadable } from './crypto.ts';
import { newVaultKeys, queueVault } from './vault.ts';

const keys = newVaultKeys();
const vault = queueVault('tag001', keys);
const row = Buffer.from('row');

describe('a queue vault', () => {
  it('opens what it sealed, but only for the same column, row and queue', () => {
    const sealed = vault.seal('entry.person', row, { email: 'ada@example.com' });
    assert.deepEqual(vault.open('entry.person', row, sealed), { email: 'ada@example.com' });
    assert.throws(() => vault.open('invite.sealed', row, sealed), Unreadable);
    assert.throws(() => vault.open('entry.person', Buffer.from('rox'), sealed), Unreadable);
    assert.throws(() => queueVault('tag002', keys).open('entry.person', row, sealed), Unreadable);
    assert.throws(() => queueVault('tag001', newVaultKeys()).open('entry.person', row, sealed), Unreadable);
  });

  it('gives equal values equal hashes, but not across purposes or queues', () => {
    assert.deepEqual(vault.hash('email', 'x'), queueVault('tag001', keys).hash('email', 'x'));
    assert.notDeepEqual(vault.hash('email', 'x'), vault.hash('phone', 'x'));
    assert.notDeepEqual(vault.hash('email', 'x'), queueVault('tag001', newVaultKeys()).hash('email', 'x'));
  });
});
