import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listMails, showMail } from '../../src/mail/mailbox.ts';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import { listSuppressions, unsuppress } from '../../src/waitlist/links/suppression.ts';
import { forEachEngine } from '../support/harness.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import {
  type Mailing,
  type MailingList,
  mailInState,
  mailingList,
  mailPutOff,
  mailsArrived,
  mailsOf,
  startMailing,
  withMailing,
} from '../support/mails.ts';
import { listen } from '../support/recorded-events.ts';
import { until } from '../support/webhooks.ts';

const SENDING = { publicUrl: 'https://doorlist.example', defaultFrom: 'x@y.z' };

forEachEngine('kills', (engine) => {
  describe('a mail server', () => {
    let server: MailServer;
    let service: Mailing;
    withMailing(engine, (made) => {
      ({ server, service } = made);
    });

    const show = async (list: MailingList, id: string) =>
      showMail(service.context, await list.queue(), id, SENDING);
    /** Waits for an attempt to fail, and goes on to when the next is due. */
    const passFailure = async (list: MailingList) => {
      await mailPutOff(service, await list.queue());
      service.clock.advance(6_000);
      service.wake();
    };

    it('that asks to try again later gets the same email once more, and accepts it once', async () => {
      const list = await mailingList(service, ['welcome']);
      const seen: string[] = [];
      server.refuseMail = ({ raw }) => {
        if (!raw.includes('later@example.com')) return undefined;
        seen.push(raw);
        return seen.length === 1 ? '451 4.3.0 Try again later' : undefined;
      };
      await list.signup({ email: 'later@example.com' });
      await passFailure(list);
      await mailsArrived(server, list, 1);
      assert.equal(seen.length, 2);
      assert.equal(seen[0], seen[1], 'both attempts have the same bytes');
      const { id } = await mailInState(service, await list.queue(), 'sent');
      const { log } = await show(list, id);
      assert.deepEqual(
        log.map(({ status }) => status),
        [451, 250],
      );
      assert.match(log[0]?.response ?? '', /Try again later/);
    });

    it('that rejects an email permanently gets no retry, and the reason is kept', async () => {
      const list = await mailingList(service, ['welcome']);
      server.refuseMail = () => '554 5.7.1 Spam';
      await list.signup({ email: 'spam@example.com' });
      const mail = await mailInState(service, await list.queue(), 'failed');
      server.refuseMail = () => undefined;
      assert.equal(mail.attempts, 1);
      assert.equal(mail.error, `127.0.0.1:${server.port} refused the email (554)`);
      assert.match((await show(list, mail.id)).log[0]?.response ?? '', /5\.7\.1 Spam/);
      assert.deepEqual(await listSuppressions(service.context, await list.queue(), 10), []);
    });

    it('that reports an unknown address has it suppressed until an operator lifts that', async () => {
      const list = await mailingList(service, ['welcome', 'invite']);
      const queue = await list.queue();
      const told = await listen(service.context, queue);
      server.refuseRecipient = () => '550 5.1.1 No such user';
      await list.signup({ email: 'gone@example.com' });
      await mailInState(service, queue, 'failed');
      server.refuseRecipient = () => undefined;
      const [suppressed] = await listSuppressions(service.context, queue, 10);
      assert.equal(suppressed?.reason, 'bounced');
      const events = (await told()).map(({ event, data }) => [event, data.entry?.email]);
      // They have the same time, because the clock stands still.
      assert.deepEqual(events.sort(), [
        ['mail.bounced', 'gone@example.com'],
        ['signup.created', 'gone@example.com'],
      ]);
      const before = server.received.length;
      await list.invite('Gone@Example.com');
      await until('the invite failed', async () => {
        const { mails } = await listMails(service.context, queue, { limit: 10 });
        return mails.some(({ error }) => error === 'not sent: the address is suppressed (bounced)');
      });
      assert.equal(server.received.length, before);
      await unsuppress(service.context, queue, 'gone@example.com');
      await list.invite('gone@example.com');
      await mailsArrived(server, list, 1);
    });

    it('that rejects for policy reasons does not get the address suppressed', async () => {
      const list = await mailingList(service, ['welcome']);
      server.refuseRecipient = () => '550 5.7.1 Not for you';
      await list.signup({ email: 'policy@example.com' });
      await mailInState(service, await list.queue(), 'failed');
      server.refuseRecipient = () => undefined;
      assert.deepEqual(await listSuppressions(service.context, await list.queue(), 10), []);
    });

    it('that disconnects in the middle of an email gets it again', async () => {
      const list = await mailingList(service, ['welcome']);
      server.hangUpAfter = 500;
      await list.signup({ email: 'cut@example.com' });
      await passFailure(list);
      const [mail] = await mailsArrived(server, list, 1);
      assert.match(mail?.parsed.html ?? '', /<\/html>/);
    });

    it('gets nothing for an erased address', async () => {
      const list = await mailingList(service, ['welcome']);
      server.refuseMail = () => '451 4.3.0 Not now';
      await list.signup({ email: 'erased@example.com' });
      await mailPutOff(service, await list.queue());
      await eraseEntry(service.context, await list.queue(), 'erased@example.com');
      server.refuseMail = () => undefined;
      service.clock.advance(6_000);
      service.wake();
      const mail = await mailInState(service, await list.queue(), 'failed');
      assert.deepEqual([mail.to, mail.error], [null, 'not sent: its content was erased']);
      const { log, mail: shown } = await show(list, mail.id);
      assert.equal(shown, null);
      assert.equal(log[0]?.response, null, 'what the server said of it is erased too');
      assert.equal(mailsOf(server, list).length, 0);
    });
  });

  describe('a mail server with a login', () => {
    for (const tls of ['starttls', 'implicit'] as const) {
      it(`gets emails over ${tls} TLS, and none if its certificate is invalid`, async () => {
        const server = await startMailServer({ tls, login: true });
        const trusting = `${server.url}?tls.rejectUnauthorized=false`;
        const service = await startMailing(engine, { ...server, url: trusting });
        const wary = await startMailing(engine, server);
        try {
          const list = await mailingList(service, ['welcome']);
          await list.signup({ email: 'ada@example.com' });
          await until('the mail arrived', () => server.received.length === 1);
          assert.deepEqual([server.received[0]?.user, server.received[0]?.secure], ['mailer', true]);
          const other = await mailingList(wary, ['welcome']);
          await other.signup({ email: 'bob@example.com' });
          const { error } = await mailPutOff(wary, await other.queue());
          assert.match(
            error ?? '',
            /certificate of 127\.0\.0\.1:\d+ is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
          );
          assert.equal(server.received.length, 1);
        } finally {
          await service.close();
          await wary.close();
          await server.close();
        }
      });
    }

    it('that is refused keeps the email queued', async () => {
      const server = await startMailServer({ login: true });
      const wrong = server.url.replace('mailer:', 'nobody:');
      const service = await startMailing(engine, { ...server, url: wrong });
      try {
        const list = await mailingList(service, ['welcome']);
        await list.signup({ email: 'ada@example.com' });
        const { error } = await mailPutOff(service, await list.queue());
        assert.match(error ?? '', /^127\.0\.0\.1:\d+ refused the login \(535\)\. Check user and password/);
      } finally {
        await service.close();
        await server.close();
      }
    });
  });
});
