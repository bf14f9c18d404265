import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkSending } from '../../src/mail/check-sending.ts';
import { listMails } from '../../src/mail/mailbox.ts';
import { listSuppressions } from '../../src/waitlist/links/suppression.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { createWave } from '../../src/waitlist/waves/change-waves.ts';
import { readWave } from '../../src/waitlist/waves/waves.ts';
import { forEachEngine } from '../support/harness.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import {
  allSent,
  type Mailing,
  type MailingList,
  mailingList,
  mailsArrived,
  startMailing,
} from '../support/mails.ts';
import { createStorage } from '../support/storage.ts';
import { command } from '../support/terminal.ts';
import { until } from '../support/webhooks.ts';

const people = (count: number, at = 'example.com') =>
  Array.from({ length: count }, (_, n) => ({ email: `person${n}@${at}` }));
/** No mail is tried while the test looks. */
const LONG_PAUSE = { dispatcher: { mailPausesMs: [600_000] } };
const NOT_VERIFIED = '554 Message rejected: Email address is not verified.';
const UNKNOWN = '554 5.7.1 Rejected by rule 7 for your safety';

forEachEngine((engine) => {
  const withServer = async (
    run: (server: MailServer, service: Mailing) => Promise<void>,
    options: Parameters<typeof startMailing>[2] = {},
  ) => {
    const server = await startMailServer();
    const service = await startMailing(engine, server, options);
    try {
      await run(server, service);
    } finally {
      await service.close();
      await server.close();
    }
  };
  /** Refuses every email after `DATA`, and counts. */
  const refuse = (server: MailServer, line: string) => {
    const refused: string[] = [];
    server.refuseMail = ({ to }) => {
      refused.push(...to);
      return line;
    };
    return refused;
  };
  const statesOf = async (service: Mailing, list: MailingList) => {
    const { mails } = await listMails(service.context, await list.queue(), { limit: 200 });
    return Map.groupBy(mails, ({ state }) => state);
  };
  const paused = (service: Mailing) =>
    until('sending has paused', async () => (await checkSending(service.context)).length > 0);
  const nothingFailed = (service: Mailing, list: MailingList, count: number) =>
    until('every mail waits', async () => {
      const states = await statesOf(service, list);
      return states.get('pending')?.length === count && states.get('failed') === undefined;
    });
  /** What waits is due by the clock of the test. */
  const goingOn = async (service: Mailing, done: () => Promise<unknown>) => {
    const moving = setInterval(() => {
      service.clock.advance(500);
      service.wake();
    }, 50);
    try {
      await done();
    } finally {
      clearInterval(moving);
    }
  };

  describe('a mail server that refuses everyone after the email was sent', () => {
    for (const line of [NOT_VERIFIED, UNKNOWN]) {
      it(`gets at most 10 emails, none is lost, and all are sent once it accepts them: ${line}`, async () => {
        await withServer(async (server, service) => {
          const list = await mailingList(service, ['welcome']);
          const refused = refuse(server, line);
          await list.signup(...people(60));
          await paused(service);
          await nothingFailed(service, list, 60);
          assert.ok(refused.length <= 10, `${refused.length} were refused`);
          const [finding] = await checkSending(service.context);
          assert.equal(finding?.ok, false);
          assert.match(finding?.detail ?? '', /^paused for wl_.* refused (the )?email/);
          assert.ok(finding?.detail.includes(`It said: ${line}`), finding?.detail);
          const logged = service.log.filter((one) => one.includes(`sender of ${list.id}: paused`));
          assert.equal(logged.length, 1);
          assert.ok(logged[0]?.includes(line), logged[0]);
        }, LONG_PAUSE);
      });
    }

    it('gets one email now and then, and all of them by itself when it accepts that', async () => {
      await withServer(async (server, service) => {
        const list = await mailingList(service, ['welcome']);
        const refused = refuse(server, UNKNOWN);
        await list.signup(...people(40));
        await paused(service);
        await goingOn(service, async () => {
          await until('more were tried', () => refused.length >= 15);
          server.refuseMail = () => undefined;
          await allSent(service, await list.queue());
        });
        await mailsArrived(server, list, 40);
        assert.deepEqual(await checkSending(service.context), []);
      });
    });

    it('lets no wave begin a run while emails wait, so that no invite expires unseen', async () => {
      await withServer(async (server, service) => {
        const list = await mailingList(service, ['welcome', 'invite']);
        const queue = await list.queue();
        refuse(server, UNKNOWN);
        await list.signup(...people(20));
        await paused(service);
        await nothingFailed(service, list, 20); // What is under way must be recorded before its time is over.
        const { id } = await createWave(service.context, queue, { name: 'Trickle', keepOpen: 3 });
        service.clock.advance(60_000);
        await keepUp(service.context);
        const wave = await readWave(service.context, queue, id);
        assert.deepEqual([wave.invited, wave.state], [0, 'scheduled']);
        await goingOn(service, async () => {
          server.refuseMail = () => undefined;
          await allSent(service, queue);
          await keepUp(service.context);
          assert.equal((await readWave(service.context, queue, id)).invited, 3);
          await mailsArrived(server, list, 23);
        });
      });
    });

    it('stops the emails of all waitlists after 10, whoever sends them', async () => {
      await withServer(async (server, service) => {
        const lists = await Promise.all(Array.from({ length: 12 }, () => mailingList(service, ['welcome'])));
        const refused = refuse(server, UNKNOWN);
        for (const [n, list] of lists.entries()) await list.signup(...people(3, `list${n}.example`));
        await until('all sending has paused', async () =>
          (await checkSending(service.context)).some(({ detail }) =>
            /^paused for less than a minute: .* the last less than a minute ago$/.test(detail),
          ),
        );
        for (const list of lists.slice(-2)) await nothingFailed(service, list, 3);
        assert.ok(refused.length <= 15, `${refused.length} were refused, with 5 connections`);
        server.refuseMail = () => undefined;
      }, LONG_PAUSE);
    });

    it('is remembered when the service starts again: one email asks', async () => {
      const storage = await createStorage(engine, { migrated: true });
      const server = await startMailServer();
      const first = await startMailing(engine, server, { storage, ...LONG_PAUSE });
      let second: Mailing | undefined;
      try {
        const list = await mailingList(first, ['welcome']);
        const refused = refuse(server, UNKNOWN);
        await list.signup(...people(30));
        await paused(first);
        await nothingFailed(first, list, 30);
        await first.stopSending();
        const before = refused.length;
        second = await startMailing(engine, server, {
          storage,
          ...LONG_PAUSE,
          startAt: first.clock.now + 3_600_000,
        });
        await until('one was tried', () => refused.length > before);
        await nothingFailed(second, list, 30);
        assert.equal(refused.length, before + 1);
        const status = await command<{ findings: { what: string; ok: boolean; detail: string }[] }>(
          storage.environment,
          'status',
        );
        const finding = status.json.findings.find(({ what }) => what === 'sending emails');
        assert.equal(finding?.ok, false);
        assert.match(finding?.detail ?? '', /Rejected by rule 7/);
      } finally {
        await second?.close();
        await first.close();
        await server.close();
        await storage.remove();
      }
    });
  });

  describe('a mail server that refuses some', () => {
    it('has those fail that it refuses among others, and goes on', async () => {
      await withServer(async (server, service) => {
        const list = await mailingList(service, ['welcome']);
        server.refuseMail = ({ to }) => (to[0]?.startsWith('bad') ? UNKNOWN : undefined);
        for (let n = 0; n < 6; n += 1) {
          await list.signup({ email: `bad${n}@example.com` });
          await until(
            'it failed',
            async () => (await statesOf(service, list)).get('failed')?.length === n + 1,
          );
          await list.signup({ email: `good${n}@example.com` });
          await mailsArrived(server, list, n + 1);
        }
        assert.deepEqual(await checkSending(service.context), []);
      });
    });

    it('does not stop for many addresses that do not exist', async () => {
      await withServer(async (server, service) => {
        const list = await mailingList(service, ['welcome']);
        server.refuseRecipient = () => '550 5.1.1 No such user';
        await list.signup(...people(20));
        await until('all failed', async () => (await statesOf(service, list)).get('failed')?.length === 20);
        assert.equal((await listSuppressions(service.context, await list.queue(), 50)).length, 20);
        assert.deepEqual(await checkSending(service.context), []);
      });
    });

    it('lets an email end that alone is refused as if the sender were at fault', async () => {
      await withServer(async (server, service) => {
        const list = await mailingList(service, ['welcome']);
        server.refuseMail = ({ to }) => (to[0]?.startsWith('bad') ? NOT_VERIFIED : undefined);
        const bad = async () => {
          const { mails } = await listMails(service.context, await list.queue(), { limit: 50 });
          return mails.find(({ to }) => to === 'bad@example.com');
        };
        await list.signup({ email: 'bad@example.com' });
        let attempts = 0;
        for (let good = 1; (await bad())?.state !== 'failed'; good += 1) {
          assert.ok(good < 20, 'it does not end');
          service.wake();
          await until('it was refused', async () => ((await bad())?.attempts ?? 0) > attempts);
          await list.signup({ email: `good${good}@example.com` });
          // Recorded, because a lease ends when the clock moves on.
          await goingOn(service, () =>
            until(
              'the next was sent',
              async () => (await statesOf(service, list)).get('sent')?.length === good,
            ),
          );
          await until('the refusal is recorded', async () => (await bad())?.error !== null);
          attempts = (await bad())?.attempts ?? 0;
          service.clock.advance(30 * 3_600_000);
        }
        assert.ok(attempts >= 10, `${attempts} attempts`);
      });
    });
  });
});
