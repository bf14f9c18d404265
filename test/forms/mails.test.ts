import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sharedNow } from '../../src/db/shared-clock.ts';
import { saveTemplate } from '../../src/mail/templates.ts';
import { createCode } from '../../src/waitlist/codes/change-codes.ts';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import { MAILS_PER_DAY_MAX } from '../../src/waitlist/forms/limits.ts';
import { signLink } from '../../src/waitlist/links/links.ts';
import { openForm } from '../support/forms.ts';
import { forEachEngine } from '../support/harness.ts';
import type { MailServer } from '../support/mail-server.ts';
import {
  allSent,
  type Mailing,
  mailingList,
  mailsArrived,
  nothingPending,
  PUBLIC_URL,
  withMailing,
} from '../support/mails.ts';

const HTML = { accept: 'text/html' };
const DAY_MS = 24 * 60 * 60 * 1000;
const FIELDS = [{ name: 'company', label: 'Company', type: 'text' as const, required: false }];

forEachEngine((engine) => {
  describe('emails to people who used the form', () => {
    let server: MailServer;
    let service: Mailing;
    withMailing(engine, (made) => {
      ({ server, service } = made);
    });

    it('ask to confirm although the waitlist sends no such emails, and contain nothing that was typed', async () => {
      const list = await mailingList(service, ['invite']);
      const form = await openForm(service, { fields: FIELDS }, list);
      const body = '# Hello {{ metadata.company }}\n\n[Confirm]({{ confirmLink }})\n';
      await saveTemplate(service.context, list.id, 'confirm', {
        subject: `${list.name} {{ metadata.company }}`,
        body,
      });
      await form.send({ email: 'ada@example.com', company: 'Buy pills', token: form.token() });
      const [mail] = await mailsArrived(server, list, 1);
      assert.doesNotMatch(`${mail?.parsed.subject} ${mail?.parsed.text} ${mail?.parsed.html}`, /pills/);
      const [, link = ''] = /doorlist\.example(\/confirm\/[\w-]+)/.exec(mail?.parsed.text ?? '') ?? [];
      const confirmed = await service.request('POST', link, { headers: { accept: 'text/html' } });
      const [, status = ''] = /href="\.\.(\/s\/[\w-]+)"/.exec(confirmed.text) ?? [];
      assert.match(
        (await service.request('GET', status, { headers: { accept: 'text/html' } })).text,
        /class="position">1</,
      );
    });

    it('welcome them with a link to their status, without what was typed', async () => {
      const list = await mailingList(service, ['welcome']);
      const form = await openForm(service, { fields: FIELDS }, list);
      const body = '# Hello {{ metadata.company }}\n';
      await saveTemplate(service.context, list.id, 'welcome', { subject: `${list.name}`, body });
      await form.join({ email: 'ada@example.com', company: 'Buy pills' });
      const [mail] = await mailsArrived(server, list, 1);
      assert.doesNotMatch(`${mail?.parsed.text} ${mail?.parsed.html}`, /pills/);
      const [, link = ''] = new RegExp(`${PUBLIC_URL}(/s/[\\w-]+)`).exec(mail?.parsed.text ?? '') ?? [];
      const page = await service.request('GET', link, { headers: { accept: 'text/html' } });
      assert.match(page.text, /class="position">1</);
      assert.match(page.text, /href="\.\.\/leave\//);
    });

    it('say the position that a code leads to, and not what was typed', async () => {
      const list = await mailingList(service, ['welcome']);
      const form = await openForm(service, { fields: FIELDS }, list);
      const input = { does: 'advance', places: 2, limit: 2, tag: 'podcast' } as const;
      const { code } = await createCode(service.context, form.queue, input);
      const body = 'Number {{ position }} {{ metadata.company }} {{ metadata.tag }}\n';
      await saveTemplate(service.context, list.id, 'welcome', { subject: `${list.name}`, body });
      await list.signup(...['a', 'b', 'c'].map((name) => ({ email: `${name}@example.com` })));
      await form.join({ email: 'ada@example.com', company: 'Buy pills', code });
      await list.signup({ email: 'kim@example.com', code });
      const mails = await mailsArrived(server, list, 5);
      const textTo = (address: string) =>
        mails.find(({ parsed }) => parsed.to?.[0]?.address === address)?.parsed.text ?? assert.fail(address);
      assert.equal((await list.lookup('ada@example.com')).body.position, 2);
      assert.match(textTo('ada@example.com'), /Number 2\s*$/m);
      assert.doesNotMatch(textTo('ada@example.com'), /pills|podcast/);
      assert.match(textTo('kim@example.com'), /Number 4 +podcast/);
    });

    it('have a link to share when only the hosted form is on, and lead to the status page', async () => {
      const list = await mailingList(service, ['welcome']);
      await list.signup({ email: 'early@example.com' });
      const form = await openForm(service, {}, list);
      await list.signup({ email: 'ada@example.com' });
      const mails = await mailsArrived(server, list, 2);
      const mailTo = (address: string) =>
        mails.find(({ parsed }) => parsed.to?.[0]?.address === address)?.parsed ?? assert.fail(address);
      const { text = '', html = '' } = mailTo('ada@example.com');
      const code = (await list.lookup('ada@example.com')).body.referralCode;
      assert.ok(text.includes(`${PUBLIC_URL}/w/${list.id}?ref=${code}`), text);
      assert.match(html, new RegExp(`href="${PUBLIC_URL}/s/[\\w-]+"[^>]*>See your place in line<`));
      assert.equal(text.split('/s/').length, 2, 'once');
      assert.doesNotMatch(mailTo('early@example.com').text ?? '', /\/w\//, 'the form was off');
      const joined = await form.join({ email: 'friend@example.com', ref: code, include: 'status' });
      assert.equal(joined.body.state, 'joined');
      assert.equal((await list.lookup('ada@example.com')).body.referrals, 1);
    });

    it('remind somebody who is on the list already, once a day', async () => {
      const list = await mailingList(service, ['confirm'], { confirm: true });
      const form = await openForm(service, {}, list);
      await list.signup({ phone: '+4915112345678' });
      await form.join({ email: 'ada@example.com' });
      const [mail] = await mailsArrived(server, list, 1);
      const [, link = ''] = /doorlist\.example(\/confirm\/[\w-]+)/.exec(mail?.parsed.text ?? '') ?? [];
      await service.request('POST', link);
      for (let i = 0; i < 3; i += 1)
        assert.equal((await form.join({ email: 'ada@example.com' })).body.state, 'confirm');
      const mails = await mailsArrived(server, list, 2);
      assert.match(mails[1]?.parsed.text ?? '', /\/s\//);
      await nothingPending(service.context, list);
      await mailsArrived(server, list, 2);
    });

    it('ask to confirm again when people say so, although the waitlist sends no such emails', async () => {
      const list = await mailingList(service, ['invite']);
      const form = await openForm(service, {}, list);
      const type = () => form.send({ email: 'ada@example.com', token: form.token() });
      await type();
      const [first] = await mailsArrived(server, list, 1);
      const [, link = ''] = /doorlist\.example(\/confirm\/[\w-]+)/.exec(first?.parsed.text ?? '') ?? [];
      const later = async (days: number) => {
        await allSent(service, form.queue);
        service.clock.advance(days * DAY_MS);
      };
      await later(1);
      await type();
      await mailsArrived(server, list, 2);
      await later(1);
      const { id } = (await list.lookup('ada@example.com')).body;
      const at = await sharedNow(service.context);
      const resend = `/s/${signLink(form.queue, 'status', { id, at })}/resend`;
      assert.match((await service.request('POST', resend, { headers: HTML })).text, /on its way/);
      await mailsArrived(server, list, 3);
      await later(8);
      assert.match((await service.request('POST', `${link}/again`, { headers: HTML })).text, /on its way/);
      await mailsArrived(server, list, 4);
    });

    it('are capped for each address and day, whatever happens to the entry', async () => {
      const list = await mailingList(service, ['confirm']);
      const form = await openForm(service, {}, list);
      for (let i = 0; i < MAILS_PER_DAY_MAX + 2; i += 1) {
        const { status } = await form.send({ email: 'victim@example.com', token: form.token() });
        assert.equal(status, 303);
        await nothingPending(service.context, list);
        await eraseEntry(service.context, form.queue, 'victim@example.com');
      }
      await mailsArrived(server, list, MAILS_PER_DAY_MAX);
    });

    it('are capped for each mailbox, whichever of its addresses is typed', async () => {
      const list = await mailingList(service, ['confirm']);
      const form = await openForm(service, {}, list);
      for (let i = 0; i < MAILS_PER_DAY_MAX + 2; i += 1)
        await form.send({ email: `v.ictim+${i}@gmail.com`, token: form.token() });
      await nothingPending(service.context, list);
      await mailsArrived(server, list, MAILS_PER_DAY_MAX);
    });
  });
});
