import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { couldBecomeLink, plainEmail, plainMetadata } from './values.ts';

const HOSTILE = [
  'https://evil.example',
  'You won! evil.example/prize',
  'www.evil',
  'WWW2.evil',
  'evil.com',
  'Evil.Co.Uk',
  'ada evil.com grace',
  '(evil.com)',
  'аррӏе.com',
  'пример.рф',
  'उदाहरण.भारत',
  '例子.测试',
  'مثال.السعودية',
  'ü.de/login',
  'de.ü-x',
  'evil.xn--p1ai',
  '💩.la',
  'evil\u200b.com',
  'evil.\u200bcom',
  'evil.c\u00adom',
  'e\u2060vil.co\ufe0fm',
  'evil\u200e.com',
  'evil。com',
  'evil．com',
  'evil｡com',
  'evil․com',
  'evil﹒com',
  'ｅｖｉｌ．ｃｏｍ',
  '𝐞𝐯𝐢𝐥.𝐜𝐨𝐦',
  'evil.com:8080',
  'evil.com:8080/login',
  'localhost:3000',
  'intranet:8080/x',
  'пример:8080',
  '192.0.2.1',
  '192.0.2.1/login',
  '１９２.0.2.1:80',
  '[2001:db8::1]',
  '[::1]:3000/x',
  '//evil/x',
  '\\\\evil\\share',
  'mailto:eve@evil',
  'eve@evil.example',
  'tel:+14155550100',
  'javascript:alert(1)',
  'JavaScript :alert(1)',
  'hxxps:evil',
  'data:text/html,x',
  'evil.com.',
  'http:evil',
];

const HARMLESS = [
  'Ada',
  'Dr. Müller',
  'Ada M. Lovelace',
  'J.R.R. Tolkien',
  'Martin Luther King Jr.',
  'Ph.D.',
  'U.S.A.',
  'e.g. this',
  'v1.2',
  'v1.2.3',
  '3.5mm',
  '10:30',
  'at 9:15 a.m.',
  'and/or',
  'AC/DC',
  '1.000,50 €',
  'Wait... what?',
  'Yes. No.',
  "O'Hara-Smith",
  '王小明',
  'محمد علی',
  'Zoë 🎉',
  '👩‍👩‍👧',
  'Ratio 3:2',
  '+1 415 555 0100',
  '@ada',
  'C++ (mostly)',
  '50% off',
  'Note: call me',
];

/** Not links today, but close enough to one that they count as missing. */
const SACRIFICED = ['Node.js', 'St.Gallen', 'Dr.Müller', '你好。世界', '1.2.3.4', 'Room:101'];

describe('a value from a signup', () => {
  for (const value of [...HOSTILE, ...SACRIFICED])
    it(`is treated as missing in emails: ${JSON.stringify(value)}`, () => {
      assert.equal(couldBecomeLink(value), true);
      assert.equal(plainMetadata(value), null);
    });

  for (const value of HARMLESS)
    it(`is shown in emails: ${value}`, () => {
      assert.equal(couldBecomeLink(value), false);
      assert.equal(plainMetadata(value), value);
    });

  it('may have line breaks after its dots', () => {
    assert.equal(plainMetadata('First line.\nSecond line'), 'First line. Second line');
  });

  it('is checked in linear time', () => {
    for (const piece of ['a', 'a.', 'a-', '1.', 'x:', '[:', '.', 'www', 'а\u200b'])
      couldBecomeLink(piece.repeat(100_000));
  });
});

describe('an email address in an email', () => {
  it('is shown', () => {
    for (const email of [
      'ada@example.com',
      'ada.lovelace+x@example.com',
      "o'hara@example.com",
      'ünï@example.com',
    ])
      assert.equal(plainEmail(email), email);
  });

  it('is treated as missing when the part before the @ could become a link', () => {
    for (const local of ['evil.com/login', 'www.evil.com', 'evil.com?x', 'evil.com#', '//evil', 'аррӏе.com'])
      assert.equal(plainEmail(`${local}@example.com`), null, local);
  });
});
