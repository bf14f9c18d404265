import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LANGUAGES, textsIn } from '../../src/languages/languages.ts';
import { showMail } from '../../src/mail/mailbox.ts';
import { previewMail } from '../../src/mail/preview.ts';
import { resendMail } from '../../src/mail/resend.ts';
import { updateMailSettings } from '../../src/mail/update-settings.ts';
import { updateEntry } from '../../src/waitlist/entries/update-entry.ts';
import { expireInvites } from '../../src/waitlist/invites/end-invites.ts';
import { remindInvited } from '../../src/waitlist/invites/remind-invited.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { forEachEngine } from '../support/harness.ts';
import type { MailServer } from '../support/mail-server.ts';
import {
  allSent,
  countMails,
  header,
  type Mailing,
  mailInState,
  mailingList,
  mailsArrived,
  mailsOf,
  PUBLIC_URL,
  withMailing,
} from '../support/mails.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

forEachEngine('claims', (engine) => {
  describe('mails', () => {
    let server: MailServer;
    let service: Mailing;
    withMailing(engine, (made) => {
      ({ server, service } = made);
    });

    it('include one welcome email, with the right recipient, headers and both parts', async () => {
      const list = await mailingList(service, ['welcome']);
      await updateMailSettings(service.context, list.id, {
        from: 'team@acme.example',
        fromName: 'Acme "Team", Inc.',
        replyTo: 'help@acme.example',
        referralUrl: 'https://acme.example/?ref={referralCode}',
        footer: 'Acme Inc.\n1 Example Street',
      });
      await list.signup({ email: 'first@example.com' }, { email: 'Ada@example.com' });
      const mails = await mailsArrived(server, list, 2);
      const mail = mails.find(({ to }) => to[0] === 'Ada@example.com');
      assert.ok(mail);
      const { parsed } = mail;
      const { body: entry } = await list.lookup('ada@example.com');
      assert.deepEqual(mail.to, ['Ada@example.com']);
      assert.equal(mail.from, 'team@acme.example');
      assert.deepEqual(parsed.from, { name: 'Acme "Team", Inc.', address: 'team@acme.example' });
      assert.deepEqual(
        parsed.to?.map(({ address }) => address),
        ['Ada@example.com'],
      );
      assert.deepEqual(
        parsed.replyTo?.map(({ address }) => address),
        ['help@acme.example'],
      );
      assert.equal(parsed.cc, undefined);
      assert.equal(parsed.bcc, undefined);
      assert.equal(parsed.subject, `You are on the ${list.name} waitlist`);
      assert.match(parsed.messageId ?? '', /^<evt_[0-9a-z]{26}@acme\.example>$/);
      assert.equal(new Date(parsed.date ?? '').getTime(), service.clock.now);
      assert.match(
        header(mail, 'list-unsubscribe') ?? '',
        new RegExp(`^<${PUBLIC_URL}/unsubscribe/[\\w-]+>$`),
      );
      assert.equal(header(mail, 'list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
      for (const part of [parsed.text ?? '', parsed.html ?? '']) {
        assert.match(part, /number 2/);
        assert.ok(part.includes(`https://acme.example/?ref=${entry.referralCode}`), part);
        assert.match(part, /1 Example Street/);
        assert.match(part, /\/leave\//);
      }
      assert.doesNotMatch(parsed.html ?? '', /<img|<script/);
      assert.equal(parsed.attachments.length, 0);
    });

    it('are only those that people must act on by default', async () => {
      const name = 'Defaults of Acme';
      const list = { ...(await service.waitlist({ name })), name };
      await list.signup({ email: 'quiet@example.com' });
      assert.equal(await countMails(service.context, list), 0);
      await list.invite('quiet@example.com');
      await mailsArrived(server, list, 1);
      assert.equal(await countMails(service.context, list), 1);
    });

    it('go to nobody without an email address', async () => {
      const list = await mailingList(service, ['welcome']);
      await list.signup({ phone: '+14155550100' });
      assert.equal(await countMails(service.context, list), 0);
    });

    it('tell a referrer that they moved up at most once a day', async () => {
      const list = await mailingList(service, ['moved-up']);
      await list.signup(...['a', 'b', 'c'].map((name) => ({ email: `${name}@example.com` })));
      await list.signup({ email: 'd@example.com', referredBy: 'c@example.com' });
      await list.signup({ email: 'e@example.com', referredBy: 'c@example.com' });
      await list.signup({ email: 'f@example.com', referredBy: 'c@example.com' });
      const [mail] = await mailsArrived(server, list, 1);
      assert.match(mail?.parsed.text ?? '', /number 1 in line, with 1 referral\./);
      assert.equal(await countMails(service.context, list), 1);
      await allSent(service, await list.queue());
      service.clock.advance(DAY_MS);
      await list.signup({ email: 'g@example.com', referredBy: 'c@example.com' });
      await mailsArrived(server, list, 2);
      assert.equal(await countMails(service.context, list), 2);
    });

    it('have the date of their event, or of the day on which they are sent long after it', async () => {
      const list = await mailingList(service, ['welcome']);
      const queue = await list.queue();
      await list.signup({ email: 'ada@example.com' });
      const [first] = await mailsArrived(server, list, 1);
      const { id } = await mailInState(service, queue, 'sent');
      const again = async (days: number, count: number) => {
        service.clock.advance(days * DAY_MS);
        await resendMail(service.context, queue, id, {});
        const mail = (await mailsArrived(server, list, count)).at(-1);
        await allSent(service, queue);
        return mail;
      };
      const retried = await again(2, 2);
      assert.equal(retried?.raw, first?.raw);
      const late = await again(28, 3);
      assert.equal(late?.parsed.messageId, first?.parsed.messageId);
      const days = (Date.parse(late?.parsed.date ?? '') - Date.parse(first?.parsed.date ?? '')) / DAY_MS;
      assert.equal(Math.round(days), 30);
    });

    it('have a link that works, also when they are sent long after their event', async () => {
      const list = await mailingList(service, ['confirm'], { confirm: true });
      const queue = await list.queue();
      await list.signup({ email: 'ada@example.com' });
      await mailsArrived(server, list, 1);
      const { id } = await mailInState(service, queue, 'sent');
      service.clock.advance(28 * DAY_MS);
      await resendMail(service.context, queue, id, {});
      const late = (await mailsArrived(server, list, 2)).at(-1);
      const [, link = ''] = new RegExp(`${PUBLIC_URL}(/confirm/[\\w-]+)`).exec(late?.parsed.text ?? '') ?? [];
      const { status } = await service.request('POST', link, { headers: { accept: 'text/html' } });
      assert.deepEqual([status, (await list.lookup('ada@example.com')).body.status], [200, 'waiting']);
    });

    it('promise no better place where referrals move nobody up', async () => {
      const list = await mailingList(service, ['welcome', 'moved-up']);
      const referralUrl = 'https://acme.example/?r={referralCode}';
      await updateMailSettings(service.context, list.id, { referralUrl });
      await updateWaitlist(service.context, list.id, { boost: 0 });
      await list.signup({ email: 'ada@example.com' });
      const [mail] = await mailsArrived(server, list, 1);
      assert.match(mail?.parsed.text ?? '', /Spread the word\n\nShare your link with friends\.\n\nhttps:/);
      for (const language of LANGUAGES) {
        const texts = textsIn(language);
        const { text } = await previewMail(
          service.context,
          await list.queue(),
          { kind: 'welcome', language },
          { publicUrl: PUBLIC_URL, defaultFrom: 'x@y.z' },
        );
        assert.ok(text.includes(`${texts.share.titleUnmoved}\n\n${texts.share.text}\n\nhttps:`), text);
        assert.ok(!text.includes(texts.share.title), text);
      }
      await list.signup({ email: 'bob@example.com', referredBy: 'ada@example.com' });
      await mailsArrived(server, list, 2);
      assert.equal(await countMails(service.context, list), 2, 'nobody moved up');
    });

    it('say the position that the API says, also behind people who were moved to the end', async () => {
      const list = await mailingList(service, ['welcome']);
      await list.signup({ email: 'a@example.com' }, { email: 'b@example.com' }, { email: 'c@example.com' });
      for (const email of ['a@example.com', 'b@example.com']) {
        const { id } = (await list.lookup(email)).body;
        await updateEntry(service.context, await list.queue(), id, { position: 3 });
      }
      await list.signup({ email: 'd@example.com' });
      const welcome = (await mailsArrived(server, list, 4)).find(({ to }) => to.includes('d@example.com'));
      assert.equal((await list.lookup('d@example.com')).body.position, 4);
      assert.match(welcome?.parsed.text ?? '', /You are number 4 in line/);
    });

    it('ask everyone but the first in line whether they want to get in sooner', async () => {
      const list = await mailingList(service, ['welcome']);
      await updateMailSettings(service.context, list.id, {
        referralUrl: 'https://acme.example/?r={referralCode}',
      });
      await list.signup({ email: 'ada@example.com' }, { email: 'bob@example.com' });
      for (const language of LANGUAGES) {
        const { share } = textsIn(language);
        const headings = { ada: share.titleUnmoved, bob: share.title };
        for (const [name, heading] of Object.entries(headings)) {
          const { text } = await previewMail(
            service.context,
            await list.queue(),
            { kind: 'welcome', language, entry: `${name}@example.com` },
            { publicUrl: PUBLIC_URL, defaultFrom: 'x@y.z' },
          );
          assert.ok(text.includes(`${heading}\n\n`), text);
        }
      }
    });

    it('carry the invite code and link, ours or the waitlist’s own, without an unsubscribe link', async () => {
      const list = await mailingList(service, ['invite']);
      const ours = await list.invite('ada@example.com');
      const [first] = await mailsArrived(server, list, 1);
      assert.ok(first);
      for (const part of [first.parsed.text, first.parsed.html])
        assert.ok(part?.includes(`${PUBLIC_URL}/join/${ours.code}`), part);
      assert.equal(header(first, 'list-unsubscribe'), undefined);
      await updateMailSettings(service.context, list.id, {
        joinUrl: 'https://app.example.com/join?code={code}',
      });
      const own = await list.invite('grace@example.com');
      await mailsArrived(server, list, 2);
      const second = mailsOf(server, list).find(({ to }) => to[0] === 'grace@example.com');
      assert.ok(second?.parsed.text?.includes(`https://app.example.com/join?code=${own.code}`));
    });

    it('include one invite reminder before the invite expires, unless it was accepted', async () => {
      const list = await mailingList(service, ['invite-reminder']);
      await updateMailSettings(service.context, list.id, { inviteReminderMs: DAY_MS });
      const expiresAt = service.clock.now + 3 * DAY_MS;
      await list.invite('late@example.com', { expiresAt });
      const taken = await list.invite('quick@example.com', { expiresAt });
      await list.invite('short@example.com', { expiresAt: service.clock.now + DAY_MS / 2 });
      await service.accept(taken.code);
      await keepUp(service.context);
      assert.equal(await countMails(service.context, list), 0);
      service.clock.advance(2 * DAY_MS);
      await keepUp(service.context);
      await remindInvited(service.context, await list.queue());
      const [mail] = await mailsArrived(server, list, 1);
      assert.deepEqual(mail?.to, ['late@example.com']);
      assert.match(mail?.parsed.text ?? '', /UTC/);
      assert.match(mail?.parsed.text ?? '', /After that, its link no longer works\./);
      service.clock.advance(2 * DAY_MS);
      await expireInvites(service.context, await list.queue());
      await keepUp(service.context);
      assert.equal(await countMails(service.context, list), 1);
    });

    it('welcome people who accepted', async () => {
      const list = await mailingList(service, ['accepted']);
      const { code } = await list.invite('in@example.com');
      await service.accept(code);
      const [mail] = await mailsArrived(server, list, 1);
      assert.equal(mail?.parsed.subject, `Welcome to ${list.name}`);
      assert.doesNotMatch(mail?.raw ?? '', new RegExp(code));
    });

    it('of environments other than production stay in the mailbox, where they can be read', async () => {
      const list = await mailingList(service, ['welcome']);
      const { key } = await service.key({ waitlistId: list.id, environment: 'development' });
      await service.request('POST', '/sdk/v1/waitlist/signup', {
        key,
        body: { waitlistId: list.id, entries: [{ email: 'dev@example.com' }] },
      });
      const queue = await list.queue('development');
      const mail = await mailInState(service, queue, 'kept');
      assert.ok(!server.received.some(({ to }) => to.includes('dev@example.com')));
      const shown = await showMail(service.context, queue, mail.id, {
        publicUrl: PUBLIC_URL,
        defaultFrom: 'x@y.z',
      });
      assert.equal(shown.state, 'kept');
      assert.equal(shown.mail?.to, 'dev@example.com');
      assert.match(shown.mail?.text ?? '', /number 1 in line/);
    });
  });
});
