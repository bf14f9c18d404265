import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { listMails } from '../../src/mail/mailbox.ts';
import { resendMails } from '../../src/mail/resend.ts';
import { rememberSending } from '../../src/mail/sending.ts';
import { updateMailSettings } from '../../src/mail/update-settings.ts';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import { removeEntry } from '../../src/waitlist/invites/removal.ts';
import { hashOf, suppress } from '../../src/waitlist/links/suppression.ts';
import { afterTest } from '../support/cleanup.ts';
import { type DocumentedClient, documentedClient } from '../support/documented-client.ts';
import { openForm } from '../support/forms.ts';
import { assertError, forEachEngine } from '../support/harness.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import {
  type Mailing,
  type MailingList,
  mailingList,
  mailsArrived,
  nothingPending,
  startMailing,
} from '../support/mails.ts';
import { printedCommand } from '../support/printed-command.ts';
import { startCommand } from '../support/process.ts';
import { createStorage, type Storage } from '../support/storage.ts';
import { command, typed } from '../support/terminal.ts';

const HOUR_MS = 60 * 60 * 1000;
/** More than two steps of the job. */
const CROWD = 500;

interface Mailable {
  mailable: boolean;
  reason: string | null;
  message: string | null;
}
interface Invite {
  id: string;
  email: string;
  mail: { state: string } | null;
  mailable: Mailable;
}
interface Status {
  kinds: (Mailable & { kind: string })[];
  kept: number;
}
interface Job {
  id: string;
  kind: string;
  state: string;
  total: number | null;
  result: unknown;
}

