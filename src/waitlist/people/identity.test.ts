import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertProperty } from '../../../test/support/property.ts';
import { parseEmail } from '../../lib/email.ts';
import { mailboxOf, parsePhone, parseReferrer } from './identity.ts';

describe('parseEmail', () => {
  it('keeps the address as typed, trimmed and in NFC', () => {
    assert.equal(parseEmail('  Ada@Example.COM\t')?.shown, 'Ada@Example.COM');
    assert.equal(parseEmail('zoe\u0308@example.com')?.shown, 'zo\u00eb@example.com');
  });

  it('compares in lower case with the domain in ASCII', () => {
    assert.equal(parseEmail('Ada@Example.COM')?.key, 'ada@example.com');
    assert.equal(parseEmail('ÄB@MÜNCHEN.de')?.key, 'äb@xn--mnchen-3ya.de');
    assert.equal(parseEmail('a@xn--mnchen-3ya.de')?.key, parseEmail('a@münchen.de')?.key);
    assert.equal(parseEmail('a@münchen。de')?.key, parseEmail('a@münchen.de')?.key);
  });

  it('keeps dots and plus signs', () => {
    assert.notEqual(parseEmail('a.b@example.com')?.key, parseEmail('ab@example.com')?.key);
    assert.notEqual(parseEmail('a+b@example.com')?.key, parseEmail('a@example.com')?.key);
  });

  it('accepts what mail servers accept', () => {
    const good = [
      "o'hara@example.com",
      'a_b-c.d+e=f@sub.example.co',
      'x@localhost',
      '!#$%&*/?^`{|}~@example.com',
      '用户@例子.广告',
    ];
    for (const text of good) assert.ok(parseEmail(text), text);
  });

  it('rejects characters that separate addresses in a list', () => {
    for (const character of ';:()[]\\,<>"')
      for (const local of [`a${character}b`, `${character}ü`]) {
        assert.equal(parseEmail(`${local}@example.com`), undefined, local);
        assert.equal(parseReferrer(`${local}@example.com`), undefined, local);
      }
  });

  it('rejects invalid addresses', () => {
    const bad = [
      '',
      '@',
      'a@',
      '@b.co',
      'a',
      'a@@b.co',
      'a@b@c',
      'a b@c.co',
      'a@b c.co',
      '"a"@b.co',
      'a,b@c.co',
      '<a@b.co>',
    ];
    bad.push(
      'a@b..co',
      'a@.b.co',
      'a@b.co.',
      'a\0@b.co',
      'a\u200d@b.co',
      'a\ud800@b.co',
      'a@b_c.co',
      'a@b/c.co',
      'a@b:1',
      'a@b?c',
      'a@%41.co',
    );
    bad.push(`a@${'b'.repeat(64)}.co`, 'a@[127.0.0.1]', 'a\u2028b@c.co', 'a@münchen/x.de', 'a@mün chen.de');
    for (const text of bad) assert.equal(parseEmail(text), undefined, JSON.stringify(text));
  });

  it('counts 254 characters, not bytes or code units', () => {
    const of = (length: number, letter: string) => `${letter.repeat(length - 12)}@example.com`;
    for (const letter of ['a', 'é', '🎉']) {
      assert.ok(parseEmail(of(254, letter)), letter);
      assert.equal(parseEmail(of(255, letter)), undefined, letter);
    }
  });

  it('never throws, and normalizing twice changes nothing', async (test) => {
    await assertProperty(
      test,
      import.meta.filename,
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.emailAddress()), (text) => {
        const email = parseEmail(text);
        if (email) assert.equal(parseEmail(email.key)?.key, email.key);
      }),
    );
  });
});

describe('parsePhone', () => {
  it('strips spaces, dots, hyphens and parentheses', () => {
    assert.equal(parsePhone('+1 (415) 555-01.23'), '+14155550123');
    assert.equal(parsePhone(' +49 30 901820 '), '+4930901820');
  });

  it('requires a plus sign and 7 to 15 digits, the first not 0', () => {
    assert.equal(parsePhone('+1234567'), '+1234567');
    assert.equal(parsePhone('+123456789012345'), '+123456789012345');
    for (const text of [
      '',
      '+',
      '1234567',
      '+123456',
      '+1234567890123456',
      '+0123456789',
      '+12345a7',
      '+１２３４５６７８',
    ]) {
      assert.equal(parsePhone(text), undefined, text);
    }
  });
});

describe('parseReferrer', () => {
  it('distinguishes emails, phones and referral codes', () => {
    assert.deepEqual(parseReferrer(' Ada@Example.com '), { kind: 'email', key: 'ada@example.com' });
    assert.deepEqual(parseReferrer('+1 415 555 0123'), { kind: 'phone', key: '+14155550123' });
    assert.deepEqual(parseReferrer(' K3V9X0AB '), { kind: 'referral', key: 'K3V9X0AB' });
    assert.deepEqual(parseReferrer('happy-star-4f3d'), { kind: 'referral', key: 'happy-star-4f3d' });
  });

  it('is undefined for text that cannot identify anyone', () => {
    for (const text of ['', ' ', 'a@', '+1', 'two words', 'ü', 'x'.repeat(65)]) {
      assert.equal(parseReferrer(text), undefined, text);
    }
  });
});

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
