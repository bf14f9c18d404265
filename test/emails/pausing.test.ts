import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listMails } from '../../src/mail/mailbox.ts';
import { readPauses } from '../../src/mail/smtp/pauses.ts';
import type { Queue } from '../../src/waitlist/queue/queue.ts';
import { freePort } from '../support/free-port.ts';
import { forEachEngine } from '../support/harness.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { allSent, type Mailing, mailingList, mailsArrived, startMailing } from '../support/mails.ts';
import { createStorage } from '../support/storage.ts';
import { type SendingOptions, until } from '../support/webhooks.ts';

const HOUR_MS = 60 * 60 * 1000;
const PEOPLE = ['a', 'b', 'c', 'd'].map((name) => ({ email: `${name}@example.com` }));

forEachEngine((engine) => {
  const withServer = async (
    options: Parameters<typeof startMailServer>[0],
    run: (server: MailServer, service: Mailing) => Promise<void>,
    { url = (server) => server.url, ...more }: SendingOptions & { url?: (server: MailServer) => string } = {},
  ) => {
    const server = await startMailServer(options);
    const service = await startMailing(engine, { url: url(server) }, more);
    try {
      await run(server, service);
    } finally {
      await service.close();
      await server.close();
    }
  };
  const rowsOf = (service: Mailing, queue: Queue) =>
    service.context.db.query
      .selectFrom('delivery')
      .select(['tries', 'attempts', 'due_at', 'failed_at'])
      .where('queue_id', '=', queue.id)
      .execute();
  /** Waits until attempts have failed for this reason; no mail has ended, and none has used up a try. */
  const assertPaused = async (service: Mailing, queue: Queue, reason: RegExp) => {
    await until('an attempt failed', async () => {
      const { mails } = await listMails(service.context, queue, { limit: 50 });
      return mails.some(({ error }) => reason.test(error ?? ''));
    });
    await until('nothing is under way', async () =>
      (await rowsOf(service, queue)).every(({ tries }) => tries === 0),
    );
    assert.ok((await rowsOf(service, queue)).every(({ failed_at }) => failed_at === null));
  };
  /** Goes on until everything was sent: what was put off is due by the clock of the test. */
  const assertSent = async (service: Mailing, queue: Queue) => {
    const moving = setInterval(() => {
      service.clock.advance(1_000);
      service.wake();
    }, 50);
    try {
      await allSent(service, queue);
    } finally {
      clearInterval(moving);
    }
  };
  const logged = ({ log }: Mailing, message: string) =>
    log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);

  describe('sending pauses without losing an email', () => {
    it('of a server that is gone ends when another one sends an email', async () => {
      await withServer({}, async (server, service) => {
        const { db, clock } = service.context;
        const list = await mailingList(service, ['welcome']);
        const gone = { error: 'refused the login', answer: null, since: 0, tried_at: clock() - HOUR_MS };
        const names = ['mail server', `sender of ${list.id}`];
        await db.query
          .insertInto('mail_pause')
          .values([
            ...names.map((name) => ({ name, ...gone })),
            { name: 'sending emails', ...gone, tried_at: clock() },
            { name: 'sender of wl_other', ...gone },
          ])
          .execute();
        await list.signup({ email: 'ada@example.com' });
        await mailsArrived(server, list, 1);
        const left = async () => (await readPauses(service.context)).map(({ name }) => name).sort();
        await until('the pauses ended', async () => (await left()).length === 2);
        // One was tried just now, and one is about another waitlist.
        assert.deepEqual(await left(), ['sender of wl_other', 'sending emails']);
      });
    });

    it('while the server refuses the sender of one waitlist, and others continue', async () => {
      await withServer({}, async (server, service) => {
        const refused = await mailingList(service, ['welcome']);
        const other = await mailingList(service, ['welcome']);
        let good = false;
        server.refuseSender = () => (good ? undefined : '550 5.7.1 Sender not allowed');
        await refused.signup(...PEOPLE);
        const queue = await refused.queue();
        await assertPaused(service, queue, /refused the sender hello@acme\.example \(550\)/);
        const [line] = logged(service, `sender of ${refused.id}: paused`);
        assert.equal(line.server, `127.0.0.1:${server.port}`);
        assert.match(line.answer, /Sender not allowed/);
        good = true;
        await other.signup({ email: 'other@example.com' });
        await mailsArrived(server, other, 1);
        await assertSent(service, queue);
        await mailsArrived(server, refused, PEOPLE.length);
      });
    });

    it('while the server rejects connections', async () => {
      await withServer({}, async (server, service) => {
        const list = await mailingList(service, ['welcome']);
        server.refuseConnection = () => '554 5.7.1 Blocked';
        await list.signup(...PEOPLE);
        const queue = await list.queue();
        await assertPaused(service, queue, /rejected the connection \(554\)/);
        assert.equal(logged(service, 'mail server: paused').length, 1);
        server.refuseConnection = () => undefined;
        await assertSent(service, queue);
        await mailsArrived(server, list, PEOPLE.length);
      });
    });

    it('while the server refuses the login, which is not retried for every email', async () => {
      await withServer(
        { login: true },
        async (server, service) => {
          const list = await mailingList(service, ['welcome']);
          await list.signup(...Array.from({ length: 60 }, (_, n) => ({ email: `p${n}@example.com` })));
          await assertPaused(service, await list.queue(), /refused the login \(535\)/);
          assert.ok(server.logins.length < 30, `${server.logins.length} logins`);
        },
        { url: (server) => server.url.replace('mailer:', 'nobody:'), dispatcher: { mailPausesMs: [60_000] } },
      );
    });

    it('while the server requires a login and none is configured', async () => {
      await withServer({}, async (server, service) => {
        const list = await mailingList(service, ['welcome']);
        server.refuseRecipient = (address) => `530 5.7.0 ${address}: authentication required`;
        await list.signup(...PEOPLE);
        const queue = await list.queue();
        await assertPaused(service, queue, /requires a login \(530\)/);
        assert.equal(logged(service, 'mail server: paused').length, 1);
        assert.ok(!service.log.some((line) => line.includes('@example.com')), 'nobody is named in the log');
        server.refuseRecipient = () => undefined;
        await assertSent(service, queue);
      });
    });

    it('while the server is unreachable', async () => {
      const port = await freePort(); // Not one that the service could be given as its own.
      const service = await startMailing(engine, { url: `smtp://127.0.0.1:${port}` });
      let server: MailServer | undefined;
      try {
        const list = await mailingList(service, ['welcome']);
        await list.signup(...PEOPLE);
        const queue = await list.queue();
        await assertPaused(service, queue, new RegExp(`^127.0.0.1:${port} refused the connection`));
        assert.equal(logged(service, 'mail server: unreachable').length, 1);
        server = await startMailServer({ port });
        await assertSent(service, queue);
        await mailsArrived(server, list, PEOPLE.length);
      } finally {
        await service.close();
        await server?.close();
      }
    });

    it('when the password would be sent without TLS', async () => {
      await withServer(
        { login: true },
        async (server, service) => {
          const list = await mailingList(service, ['welcome']);
          await list.signup(...PEOPLE);
          await assertPaused(
            service,
            await list.queue(),
            /offers no TLS, and the password is not sent without it/,
          );
          assert.deepEqual([server.logins, server.received], [[], []]);
        },
        { url: (server) => server.url.replace('127.0.0.1', '0.0.0.0') }, // This machine, under a name that does not say so.
      );
    });
  });

  describe('a slow mail server', () => {
    it('gets its email once, because the claim is extended', async () => {
      await withServer(
        {},
        async (server, service) => {
          const list = await mailingList(service, ['welcome']);
          const { promise, resolve } = Promise.withResolvers();
          server.hold = promise;
          await list.signup({ email: 'slow@example.com' });
          const queue = await list.queue();
          const due = async () => (await rowsOf(service, queue))[0]?.due_at ?? 0;
          for (let round = 0; round < 4; round += 1) {
            service.clock.advance(30_000);
            await until('its lease was extended', async () => (await due()) >= service.clock.now + 35_000);
          }
          resolve(undefined);
          await allSent(service, queue);
          await mailsArrived(server, list, 1);
          assert.deepEqual((await rowsOf(service, queue))[0]?.attempts, 1);
        },
        { dispatcher: { deadlineMs: 20_000, leaseExtendedEveryMs: 50 } },
      );
    });

    it('does not cost a retry when the service stops meanwhile', async () => {
      const storage = await createStorage(engine, { migrated: true });
      const server = await startMailServer();
      const options = { storage, dispatcher: { drainMs: 400 } };
      const first = await startMailing(engine, server, options);
      let second: Mailing | undefined;
      const { promise, resolve } = Promise.withResolvers();
      try {
        const list = await mailingList(first, ['welcome']);
        let reached = false;
        server.hold = promise;
        server.refuseSender = () => {
          reached = true;
          return undefined;
        };
        await list.signup({ email: 'stopped@example.com' });
        await until('the mail is under way', () => reached);
        await first.stopSending();
        const [row] = await rowsOf(first, await list.queue());
        assert.deepEqual([row?.tries, row?.due_at], [0, first.clock.now]);
        server.hold = undefined;
        second = await startMailing(engine, server, options);
        await allSent(second, await list.queue());
      } finally {
        resolve(undefined);
        await second?.close();
        await first.close();
        await server.close();
        await storage.remove();
      }
    });
  });
});
