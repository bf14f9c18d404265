import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findTokens } from './bounce-address.ts';
import { readBounceMessage, readComplaintMessage } from './report-message.ts';

/** After the examples in appendix E of RFC 3464. */
const bounceReport = (status: string, boundary = 'RAA14128.773615765/CS.UTK.EDU') =>
  `Date: Thu, 7 Jul 1994 17:16:05 -0400
From: Mail Delivery Subsystem <MAILER-DAEMON@CS.UTK.EDU>
To: <owner-info-mime@cs.utk.edu>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
      boundary="${boundary}"

--${boundary}

The original message was received at Thu, 7 Jul 1994 17:15:49 -0400

   ----- The following addresses had delivery problems -----
<louisl@larry.slip.umd.edu>  (unrecoverable error)

--${boundary}
Content-Type: message/delivery-status

Reporting-MTA: dns; cs.utk.edu

${status}

--${boundary}
Content-Type: message/rfc822

To: mallory@example.com
Final-Recipient: rfc822;mallory@example.com

[original message goes here]
--${boundary}--
`;

const failed = (recipient: string, status = '5.1.1') =>
  `Final-Recipient: rfc822;${recipient}\nAction: failed\nStatus: ${status}\nDiagnostic-Code: smtp;\n 550 no such user`;
const bounce = (email: string, permanent: boolean) => ({ type: 'bounce', email, permanent });

describe('a bounce message', () => {
  it('names the recipients and whether it will happen again', () => {
    const delayed =
      'Original-Recipient: rfc822;ada@example.com\nFinal-Recipient: rfc822; <a@forward.example>';
    const status = [
      failed('louisl@larry.slip.umd.edu'),
      failed('full@example.com', '4.2.2 (mailbox full)'),
      `${delayed}\nAction: Delayed\nStatus: 4.0.0`,
      'Final-Recipient: rfc822;fine@example.com\nAction: delivered\nStatus: 2.0.0',
    ].join('\n\n');
    const expected = [
      bounce('louisl@larry.slip.umd.edu', true),
      bounce('full@example.com', false),
      bounce('ada@example.com', false),
    ];
    assert.deepEqual(readBounceMessage(bounceReport(status))?.events, expected);
    assert.deepEqual(readBounceMessage(bounceReport(status).replaceAll('\n', '\r\n'))?.events, expected);
    const unquoted = bounceReport(status, 'plain').replace('"plain"', 'plain');
    assert.deepEqual(readBounceMessage(unquoted)?.events, expected);
  });

  it('does not blame the address for what is about the sender or the email', () => {
    const statuses = ['5.0.0', '5.1.1', '5.2.1', '5.2.2', '5.3.4', '5.7.1', '4.4.7', 'nonsense'];
    const permanent = statuses.map(
      (status) => readBounceMessage(bounceReport(failed('a@example.com', status)))?.events[0]?.permanent,
    );
    assert.deepEqual(permanent, [true, true, true, false, false, false, false, false]);
  });

  it('is read from base64, which some servers use', () => {
    const encoded = Buffer.from(failed('a@example.com').replaceAll('\n', '\r\n')).toString('base64');
    const message = bounceReport(encoded)
      .replace('Reporting-MTA: dns; cs.utk.edu\n\n', '')
      .replace('message/delivery-status\n', 'message/delivery-status\nContent-Transfer-Encoding: base64\n');
    assert.deepEqual(readBounceMessage(message)?.events, [bounce('a@example.com', true)]);
  });

  it('is told from other messages, whatever they contain', () => {
    const others = [
      '',
      'Subject: Hello\n\nFinal-Recipient: rfc822;a@example.com\nAction: failed\nStatus: 5.1.1\n',
      'Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nAction: failed\n--b--\n',
      'Content-Type: multipart/report; boundary=b\n\nno parts',
    ];
    for (const message of others) assert.equal(readBounceMessage(message), undefined, message);
    const unnamed = readBounceMessage(
      bounceReport('Final-Recipient: x400;a@example.com\nAction: failed\nStatus: 5.1.1'),
    );
    assert.deepEqual([unnamed?.failure, unnamed?.events], ['permanent', []]);
  });
});

