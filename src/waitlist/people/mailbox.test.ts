import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertProperty } from '../../../test/support/property.ts';
import { parseEmail } from '../../lib/email.ts';
import { mailboxOf } from './mailbox.ts';

describe('mailboxOf', () => {
  it('cuts the tag at every domain', () => {
    assert.equal(mailboxOf('ada+1@example.com'), 'ada@example.com');
    assert.equal(mailboxOf('ada+1+2@example.com'), 'ada@example.com');
    assert.equal(mailboxOf('ada+@example.com'), 'ada@example.com');
  });

  it('ignores dots and the second name only at Gmail', () => {
    for (const typed of ['a.d.a@gmail.com', 'ada@googlemail.com', 'a.da+x.y@googlemail.com', 'ada@gmail.com'])
      assert.equal(mailboxOf(typed), 'ada@gmail.com', typed);
    assert.equal(mailboxOf('a.d.a@example.com'), 'a.d.a@example.com');
    assert.equal(mailboxOf('a.d.a+1@mail.gmail.com'), 'a.d.a@mail.gmail.com');
  });

  it('leaves a name that would be empty', () => {
    assert.equal(mailboxOf('+ada@example.com'), '+ada@example.com');
    assert.equal(mailboxOf('.@gmail.com'), '.@gmail.com');
  });

  it('is an address whose mailbox is itself', async (test) => {
    await assertProperty(
      test,
      import.meta.filename,
      fc.property(fc.emailAddress(), (text) => {
        const key = parseEmail(text)?.key;
        if (key === undefined) return;
        const mailbox = mailboxOf(key);
        assert.equal(mailboxOf(mailbox), mailbox);
        assert.equal(parseEmail(mailbox)?.key, mailbox);
      }),
    );
  });
});
