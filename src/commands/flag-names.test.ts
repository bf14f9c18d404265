import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withFlagNames } from './flag-names.ts';

describe('a message of the domain on the command line', () => {
  const flags = {
    'referral-cap': { about: '' },
    'invite-expiry': { about: '', field: 'inviteExpiryMs' },
    name: { about: '' },
  };

  it('names the flags instead of the fields', () => {
    assert.equal(
      withFlagNames('referralCap: must be a whole number; inviteExpiryMs: must be longer than 0', flags),
      '--referral-cap: must be a whole number; --invite-expiry: must be longer than 0',
    );
  });

  it('keeps what is not a flag of the command, and everything inside a sentence', () => {
    for (const message of ['id: wl_acme already exists', 'there is no waitlist name: x', 'boost: 1; name'])
      assert.equal(withFlagNames(message, flags), message);
    assert.equal(withFlagNames('name: is empty'), 'name: is empty');
  });
});
