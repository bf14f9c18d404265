import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeFailure, type Fault, type SmtpError } from './smtp-failure.ts';
import { readSmtpUrl } from './smtp-url.ts';

const SERVER = readSmtpUrl('smtp://user:secret@mail.example.com:587');
const LETTER = { from: 'hello@acme.example', to: 'ada@example.com' };
const smtpError = (fields: Partial<SmtpError>): SmtpError => Object.assign(new Error('x'), fields);
const answered = (command: string, response: string, code = 'EENVELOPE') =>
  smtpError({ code, command, response, responseCode: Number(response.slice(0, 3)) });

describe('a response from a mail server', () => {
  const cases: [fault: Fault, SmtpError, words: RegExp][] = [
    [
      'recipient',
      answered('RCPT TO', '550 5.1.1 No such user'),
      /^mail\.example\.com:587 refused the recipient \(550\)$/,
    ],
    ['recipient', answered('RCPT TO', '550 5.7.1 Relaying denied'), /refused the recipient/],
    ['passing', answered('RCPT TO', '451 4.7.1 Greylisted'), /answered 451/],
    ['mail', answered('DATA', '554 5.7.1 Spam', 'EMESSAGE'), /refused the email \(554\)/],
    ['mail', answered('MAIL FROM', '552 5.3.4 Too big'), /refused the email \(552\)/],
    [
      'mail',
      smtpError({ code: 'EMESSAGE', command: 'MAIL FROM' }),
      /can't accept this address or an email of this size/,
    ],
    [
      'sender',
      answered('MAIL FROM', '550 5.7.1 Not yours'),
      /refused the sender hello@acme\.example \(550\)/,
    ],
    ['sender', answered('MAIL FROM', '553 5.1.8 Unknown sender domain'), /DOORLIST_MAIL_FROM/],
    ['passing', answered('MAIL FROM', '452 4.3.1 Full'), /answered 452/],
    ['refused', answered('MAIL FROM', '530 5.7.0 Authentication required'), /requires a login or TLS/],
    ['refused', answered('RCPT TO', '530 5.7.0 Authentication required'), /requires a login or TLS/],
    [
      'refused',
      answered('AUTH PLAIN', '535 5.7.8 Bad credentials', 'EAUTH'),
      /refused the login \(535\)\. Check user/,
    ],
    [
      'unreachable',
      answered('AUTH PLAIN', '454 4.7.0 Try later', 'EAUTH'),
      /not available right now \(454\)/,
    ],
    ['refused', answered('CONN', '554 5.7.1 Blocked', 'EPROTOCOL'), /rejected the connection \(554\)/],
    [
      'unreachable',
      answered('CONN', '421 4.3.2 Shutting down', 'ECONNECTION'),
      /not available right now \(421\)/,
    ],
    [
      'refused',
      answered('STARTTLS', '502 Not implemented', 'ETLS'),
      /offers no TLS, and the password is not sent/,
    ],
    [
      'unreachable',
      smtpError({ code: 'EDNS', command: 'CONN' }),
      /host mail\.example\.com can't be resolved/,
    ],
    ['unreachable', smtpError({ code: 'ESOCKET', originalCode: 'ECONNREFUSED' }), /refused the connection/],
    ['unreachable', smtpError({ code: 'ETIMEDOUT', command: 'CONN' }), /did not answer in time.*firewall/],
    ['unreachable', smtpError({ code: 'ECONNECTION' }), /connection to mail\.example\.com:587 was lost/],
    [
      'refused',
      smtpError({ code: 'ESOCKET', originalCode: 'SELF_SIGNED_CERT_IN_CHAIN' }),
      /not trusted.*NODE_EXTRA_CA_CERTS/,
    ],
    [
      'refused',
      smtpError({ code: 'ESOCKET', originalCode: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
      /for another name/,
    ],
    ['refused', smtpError({ code: 'ESOCKET', originalCode: 'CERT_HAS_EXPIRED' }), /expired/],
    [
      'refused',
      smtpError({ code: 'ESOCKET', originalCode: 'ERR_SSL_WRONG_VERSION_NUMBER' }),
      /Use smtp:\/\/ instead/,
    ],
  ];
  for (const [fault, error, words] of cases) {
    const { code, command = '', response = '', originalCode = '' } = error;
    it(`is ${fault} for ${[code, command, response, originalCode].filter(Boolean).join(' ')}`, () => {
      const failure = describeFailure(error, SERVER, LETTER);
      assert.equal(failure.fault, fault);
      assert.match(failure.error, words);
      assert.doesNotMatch(failure.error, /secret|ada@/);
    });
  }

  it('concerns one email when only its address needs an extension that the server lacks', () => {
    const error = answered('MAIL FROM', '550 5.6.7 SMTPUTF8 refused');
    assert.equal(describeFailure(error, SERVER, { ...LETTER, to: 'ünï@example.com' }).fault, 'mail');
  });

  it('distinguishes a bounce from a policy rejection', () => {
    const bounced = (line: string) => describeFailure(answered('RCPT TO', line), SERVER, LETTER).bounced;
    assert.deepEqual(['550 5.1.1 x', '550 No such user', '550 5.7.1 x', '552 5.2.2 x'].map(bounced), [
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('the URL of a mail server', () => {
  it('requires TLS when it has credentials, except on localhost', () => {
    const requires = (url: string) => readSmtpUrl(url).requireTLS;
    assert.equal(requires('smtp://user:secret@mail.example.com:587'), true);
    assert.equal(requires('smtp://user:secret@mail.example.com?ignoreTLS=true'), true);
    assert.equal(requires('smtp://user:secret@mail.example.com?requireTLS=false'), false);
    assert.equal(requires('smtp://mail.example.com'), false);
    assert.equal(requires('smtp://mail.example.com?requireTLS=true'), true);
    for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '[::1]'])
      assert.equal(requires(`smtp://user:secret@${host}:25`), false, host);
    assert.equal(requires('smtp://user:secret@127.example.com'), true);
  });

  it('defaults to the standard port', () => {
    assert.equal(readSmtpUrl('smtp://mail.example.com').shown, 'mail.example.com:587');
    assert.equal(readSmtpUrl('smtps://mail.example.com').shown, 'mail.example.com:465');
    assert.equal(readSmtpUrl('smtp://[2001:db8::1]:25').shown, '[2001:db8::1]:25');
  });
});
