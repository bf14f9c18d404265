import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listMails, showMail } from '../../src/mail/mailbox.ts';
import { writePart } from '../../src/mail/parts.ts';
import { previewMail } from '../../src/mail/preview.ts';
import type { MailKind } from '../../src/mail/templates/kinds.ts';
import type { MailTemplate } from '../../src/mail/templates/settings.ts';
import { resetTemplate, saveTemplate } from '../../src/mail/templates.ts';
import { forEachEngine } from '../support/harness.ts';
import type { MailServer } from '../support/mail-server.ts';
import {
  type Mailing,
  type MailingList,
  mailInState,
  mailingList,
  mailsArrived,
  PUBLIC_URL,
  withMailing,
} from '../support/mails.ts';

const SENDING = { publicUrl: PUBLIC_URL, defaultFrom: 'x@y.z' };

/** Each of these held the process for seconds, or filled its stack. */
const HOSTILE: Record<string, [body: string, problem: RegExp]> = {
  emphasis: ['*a_'.repeat(6_600), /body: has more than 500 of the characters .* in one paragraph \(line 1\)/],
  'emphasis in paragraphs': [`${'*a_'.repeat(160)}\n\n`.repeat(40), /body: has more than 2000 of the char/],
  quotes: ['> '.repeat(9_500), /body: has more than 20 quotes or lists inside each other \(line 1\)/],
  'quotes without spaces': [`Hello\n${'>'.repeat(19_000)}`, /body: has more than 20 quotes .* \(line 2\)/],
  lists: ['1. '.repeat(6_600), /body: has more than 20 quotes or lists/],
  conditions: [`${'{% if email %}'.repeat(1_400)}`, /body: .*(nested too deeply|not closed)/],
};

forEachEngine((engine) => {
  describe('a template of an operator', () => {
    let server: MailServer;
    let service: Mailing;
    withMailing(engine, (made) => {
      ({ server, service } = made);
    });

    /** As it was stored by a release that did not check it. */
    const store = ({ id }: MailingList, kind: MailKind, template: MailTemplate) =>
      writePart(service.context, id, kind, async () => ({
        content: JSON.stringify(template),
        event: { action: 'template.updated' },
      }));

    it('is neither saved nor previewed if it would be slow to render', async () => {
      const list = await mailingList(service, ['welcome']);
      const queue = await list.queue();
      for (const [what, [body, problem]] of Object.entries(HOSTILE)) {
        const draft = { subject: 'Hi', body: body.slice(0, 20_000) };
        await assert.rejects(saveTemplate(service.context, list.id, 'welcome', draft), problem, what);
        await assert.rejects(
          previewMail(service.context, queue, { kind: 'welcome', draft }, SENDING),
          problem,
          what,
        );
      }
    });

    it('may have long paragraphs, lists, quotes and rules', async () => {
      const list = await mailingList(service, ['welcome']);
      const body = [
        `# Hello\n\n${'**Bold** and _quiet_ words with a [link](https://example.com). '.repeat(40)}`,
        `> quoted\n> > twice\n\n- one\n  - two\n    - three\n\n${'-'.repeat(60)}\n\n${'* '.repeat(3)}`,
        ...Array.from({ length: 50 }, (_, n) => `${n + 1}. A step with **one** word`),
      ].join('\n\n');
      await saveTemplate(service.context, list.id, 'welcome', { subject: 'Hi', body });
      const mail = await previewMail(service.context, await list.queue(), { kind: 'welcome' }, SENDING);
      assert.match(mail.html, /<strong>Bold<\/strong>/);
    });

    for (const what of ['emphasis', 'quotes', 'conditions']) {
      it(`that was saved and has too many ${what} is replaced by the default, and the log says so`, async () => {
        const list = await mailingList(service, ['welcome']);
        const [body] = HOSTILE[what] ?? [''];
        await store(list, 'welcome', { subject: 'Hostile', body: body.slice(0, 20_000) });
        await list.signup({ email: `${what}@example.com` });
        const [mail] = await mailsArrived(server, list, 1);
        assert.equal(mail?.parsed.subject, `You are on the ${list.name} waitlist`);
        const queue = await list.queue();
        const { id } = await mailInState(service, queue, 'sent');
        const shown = await showMail(service.context, queue, id, SENDING);
        assert.equal(shown.mail?.subject, `You are on the ${list.name} waitlist`);
        const line = service.log.find((one) => one.includes(`welcome template of ${list.id}: failing`));
        assert.match(line ?? '', /the default template is sent instead/);
      });
    }

    it('that fails for one person says so wherever their email is shown, and is not laid out like it', async () => {
      const list = await mailingList(service, ['welcome']);
      const queue = await list.queue();
      const subject = 'שלום';
      const doubled = '{% assign text = text | append: text %}'.repeat(20);
      const body = `שלום\n\n{% if metadata.team %}{% assign text = "1234567890" %}${doubled}{% endif %}`;
      await store(list, 'welcome', { subject, body });
      await list.signup({ email: 'ada@example.com' }, { email: 'bob@example.com', metadata: { team: 'x' } });
      await mailsArrived(server, list, 2);
      const preview = (entry: string) =>
        previewMail(service.context, queue, { kind: 'welcome', entry }, SENDING);
      const { mails } = await listMails(service.context, queue, { limit: 10 });
      const kept = async (to: string) => {
        const { id = '' } = mails.find((mail) => mail.to === to) ?? {};
        return (await showMail(service.context, queue, id, SENDING)).mail;
      };
      for (const show of [preview, kept]) {
        const [ada, bob] = [await show('ada@example.com'), await show('bob@example.com')];
        assert.deepEqual([ada?.subject, ada?.templateFailure], [subject, null]);
        assert.match(ada?.html ?? '', /dir="rtl"/);
        assert.equal(bob?.subject, `You are on the ${list.name} waitlist`);
        assert.equal(bob?.templateFailure, 'cannot be rendered');
        assert.doesNotMatch(bob?.html ?? '', /dir="rtl"/);
      }
    });

    it('that fails again after a change is logged again', async () => {
      const list = await mailingList(service, ['welcome']);
      const [body] = HOSTILE.quotes ?? [''];
      for (const n of [1, 2]) {
        await store(list, 'welcome', { subject: `Hostile ${n}`, body });
        await list.signup({ email: `e${n}@example.com` });
        await mailsArrived(server, list, n);
      }
      const lines = service.log.filter((one) => one.includes(`welcome template of ${list.id}: failing`));
      assert.equal(lines.length, 2);
    });

    it('that cannot be read is replaced by the default until it is reset', async () => {
      const list = await mailingList(service, ['welcome']);
      await writePart(service.context, list.id, 'welcome', async () => ({
        content: '{"subject":',
        event: { action: 'template.updated' },
      }));
      await list.signup({ email: 'broken@example.com' });
      const [first] = await mailsArrived(server, list, 1);
      assert.deepEqual(first?.to, ['broken@example.com']);
      await resetTemplate(service.context, list.id, 'welcome');
      await list.signup({ email: 'next@example.com' });
      const [, second] = await mailsArrived(server, list, 2);
      assert.equal(second?.parsed.subject, first?.parsed.subject);
    });
  });
});