const MEGABYTE = 1024 * 1024;

/** After the example in appendix B.2 of RFC 5965. */
const complaintReport = (
  fields: string,
  original = 'Return-Path: <somespammer@example.net>\nSubject: Earn money',
) =>
  `From: <abusedesk@example.com>
Date: Thu, 8 Mar 2005 17:40:36 EDT
Subject: FW: Earn money
To: <abuse@example.net>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report;
     boundary="part1_13d.2e68ed54_boundary"

--part1_13d.2e68ed54_boundary
Content-Type: text/plain; charset="US-ASCII"

This is an email abuse complaintReport for an email message.

--part1_13d.2e68ed54_boundary
Content-Type: message/feedback-report

${fields}

--part1_13d.2e68ed54_boundary
Content-Type: message/rfc822
Content-Disposition: inline

${original}

Spam Spam Spam
--part1_13d.2e68ed54_boundary--
`;

const FIELDS = `Feedback-Type: abuse
User-Agent: SomeGenerator/1.0
Version: 1
Original-Mail-From: <somespammer@example.net>
Original-Rcpt-To: <user@example.com>
Arrival-Date: Thu, 8 Mar 2005 14:00:00 EDT
Reported-Domain: example.net`;

describe('a complaint', () => {
  it('names the people, and the sender of the email', () => {
    for (const message of [complaintReport(FIELDS), complaintReport(FIELDS).replaceAll('\n', '\r\n')]) {
      const { events, isComplaint, senders } = readComplaintMessage(message) ?? {};
      assert.equal(isComplaint, true);
      assert.deepEqual(events, [{ type: 'complaint', email: 'user@example.com' }]);
      assert.deepEqual(senders, ['<somespammer@example.net>', '<somespammer@example.net>']);
    }
  });

  it('may name nobody', () => {
    const redacted = readComplaintMessage(
      complaintReport('Feedback-Type: abuse\nOriginal-Rcpt-To: redacted <x'),
    );
    assert.deepEqual([redacted?.isComplaint, redacted?.events], [true, []]);
    assert.equal(readComplaintMessage(complaintReport('Feedback-Type: not-spam'))?.isComplaint, false);
    assert.equal(readComplaintMessage(complaintReport('Version: 1'))?.isComplaint, false);
  });

  it('is told from other messages', () => {
    for (const message of [
      '',
      'Subject: Hello\n\nFeedback-Type: abuse',
      complaintReport(FIELDS).replace('/feedback-', '/x-'),
    ])
      assert.equal(readComplaintMessage(message), undefined);
  });

  it('cannot take long, however long its fields and parts are', () => {
    const long = ['a'.repeat(MEGABYTE), ' '.repeat(MEGABYTE), '<'.repeat(MEGABYTE), ';'.repeat(MEGABYTE)];
    for (const text of long) {
      const fields = `Feedback-Type: abuse\nOriginal-Rcpt-To: ${text}\nOriginal-Mail-From: b+${text}@`;
      assert.deepEqual(
        readComplaintMessage(complaintReport(fields, `Return-Path: ${text}`))?.isComplaint,
        true,
      );
      assert.equal(readComplaintMessage(`Content-Type: multipart/report;${text}\n\n${text}`), undefined);
      assert.equal(readBounceMessage(`Content-Type: ${text};boundary="${text}\n\n${text}`), undefined);
      assert.deepEqual(findTokens([text, `+${text}@`, `+a`.repeat(MEGABYTE)]), []);
    }
    const parts = `Content-Type: multipart/report; boundary=b\n\n${'\n--b\nA:\n\n'.repeat(MEGABYTE / 8)}`;
    assert.equal(readComplaintMessage(parts), undefined);
    const many = 'Original-Rcpt-To: a@example.com\n'.repeat(20_000);
    assert.equal(readComplaintMessage(complaintReport(`Feedback-Type: abuse\n${many}`))?.events.length, 1);
  });
});