forEachEngine((engine) => {
  /** The command line goes by the real clock: the service is ahead, so that what it queues is due. */
  const during = async (
    storage: Storage,
    server: MailServer | undefined,
    run: (service: Mailing, admin: DocumentedClient) => Promise<void>,
  ) => {
    const service = await startMailing(engine, server, { storage, startAt: Date.now() + HOUR_MS });
    try {
      await run(service, await documentedClient(service, 'admin'));
    } finally {
      await service.close();
    }
  };
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
  const api = (admin: DocumentedClient, { id }: MailingList) => {
    const base = `/waitlists/${id}`;
    return {
      invite: (body: object, query = '') =>
        admin.call<Invite>('createInvites', 'POST', `${base}/invites${query}`, { body }),
      invites: async (query = '') =>
        (await admin.call<{ invites: Invite[] }>('listInvites', 'GET', `${base}/invites${query}`)).body
          .invites,
      resend: (inviteId: string) =>
        admin.call<Invite>('resendInvite', 'POST', `${base}/invites/${inviteId}/resend`),
      status: async (query = '') =>
        (await admin.call<Status>('getMailStatus', 'GET', `${base}/mail/status${query}`)).body,
      sendKept: (query = '', body?: object) =>
        admin.call<Job>('sendKeptMails', 'POST', `${base}/mails/send-kept${query}`, body ? { body } : {}),
    };
  };
  const reasonOf = ({ kinds }: Status, kind: string) => kinds.find((one) => one.kind === kind)?.reason;

  describe('whether an email is sent', () => {
    it('is the same for the API, the list of invites and the command line', async () => {
      await withStorage(async (storage) => {
        await during(storage, undefined, async (service, admin) => {
          const list = await mailingList(service, ['invite']);
          const { invite, invites, resend, status } = api(admin, list);
          await list.signup({ email: 'first@example.com' });
          const made = await invite({ email: 'ada@example.com' });
          assert.deepEqual([made.status, made.body.mailable.reason], [201, 'no_mail_server'], made.text);
          assert.match(
            made.body.mailable.message ?? '',
            /no mail server, so emails are kept\. Set DOORLIST_SMTP_URL/,
          );
          const dry = await invite({ first: 1, dryRun: true });
          assert.equal(dry.body.mailable.reason, 'no_mail_server');
          const job = await invite({ first: 1 });
          assert.deepEqual([job.status, job.body.mailable.reason], [202, 'no_mail_server']);
          await nothingPending(service.context, list);
          assert.deepEqual(
            (await invites()).map(({ email, mail }) => [email, mail?.state]),
            [['ada@example.com', 'kept']],
          );
          const again = await resend(made.body.id);
          assert.deepEqual([again.status, again.body.mailable.reason], [200, 'no_mail_server']);
          await nothingPending(service.context, list);
          const before = await status();
          assert.deepEqual(
            [before.kept, reasonOf(before, 'invite'), reasonOf(before, 'welcome')],
            [2, 'no_mail_server', 'kind_off'],
          );
          assertError(await api(admin, list).sendKept(), 409, 'conflict', /there is no mail server/);

          const words = ['invite', 'create', '--waitlist', list.id, '--email', 'cli@example.com'];
          const { out } = await typed(storage.environment, ...words);
          assert.match(out, /never expires\nNot emailed\. There is no mail server/);
          const { json } = await command<Invite>(storage.environment, ...words);
          assert.equal(json.mailable.reason, 'no_mail_server');
          const first = await typed(storage.environment, 'invite', 'first', '1', '--waitlist', list.id);
          assert.match(first.out, /^Invited 1 person\..*\nNot emailed\. There is no mail server/);
          const kept = await typed(storage.environment, 'mail', 'send-kept', '--waitlist', list.id);
          assert.deepEqual([kept.code, /there is no mail server/.test(kept.error)], [1, true], kept.error);

          const development = await invite({ email: 'dev@example.com' }, '?environment=development');
          assert.equal(development.body.mailable.reason, 'environment');
          await updateMailSettings(service.context, list.id, { kinds: [] });
          const off = await invite({ email: 'off@example.com' });
          assert.deepEqual([off.body.mailable.reason, off.body.mail], ['kind_off', null]);
          const cli = await typed(storage.environment, 'mail', 'status', '--waitlist', list.id);
          assert.match(cli.out, /^invite +no +The email "Invite" is off for this waitlist/m);
        });
      });
    });

    it('says so of a person whose address bounced, and of a pause', async () => {
      await withStorage(async (storage, server) => {
        await during(storage, server, async (service, admin) => {
          const list = await mailingList(service, ['invite', 'welcome']);
          const { invite, invites, resend, status } = api(admin, list);
          const queue = await list.queue();
          await suppress(service.context.db.query, queue, hashOf(queue, 'gone@example.com'), 'bounced', 0);
          await list.signup({ email: 'gone@example.com' }, { email: 'here@example.com' });
          await nothingPending(service.context, list);
          const dry = await admin.call<{ count: number; bounced: number; mailable: Mailable }>(
            'createInvites',
            'POST',
            `/waitlists/${list.id}/invites`,
            { body: { first: 10, dryRun: true } },
          );
          assert.deepEqual([dry.body.count, dry.body.bounced, dry.body.mailable.mailable], [2, 1, true]);
          const here = await invite({ email: 'here@example.com' });
          assert.deepEqual(here.body.mailable, { mailable: true, reason: null, message: null });
          const gone = await invite({ email: 'gone@example.com' });
          assert.equal(gone.body.mailable.reason, 'bounced');
          assert.equal((await resend(gone.body.id)).body.mailable.reason, 'bounced');
          await nothingPending(service.context, list);
          assert.deepEqual((await invites()).map(({ email, mail }) => [email, mail?.state]).sort(), [
            ['gone@example.com', 'failed'],
            ['here@example.com', 'sent'],
          ]);
          const { out } = await typed(
            storage.environment,
            ...['mail', 'status', '--waitlist', list.id, '--to', 'gone@example.com'],
          );
          assert.match(out, /^invite +no +The address bounced/m);
          assert.equal(reasonOf(await status(), 'invite'), null);
          const pause = {
            name: `sender of ${list.id}`,
            error: 'refused',
            answer: null,
            since: 0,
            tried_at: 0,
          };
          await service.context.db.query.insertInto('mail_pause').values(pause).execute();
          const paused = await status();
          assert.equal(reasonOf(paused, 'invite'), 'sending_paused');
          const note = paused.kinds.find(({ kind }) => kind === 'invite')?.message ?? '';
          assert.match(note, /^Sending is paused: refused\. Emails wait and are sent once it works again/);
        });
      });
    });
  });

  describe('sending kept emails', () => {
    it('sends people who used the form what they need, although its kind was turned off', async () => {
      await withStorage(async (storage) => {
        await during(storage, undefined, async (service) => {
          const { context } = service;
          const list = await mailingList(service, ['welcome', 'moved-up']);
          const { join, queue } = await openForm(service, {}, list);
          await join({ email: 'ada@example.com' });
          await join({
            email: 'friend@example.com',
            ref: (await list.lookup('ada@example.com')).body.referralCode,
          });
          await nothingPending(context, list);
          await updateMailSettings(context, list.id, { kinds: [] });
          assert.deepEqual(await resendMails(context, queue, { states: ['kept'] }, { dryRun: true }), {
            resent: 2,
            skipped: { 'turned off': 1 },
          });
        });
      });
    });

    it('sends each that still makes sense once, and gives up the others with the reason', async () => {
      await withStorage(async (storage, server) => {
        const kept: MailingList[] = [];
        await during(storage, undefined, async (service, admin) => {
          const list = await mailingList(service, ['confirm', 'welcome', 'moved-up', 'invite']);
          kept.push(list);
          const queue = await list.queue();
          const { context, clock } = service;
          const names = ['ada', 'unsubscribed', 'erased', 'removed', 'moved-on'];
          await list.signup(...names.map((name) => ({ email: `${name}@example.com` })));
          const open = await list.invite('open@example.com');
          await list.invite('bounced@example.com');
          await list.invite('expired@example.com', { expiresAt: clock.now + 60_000 });
          const revoked = await list.invite('revoked@example.com');
          const accepted = await list.invite('accepted@example.com');
          await list.invite('moved-on@example.com');
          await nothingPending(context, list);
          await api(admin, list).resend(open.id);
          await nothingPending(context, list);
          await service.revoke(revoked.id);
          await service.accept(accepted.code);
          clock.advance(120_000);
          await suppress(
            context.db.query,
            queue,
            hashOf(queue, 'unsubscribed@example.com'),
            'unsubscribed',
            0,
          );
          await suppress(context.db.query, queue, hashOf(queue, 'bounced@example.com'), 'bounced', 0);
          await eraseEntry(context, queue, 'erased@example.com');
          await removeEntry(context, queue, (await list.lookup('removed@example.com')).body.id);
          await updateMailSettings(context, list.id, { kinds: ['confirm', 'welcome', 'invite'] });
        });
        const [list] = kept as [MailingList];
        await during(storage, server, async (service, admin) => {
          const { context } = service;
          const { status, sendKept } = api(admin, list);
          service.clock.advance(240_000);
          const count = (await status()).kept;
          assertError(await sendKept('?environment=development'), 400, 'invalid_request', /never sent/);
          const { out } = await typed(storage.environment, 'mail', 'status', '--waitlist', list.id);
          const dry = await command<{ resent: number; skipped: Record<string, number> }>(
            storage.environment,
            ...[...printedCommand(out), '--dry-run'],
          );
          assert.deepEqual(dry.json.skipped, {
            suppressed: 2,
            erased: 1,
            removed: 1,
            'no longer needed': 1,
            'newer email': 1,
            'invite ended': 2, // By the clock of the command line, one has not expired yet.
          });
          const started = await sendKept();
          assert.deepEqual(
            [started.status, started.body.kind, started.body.total],
            [202, 'mail-send-kept', count],
            started.text,
          );
          await service.runJobs();
          const { body: job } = await admin.call<Job>('getJob', 'GET', `/jobs/${started.body.id}`);
          assert.deepEqual([job.state, job.result], ['done', { resent: 3, skipped: 9 }]);
          service.wake();
          const arrived = await mailsArrived(server, { ...list, queue: () => queueOf(service, list) }, 3);
          assert.deepEqual(arrived.flatMap(({ to }) => to).sort(), [
            'ada@example.com',
            'moved-on@example.com',
            'open@example.com',
          ]);
          const queue = await queueOf(service, list);
          const { mails } = await listMails(context, queue, { limit: 200, state: 'failed' });
          const errors = new Map(mails.map(({ to, error }) => [to, error]));
          assert.equal(errors.get('revoked@example.com'), errors.get('expired@example.com'));
          assert.match(
            errors.get('expired@example.com') ?? '',
            /^not sent: the invite was accepted, was revoked/,
          );
          assert.match(errors.get('removed@example.com') ?? '', /^not sent: the person was removed/);
          assert.equal((await status()).kept, 0);
          assert.deepEqual((await admin.audited('mail.resent')).after?.states, ['kept']);
        });
      });
    });

    it('looks again right before sending: an invite that ended meanwhile is not mailed', async () => {
      await withStorage(async (storage, server) => {
        await during(storage, server, async (service) => {
          const list = await mailingList(service, ['invite']);
          await service.stopSending();
          const ended = await list.invite('ended@example.com');
          await list.invite('open@example.com');
          await service.revoke(ended.id);
          await during(storage, server, async (next) => {
            next.wake();
            const arrived = await mailsArrived(server, list, 1);
            assert.deepEqual(arrived[0]?.to, ['open@example.com']);
            await nothingPending(next.context, list);
          });
          const { mails } = await listMails(service.context, await list.queue(), {
            limit: 10,
            state: 'failed',
          });
          assert.match(
            mails[0]?.error ?? '',
            /^not sent: the invite was accepted, was revoked or has expired/,
          );
        });
      });
    });

    it('goes on after kill -9, and makes nothing due twice', async () => {
      await withStorage(async (storage, server) => {
        await during(storage, undefined, async (service) => {
          const list = await mailingList(service, ['welcome']);
          for (let from = 0; from < CROWD; from += 100)
            await list.signup(
              ...Array.from({ length: 100 }, (_, n) => ({ email: `p${from + n}@example.com` })),
            );
          await nothingPending(service.context, list);
          await service.stopSending();
          await rememberSending(service.context, { ...service.config, smtpUrl: server.url });
          const queue = await list.queue();
          const { query } = service.context.db;
          const jobs = () =>
            query.selectFrom('job').select(['done', 'result']).where('queue_id', '=', queue.id).execute();
          const words = ['mail', 'send-kept', '--waitlist', list.id];
          const { child, finished } = startCommand(storage.environment, ...words);
          afterTest(() => child.kill('SIGKILL'));
          while (child.exitCode === null && ((await jobs())[0]?.done ?? 0) === 0) await setTimeout(1);
          child.kill('SIGKILL');
          await finished;
          await service.runJobs();
          assert.deepEqual(
            (await jobs()).map(({ done, result }) => [done, JSON.parse(result ?? '')]),
            [[CROWD, { resent: CROWD, skipped: 0 }]],
          );
          const due = query.selectFrom('delivery').select('event_id').where('queue_id', '=', queue.id);
          assert.equal((await due.where('due_at', 'is not', null).execute()).length, CROWD);
        });
      });
    });
  });

  const queueOf = async (service: Mailing, { id }: MailingList) => {
    const queue = await service.context.registry.queue(id, 'production');
    assert.ok(queue);
    return queue;
  };
});
