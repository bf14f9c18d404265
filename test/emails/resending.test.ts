import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MailSummary } from '../../src/mail/mail-log.ts';
import { listMails } from '../../src/mail/mailbox.ts';
import type { Resent } from '../../src/mail/resend.ts';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import { hashOf, suppress } from '../../src/waitlist/links/suppression.ts';
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
import { createStorage, type Storage } from '../support/storage.ts';
import { command, typed } from '../support/terminal.ts';
import { until } from '../support/webhooks.ts';

const HOUR_MS = 60 * 60 * 1000;

forEachEngine((engine) => {
  const withStorage = async (run: (storage: Storage, server: MailServer) => Promise<void>) => {
    const storage = await createStorage(engine, { migrated: true });
    const server = await startMailServer();
    try {
      await run(storage, server);
    } finally {
      await server.close();
      await storage.remove();
    }
  };
  /** The command line goes by the real clock: the service is an hour ahead, so that what it queues is due. */
  const during = async (
    storage: Storage,
    server: MailServer | undefined,
    run: (service: Mailing) => Promise<void>,
  ) => {
    const service = await startMailing(engine, server, { storage, startAt: Date.now() + HOUR_MS });
    try {
      await run(service);
    } finally {
      await service.close();
    }
  };
  const inMailbox = async (
    service: Mailing,
    list: MailingList,
    state: MailSummary['state'],
    count: number,
  ) => {
    const queue = await service.context.registry.queue(list.id, 'production');
    assert.ok(queue);
    const found = async () => (await listMails(service.context, queue, { limit: 200, state })).mails;
    await until(`${count} mails are ${state}`, async () => (await found()).length === count);
    return found();
  };

  describe('mail resend', () => {
    it('sends emails kept before there was a mail server, except to people who must not get them', async () => {
      await withStorage(async (storage, server) => {
        let list: MailingList | undefined;
        await during(storage, undefined, async (service) => {
          const made = await mailingList(service, ['welcome', 'invite']);
          list = made;
          const names = ['ada', 'bob', 'unsubscribed', 'erased'];
          await made.signup(...names.map((name) => ({ email: `${name}@example.com` })));
          await made.invite('live@example.com');
          const revoked = await made.invite('revoked@example.com');
          await inMailbox(service, made, 'kept', 6);
          const queue = await made.queue();
          await service.revoke(revoked.id);
          await suppress(
            service.context.db.query,
            queue,
            hashOf(queue, 'unsubscribed@example.com'),
            'unsubscribed',
            0,
          );
          await eraseEntry(service.context, queue, 'erased@example.com');
        });
        assert.ok(list);
        const kept = list;
        await during(storage, server, async (service) => {
          const resend = (...words: string[]) =>
            command<Resent & { dryRun: boolean }>(
              storage.environment,
              'mail',
              'resend',
              ...words,
              '--waitlist',
              kept.id,
            );
          const skipped = { suppressed: 1, erased: 1, 'invite ended': 1 };
          assert.deepEqual((await resend('--kept', '--dry-run')).json, { resent: 3, skipped, dryRun: true });
          const dry = ['mail', 'resend', '--kept', '--dry-run', '--waitlist', kept.id];
          const { out } = await typed(storage.environment, ...dry);
          assert.match(out, /^Would resend 3 emails\. Skipped: .*1 \(invite ended\)/);
          assert.deepEqual((await resend('--failed')).json.resent, 0);
          assert.equal((await resend('--kept', '--kind', 'invite', '--dry-run')).json.resent, 1);
          assert.equal(server.received.length, 0);
          assert.deepEqual((await resend('--kept')).json, { resent: 3, skipped, dryRun: false });
          service.wake();
          const mails = await mailsArrived(server, kept, 3);
          assert.deepEqual(mails.flatMap(({ to }) => to).sort(), [
            'ada@example.com',
            'bob@example.com',
            'live@example.com',
          ]);
          await inMailbox(service, kept, 'sent', 3);
          assert.equal((await resend('--kept')).json.resent, 0);
        });
      });
    });

    it('resends one email, or explains why not', async () => {
      await withStorage(async (storage, server) => {
        await during(storage, server, async (service) => {
          const list = await mailingList(service, ['welcome']);
          await list.signup({ email: 'ada@example.com' });
          const queue = await list.queue();
          await allSent(service, queue);
          const [mail] = await inMailbox(service, list, 'sent', 1);
          const words = ['mail', 'resend', mail?.id ?? '', '--waitlist', list.id];
          const printed = await typed(storage.environment, ...words);
          assert.deepEqual([printed.code, printed.out], [0, 'Queued 1 email for sending.']);
          service.wake();
          const twice = await mailsArrived(server, list, 2);
          assert.equal(twice[0]?.parsed.messageId, twice[1]?.parsed.messageId);
          await allSent(service, queue);
          await eraseEntry(service.context, queue, 'ada@example.com');
          const refused = await typed(storage.environment, ...words);
          assert.equal(refused.code, 1);
          assert.match(refused.error, /was not resent: the person was erased/);
          const development = await typed(storage.environment, ...words, '--env', 'development');
          assert.match(development.error, /emails in development are never sent/);
          const nothing = await typed(storage.environment, 'mail', 'resend', '--waitlist', list.id);
          assert.equal(nothing.code, 2);
          assert.match(nothing.error, /MAIL_ID, --kind, --kept or --failed is required/);
        });
      });
    });
  });

  describe('mail retry', () => {
    it('resends failed emails, all or since a time, and no others', async () => {
      await withStorage(async (storage, server) => {
        await during(storage, server, async (service) => {
          const list = await mailingList(service, ['welcome']);
          await list.signup({ email: 'good@example.com' });
          await mailsArrived(server, list, 1);
          const [good] = await inMailbox(service, list, 'sent', 1);
          server.refuseMail = () => '554 5.7.1 Spam';
          await list.signup({ email: 'x@example.com' }, { email: 'y@example.com' });
          const failed = await inMailbox(service, list, 'failed', 2);
          server.refuseMail = () => undefined;
          const mail = (...words: string[]) =>
            command<Record<string, unknown>>(storage.environment, 'mail', ...words, '--waitlist', list.id);
          const listed = await mail('list', '--state', 'failed');
          assert.deepEqual(
            (listed.json.mails as MailSummary[]).map(({ id }) => id),
            failed.map(({ id }) => id),
          );
          assert.equal((await mail('list', '--state', 'lost')).code, 2);
          const later = new Date(service.clock.now + HOUR_MS).toISOString();
          assert.equal((await mail('retry', '--since', later)).json.resent, 0);
          assert.equal((await mail('retry', '--since', '1d', '--dry-run')).json.resent, 2);
          const refused = await mail('retry', good?.id ?? '');
          assert.equal(refused.code, 1);
          assert.match(refused.error, /is sent, not failed/);
          assert.equal((await mail('retry', failed[0]?.id ?? '')).json.resent, 1);
          service.wake();
          await mailsArrived(server, list, 2);
          assert.equal((await mail('retry')).json.resent, 1);
          service.wake();
          await mailsArrived(server, list, 3);
        });
      });
    });
  });
});
