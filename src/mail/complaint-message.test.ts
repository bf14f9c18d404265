import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findTokens } from './bounce-address.ts';
import { readBounceMessage } from './bounce-message.ts';
import { readComplaintMessage } from './complaint-message.ts';

const MEGABYTE = 1024 * 1024;

/** After the example in appendix B.2 of RFC 5965. */
const report = (fields: string, original = 'Return-Path: <somespammer@example.net>\nSubject: Earn money') =>
  `From: <abusedesk@example.com>
Date: Thu, 8 Mar 2005 17:40:36 EDT
Subject: FW: Earn money
To: <abuse@example.net>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report;
     boundary="part1_13d.2e68ed54_boundary"

--part1_13d.2e68ed54_boundary
Content-Type: text/plain; charset="US-ASCII"

This is an email abuse report for an email message.

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
    for (const message of [report(FIELDS), report(FIELDS).replaceAll('\n', '\r\n')]) {
      const { events, isComplaint, senders } = readComplaintMessage(message) ?? {};
      assert.equal(isComplaint, true);
      assert.deepEqual(events, [{ type: 'complaint', email: 'user@example.com' }]);
      assert.deepEqual(senders, ['<somespammer@example.net>', '<somespammer@example.net>']);
    }
  });

  it('may name nobody', () => {
    const redacted = readComplaintMessage(report('Feedback-Type: abuse\nOriginal-Rcpt-To: redacted <x'));
    assert.deepEqual([redacted?.isComplaint, redacted?.events], [true, []]);
    assert.equal(readComplaintMessage(report('Feedback-Type: not-spam'))?.isComplaint, false);
    assert.equal(readComplaintMessage(report('Version: 1'))?.isComplaint, false);
  });

  it('is told from other messages', () => {
    for (const message of [
      '',
      'Subject: Hello\n\nFeedback-Type: abuse',
      report(FIELDS).replace('/feedback-', '/x-'),
    ])
      assert.equal(readComplaintMessage(message), undefined);
  });

  it('cannot take long, however long its fields and parts are', () => {
    const long = ['a'.repeat(MEGABYTE), ' '.repeat(MEGABYTE), '<'.repeat(MEGABYTE), ';'.repeat(MEGABYTE)];
    for (const text of long) {
      const fields = `Feedback-Type: abuse\nOriginal-Rcpt-To: ${text}\nOriginal-Mail-From: b+${text}@`;
      assert.deepEqual(readComplaintMessage(report(fields, `Return-Path: ${text}`))?.isComplaint, true);
      assert.equal(readComplaintMessage(`Content-Type: multipart/report;${text}\n\n${text}`), undefined);
      assert.equal(readBounceMessage(`Content-Type: ${text};boundary="${text}\n\n${text}`), undefined);
      assert.deepEqual(findTokens([text, `+${text}@`, `+a`.repeat(MEGABYTE)]), []);
    }
    const parts = `Content-Type: multipart/report; boundary=b\n\n${'\n--b\nA:\n\n'.repeat(MEGABYTE / 8)}`;
    assert.equal(readComplaintMessage(parts), undefined);
    const many = 'Original-Rcpt-To: a@example.com\n'.repeat(20_000);
    assert.equal(readComplaintMessage(report(`Feedback-Type: abuse\n${many}`))?.events.length, 1);
  });
});
