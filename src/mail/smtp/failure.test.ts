import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ANSWER_CHARACTERS_MAX, describeFailure, type Fault, type SmtpError } from './failure.ts';
import { readSmtpUrl } from './url.ts';

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
    ['recipient', answered('RCPT TO', '550 5.7.1 Not for you'), /refused the recipient/],
    ['passing', answered('RCPT TO', '451 4.7.1 Greylisted'), /answered 451/],
    ['mail', answered('DATA', '554 5.7.1 Spam', 'EMESSAGE'), /refused the email \(554\)/],
    ['mail', answered('MAIL FROM', '552 5.3.4 Too big'), /refused the email \(552\)/],
    ['mail', smtpError({ code: 'EMESSAGE', command: 'MAIL FROM' }), /does not accept an email of this size$/],
    ['mail', smtpError({ code: 'EENVELOPE', command: 'API' }), /does not accept this address$/],
    ...(
      [
        ['MAIL FROM', 'EENVELOPE'],
        ['RCPT TO', 'EENVELOPE'],
        ['DATA', 'EMESSAGE'],
      ] as const
    ).map(([command, code]): [Fault, SmtpError, RegExp] => [
      'passing',
      smtpError({ code, command, response: 'Bad gateway' }),
      /^mail\.example\.com:587 gave an answer without a code$/,
    ]),
    [
      'sender',
      answered('MAIL FROM', '550 5.7.1 Not yours'),
      /refused the sender hello@acme\.example \(550\)/,
    ],
    ['sender', answered('MAIL FROM', '553 5.1.8 Unknown sender domain'), /DOORLIST_MAIL_FROM/],
    ['sender', answered('MAIL FROM', '452 4.3.1 Full'), /refused the sender hello@acme\.example \(452\)/],
    ['unreachable', answered('MAIL FROM', '421 4.3.2 Closing'), /not available right now \(421\)/],
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
      smtpError({ code: 'ETLS', originalCode: 'ERR_SSL_WRONG_VERSION_NUMBER' }),
      /^TLS with mail\.example\.com:587 failed \(ERR_SSL_WRONG_VERSION_NUMBER\): it offers STARTTLS, but/,
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

  it('is about the port when TLS was expected from the start', () => {
    const error = smtpError({ code: 'ESOCKET', originalCode: 'ERR_SSL_WRONG_VERSION_NUMBER' });
    const { fault, error: words } = describeFailure(error, readSmtpUrl('smtps://mail.example.com:587'));
    assert.equal(fault, 'refused');
    assert.match(words, /does not use TLS from the start\. Use smtp:\/\/ instead/);
  });

  const ABOUT_US = [
    'RCPT TO 550 5.7.1 Relaying denied',
    'RCPT TO 454 4.7.1 <ada@example.com>: Relay access denied',
    'RCPT TO 550 5.7.60 SMTP; Client does not have permissions to send as this sender',
    'DATA 554 Message rejected: Email address is not verified. The following identities failed the check in region EU-WEST-1: ada@example.com',
    'DATA 554 Message rejected: Your account is currently paused',
    'DATA 454 Throttling failure: Daily message quota exceeded.',
    'DATA 550 5.7.26 This mail has been blocked because the sender is unauthenticated.',
    'DATA 421 4.7.28 Our system has detected an unusual rate of unsolicited mail',
    'DATA 550 5.7.515 Access denied, sending domain acme.example does not meet the required authentication level.',
    'DATA 550 5.4.5 Daily user sending limit exceeded.',
    'DATA 550 5.7.1 Unauthenticated email from acme.example is not accepted due to domain DMARC policy',
    'DATA 550 5.1.8 Bad sender',
    'DATA 554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org',
    'DATA 550 Sender signature not confirmed: this server is not verified',
  ];
  const ABOUT_THEM = [
    'RCPT TO 550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown',
    'RCPT TO 552 5.2.2 Mailbox quota exceeded',
    'RCPT TO 550 5.2.1 The email account that you tried to reach is disabled',
    'RCPT TO 550 5.7.133 Sender not authenticated for group',
    'RCPT TO 451 4.7.1 Greylisted, try again later',
    'DATA 552 5.3.4 Message too big for system',
    'DATA 554 5.7.1 Looks like spam',
    'DATA 451 4.3.0 Try again later',
  ];
  const faultOf = (line: string) => {
    const [, command = '', response = ''] = /^(RCPT TO|DATA) (.*)$/.exec(line) ?? [];
    const code = command === 'DATA' ? 'EMESSAGE' : 'EENVELOPE';
    return describeFailure(answered(command, response, code), SERVER, LETTER);
  };
  for (const line of ABOUT_US)
    it(`is about the sender for ${line}`, () => {
      const { fault, kind, bounced, answer } = faultOf(line);
      assert.deepEqual([fault, typeof kind, bounced], ['sender', 'string', false]);
      assert.doesNotMatch(answer ?? '', /ada|example\.com/);
    });
  for (const line of ABOUT_THEM)
    it(`is not about the sender for ${line}`, () => assert.notEqual(faultOf(line).fault, 'sender'));

  it('may be about us if others get the same one, unless it names the mailbox', () => {
    const kindOf = (line: string) => faultOf(line).kind;
    assert.equal(kindOf('DATA 554 5.7.1 Looks like spam'), 'DATA 554 5.7.1');
    assert.equal(kindOf('RCPT TO 550 Refused'), 'RCPT TO 550 ');
    assert.equal(kindOf('RCPT TO 550 5.1.1 No such user'), null);
    assert.equal(kindOf('RCPT TO 550 Requested action not taken: mailbox unavailable'), null);
    assert.equal(kindOf('DATA 552 Too large'), null);
  });

  it('is told without the recipient, and with the sender', () => {
    const { answer } = faultOf(
      'DATA 554 <ada@example.com>: user ADA at example.com; from hello@acme.example',
    );
    assert.equal(answer, '554 <…>: user … at …; from hello@acme.example');
  });

  it('is told without the recipient, also in a link and as DNS has their domain', () => {
    const to = 'zoë+1@müller.example';
    const response =
      '550 5.7.23 SPF failed: http://spf.example/Why?id=zo%C3%AB%2B1%40m%C3%BCller.example&ip=192.0.2.1 ' +
      'for xn--mller-kva.example; s=hello%40acme.example';
    const { answer } = describeFailure(answered('RCPT TO', response), SERVER, { ...LETTER, to });
    assert.equal(
      answer,
      '550 5.7.23 SPF failed: http://spf.example/Why?id=…&ip=192.0.2.1 for …; s=hello%40acme.example',
    );
  });

  it('is told without the recipient, without their tag, as bounces write it, and in base64', () => {
    const to = 'ada+news@example.org';
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const told = (words: string) =>
      describeFailure(answered('RCPT TO', `550 ${words}`), SERVER, { ...LETTER, to }).answer;
    assert.equal(told('mailbox ada is full'), '550 mailbox … is full');
    assert.equal(told('bounces+ada=2Bnews=40example.org rejected'), '550 … rejected');
    assert.equal(told(`see /${base64(to)} or x${base64(`<${to}>`)}`), '550 see … or …');
    assert.equal(told(`id ${Buffer.from(to).toString('base64url')}`), '550 id …');
    assert.equal(
      told('id U29tZXRoaW5nIGVsc2U= and 4XyzABCDEFGH1234'),
      '550 id U29tZXRoaW5nIGVsc2U= and 4XyzABCDEFGH1234',
    );
  });

  it('is cut before anything looks for something in it', () => {
    const { response, answer } = describeFailure(
      answered('RCPT TO', `550 ${'.'.repeat(1_000_000)}`),
      SERVER,
      LETTER,
    );
    assert.equal(response?.length, ANSWER_CHARACTERS_MAX);
    assert.ok((answer ?? '').length <= ANSWER_CHARACTERS_MAX);
  });

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
