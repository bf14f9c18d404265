import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { newId } from '../../src/lib/ids.ts';
import { bounceAddressFor } from '../../src/mail/bounce-address.ts';
import { suppressionsOf } from '../../src/waitlist/links/suppression.ts';
import { forEachEngine } from '../support/harness.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { type Mailing, type MailingList, mailingList, mailsArrived, startMailing } from '../support/mails.ts';
import { typed } from '../support/terminal.ts';
import { until } from '../support/webhooks.ts';

const BOUNCES = 'bounces@mail.acme.example';

const bounceTo = (
  recipient: string,
  named = 'mallory@example.com',
  status = '5.1.1',
) => `From: MAILER-DAEMON@mx.example
To: <${recipient}>
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example

Final-Recipient: rfc822; ${named}
Action: failed
Status: ${status}

--b--
`;

const complaint = (fields: string, original = 'Subject: Hello') => `From: feedback@provider.example
To: abuse@acme.example
Content-Type: multipart/report; report-type=feedback-report; boundary="b"

--b
Content-Type: text/plain

This is an email abuse report.

--b
Content-Type: message/feedback-report

User-Agent: SomeGenerator/1.0
Version: 1
${fields}

--b
Content-Type: message/rfc822

${original}

How are you?
--b--
`;

forEachEngine((engine) => {
  describe('the bounce address of an email', () => {
    let server: MailServer;
    let service: Mailing;
    let file: string;
    before(async () => {
      server = await startMailServer();
      service = await startMailing(engine, server, { environment: { DOORLIST_BOUNCE_ADDRESS: BOUNCES } });
      file = path.join(service.storage.dataDir, 'report.eml');
    });
    after(async () => {
      await service.close();
      await server.close();
    });
    /** Somebody who got one email, and the address that it came from. */
    const mailed = async (email: string) => {
      const list = await mailingList(service, ['welcome']);
      await list.signup({ email }, { email: 'mallory@example.com' });
      const mails = await mailsArrived(server, list, 2);
      const mail = mails.find(({ to }) => to[0] === email);
      assert.ok(mail);
      return { list, mail, address: mail.from };
    };
    const reasons = async (list: MailingList, email: string) =>
      (await suppressionsOf(service.context, await list.queue(), email)).map(({ reason }) => reason);
    const read = (message: string, ...words: string[]) => {
      writeFileSync(file, message);
      return typed(service.storage.environment, 'mail', 'bounce', file, ...words);
    };

    it('is the envelope sender, another one for each email, and fits the limit of mail servers', async () => {
      const { mail, address } = await mailed('ada@example.com');
      assert.match(address, /^bounces\+[0-9a-z]{48}@mail\.acme\.example$/);
      assert.equal(mail.parsed.from?.address, 'hello@acme.example');
      assert.ok(address.indexOf('@') <= 64);
      assert.notEqual((await mailed('ada@example.com')).address, address);
    });

    it('tells whose email bounced, without a waitlist and whatever the message says', async () => {
      const { list, address } = await mailed('ada@example.com');
      const { code, out } = await read(bounceTo(address));
      assert.deepEqual([code, out], [0, 'Recorded 1 bounce, 1 permanent.']);
      assert.deepEqual(await reasons(list, 'ada@example.com'), ['bounced']);
      assert.deepEqual(await reasons(list, 'mallory@example.com'), []);
    });

    it('is read in capital letters, from --recipient, and from other fields', async () => {
      const { list, address } = await mailed('ada@example.com');
      assert.equal(
        (await read(bounceTo(address.toUpperCase(), 'x@example.com', '4.2.2'))).out.slice(0, 10),
        'Recorded 1',
      );
      const given = await read(bounceTo(BOUNCES), '--recipient', address);
      assert.equal(given.out, 'Recorded 1 bounce, 1 permanent.');
      assert.deepEqual(await reasons(list, 'ada@example.com'), ['bounced']);
      const other = await mailed('bea@example.com');
      const delivered = bounceTo(BOUNCES).replace('To:', `Delivered-To: ${other.address}\nTo:`);
      assert.equal((await read(delivered)).code, 0);
      assert.deepEqual(await reasons(other.list, 'bea@example.com'), ['bounced']);
    });

    it('is refused if it is forged or of another installation, also for a given waitlist', async () => {
      const { list, address } = await mailed('ada@example.com');
      const queue = await list.queue();
      const stranger = { ...queue, vault: { ...queue.vault, hash: () => Buffer.alloc(32, 7) } };
      const guesses = [
        address.replace(/.@/, (end) => (end === '0@' ? '1@' : '0@')),
        bounceAddressFor(stranger, newId(service.clock.now), BOUNCES),
        `bounces+${'0'.repeat(48)}@mail.acme.example`,
      ];
      for (const guess of guesses) {
        for (const words of [[], ['--waitlist', list.id]]) {
          const { code, error } = await read(bounceTo(guess, 'ada@example.com'), ...words);
          assert.equal(code, 1);
          assert.match(error, /its bounce address was not made by this installation/);
        }
      }
      assert.deepEqual(await reasons(list, 'ada@example.com'), []);
    });

    it('is looked for only so often in one message', async () => {
      const { list, address } = await mailed('ada@example.com');
      const guesses = Array.from(
        { length: 20 },
        (_, index) => `b+${String(index).padStart(48, '0')}@example.com`,
      );
      assert.equal((await read(bounceTo([...guesses, address].join(', ')))).code, 1);
      assert.deepEqual(await reasons(list, 'ada@example.com'), []);
      assert.equal((await read(bounceTo([...guesses.slice(0, 10), address].join(', ')))).code, 0);
    });

    it('leads nowhere once the email is gone, and says so', async () => {
      const { list } = await mailed('ada@example.com');
      const gone = bounceAddressFor(await list.queue(), newId(service.clock.now), BOUNCES);
      const { code, out } = await read(bounceTo(gone, 'ada@example.com'));
      assert.equal(code, 0);
      assert.match(out, /^Nothing to record: the email that the message is about was deleted/);
      assert.deepEqual(await reasons(list, 'ada@example.com'), []);
    });

    it('takes no out-of-office note for a bounce, and no message without it unless a waitlist is given', async () => {
      const { list, address } = await mailed('ada@example.com');
      const note = await read(`To: ${address}\nAuto-Submitted: auto-replied\n\nI am away.`);
      assert.deepEqual([note.code, note.out], [0, 'Nothing to record: the message is an automatic reply.']);
      const unnamed = await read(bounceTo(BOUNCES, 'ada@example.com'));
      assert.equal(unnamed.code, 1);
      assert.match(unnamed.error, /names no email by its bounce address/);
      assert.deepEqual(await reasons(list, 'ada@example.com'), []);
      assert.equal((await read(bounceTo(BOUNCES, 'ada@example.com'), '--waitlist', list.id)).code, 0);
      assert.deepEqual(await reasons(list, 'ada@example.com'), ['bounced']);
    });

    it('names the email that a complaint is about, also if the provider hides the address', async () => {
      const { list, address } = await mailed('ada@example.com');
      const hidden = complaint(`Feedback-Type: abuse\nOriginal-Mail-From: <${address}>`);
      const { code, out } = await read(hidden);
      assert.deepEqual([code, out], [0, 'Recorded 1 complaint.']);
      assert.deepEqual(await reasons(list, 'ada@example.com'), ['complained']);
      const other = await mailed('bea@example.com');
      const attached = complaint('Feedback-Type: abuse', `Return-Path: <${other.address}>\nSubject: Hello`);
      assert.equal((await read(attached)).code, 0);
      assert.deepEqual(await reasons(other.list, 'bea@example.com'), ['complained']);
    });

    it('is not needed for a complaint about a given waitlist, and other reports change nothing', async () => {
      const { list, address } = await mailed('ada@example.com');
      for (const type of ['not-spam', 'auth-failure', 'virus']) {
        const fields = `Feedback-Type: ${type}\nOriginal-Mail-From: <${address}>\nOriginal-Rcpt-To: ada@example.com`;
        const { code, out } = await read(complaint(fields), '--waitlist', list.id);
        assert.deepEqual([code, out], [0, 'Nothing to record: the report is not a complaint.']);
      }
      assert.deepEqual(await reasons(list, 'ada@example.com'), []);
      const fields =
        'Feedback-Type: abuse\nOriginal-Rcpt-To: <ada@example.com>\nOriginal-Rcpt-To: mallory@example.com';
      assert.equal((await read(complaint(fields), '--waitlist', list.id)).out, 'Recorded 2 complaints.');
      assert.deepEqual(await reasons(list, 'ada@example.com'), ['complained']);
      assert.deepEqual(await reasons(list, 'mallory@example.com'), ['complained']);
    });

    it('is not in what operators read when the mail server refuses the sender', async () => {
      const list = await mailingList(service, ['welcome']);
      server.refuseSender = () => '550 5.1.8 Sender rejected';
      try {
        await list.signup({ email: 'ada@example.com' });
        const pausedLine = () => service.log.find((line) => line.includes(`sender of ${list.id}`));
        await until('sending is paused', () => pausedLine() !== undefined);
        const line = pausedLine() ?? '';
        assert.match(line, /refused the sender bounces@mail\.acme\.example/);
        assert.ok(service.log.every((each) => !/bounces\+/.test(each)));
      } finally {
        server.refuseSender = () => undefined;
      }
    });
  });
});

describe('DOORLIST_BOUNCE_ADDRESS', () => {
  it('must be an address to which a token can be added', () => {
    const refused = (address: string, wanted: RegExp) =>
      assert.throws(() => readConfig({ DOORLIST_BOUNCE_ADDRESS: address }), { message: wanted });
    refused('bounces', /^DOORLIST_BOUNCE_ADDRESS: must be an email address in ASCII$/);
    refused('bounces+x@acme.example', /^DOORLIST_BOUNCE_ADDRESS: must not contain a \+/);
    refused(
      'a-very-long-name-for-bounces@acme.example',
      /^DOORLIST_BOUNCE_ADDRESS: must have at most 15 characters/,
    );
    assert.equal(readConfig({ DOORLIST_BOUNCE_ADDRESS: BOUNCES }).bounceAddress, BOUNCES);
  });
});
