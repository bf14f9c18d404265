import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextAddress } from '../../web/src/pages/sign-in/next-address.ts';

const ORIGIN = 'https://waitlist.example.com';

describe('the address after signing in', () => {
  it('is the one that was asked for', () => {
    const next = '/waitlists/wl_acme/queue?environment=development&status=joined';
    assert.equal(nextAddress(next, ORIGIN), ORIGIN + next);
    assert.equal(nextAddress(undefined, ORIGIN), `${ORIGIN}/`);
  });

  it('stays below the path of the public URL', () => {
    const base = '/waitlist';
    assert.equal(nextAddress('/waitlist/account', ORIGIN, base), `${ORIGIN}/waitlist/account`);
    for (const next of [undefined, '/account', '/waitlists', '/waitlist/../account', '//waitlist/account'])
      assert.equal(nextAddress(next, ORIGIN, base), `${ORIGIN}/waitlist/`, next);
  });

  it('is never on another site', () => {
    const hostile = [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/.//evil.example',
      '/%2e//evil.example',
      '/a/..//evil.example',
      '\t//evil.example',
      'javascript:alert(1)',
      'https://',
      '//',
    ];
    for (const next of hostile) assert.equal(new URL(nextAddress(next, ORIGIN)).origin, ORIGIN, next);
  });
});
