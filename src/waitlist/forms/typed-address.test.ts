import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isRoleAddress, suggestAddress } from './typed-address.ts';

describe('suggestAddress', () => {
  it('corrects one letter of a common provider', () => {
    for (const domain of ['gmial.com', 'gmai.com', 'gmaill.com', 'gmail.con', 'gmail.co', 'gnail.com'])
      assert.equal(suggestAddress(`ada.b@${domain}`), 'ada.b@gmail.com', domain);
    assert.equal(suggestAddress('ada@hotmial.com'), 'ada@hotmail.com');
    assert.equal(suggestAddress('ada@yaho.com'), 'ada@yahoo.com');
  });

  it('leaves providers and other domains alone', () => {
    for (const domain of [
      'gmail.com',
      'mail.com',
      'ymail.com',
      'email.com',
      'gmx.de',
      'yahoo.ca',
      'example.com',
    ])
      assert.equal(suggestAddress(`ada@${domain}`), undefined, domain);
  });
});

describe('isRoleAddress', () => {
  it('knows tasks, also with a tag, and no parts of names', () => {
    for (const email of [
      'info@example.com',
      'admin@example.com',
      'no-reply@example.com',
      'sales+x@example.com',
    ])
      assert.ok(isRoleAddress(email), email);
    for (const email of ['ada@example.com', 'infoada@example.com', 'ada.info@example.com'])
      assert.ok(!isRoleAddress(email), email);
  });
});
