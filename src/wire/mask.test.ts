import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EXAMPLE_ENTRY } from './entry.ts';
import { maskFor } from './mask.ts';

describe('what a viewer sees', () => {
  const { email, phone, identifier, entry, secret } = maskFor('viewer');

  it('of an email is the first character of each part, and the ending', () => {
    assert.equal(email('ada@example.com'), 'a…@e….com');
    assert.equal(email('x@mail.example.co.uk'), 'x…@m….uk');
    assert.equal(email('😀da@localhost'), '😀…@l…');
    assert.equal(email(null), null);
  });

  it('of a phone number is its beginning and its end', () => {
    assert.equal(phone('+4915112345612'), '+49…12');
    assert.equal(identifier('+4915112345612'), '+49…12');
    assert.equal(identifier('ada@example.com'), 'a…@e….com');
  });

  it('of an entry is nothing that identifies the person', () => {
    const seen = entry({ ...EXAMPLE_ENTRY, phone: '+4915112345612' });
    assert.deepEqual(seen, {
      ...EXAMPLE_ENTRY,
      email: 'a…@e….com',
      phone: '+49…12',
      metadata: null,
      referralCode: null,
      referredBy: 'g…@e….com',
    });
    assert.equal(secret('code'), null);
  });
});

it('every other role sees everything', () => {
  for (const role of ['support', 'admin', 'owner'] as const) {
    assert.deepEqual(maskFor(role).entry(EXAMPLE_ENTRY), EXAMPLE_ENTRY);
    assert.equal(maskFor(role).secret('code'), 'code');
  }
});
