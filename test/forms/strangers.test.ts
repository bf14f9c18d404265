import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { previewMail } from '../../src/mail/preview.ts';
import { saveTemplate } from '../../src/mail/templates.ts';
import { confirmEntry } from '../../src/waitlist/entries/confirm-entry.ts';
import { MAILS_PER_DAY_MAX } from '../../src/waitlist/forms/limits.ts';
import { removeEntry } from '../../src/waitlist/invites/removal.ts';
import { openForm } from '../support/forms.ts';
import { forEachEngine, type List } from '../support/harness.ts';
import type { MailServer } from '../support/mail-server.ts';
import {
  type Mailing,
  type MailingList,
  mailingList,
  mailsArrived,
  mailsOf,
  nothingPending,
  PUBLIC_URL,
  withMailing,
} from '../support/mails.ts';

const FIELDS = [{ name: 'team', label: 'Team', type: 'text' as const, required: false }];
const KINDS = ['welcome', 'moved-up', 'invite'] as const;
const VICTIM = 'victim@example.com';
const TYPED = 'YOU WON 1000 EUR';

forEachEngine((engine) => {
  describe('whoever types the address of somebody else into the form', () => {
    let server: MailServer;
    let service: Mailing;
    withMailing(engine, (made) => {
      ({ server, service } = made);
    });

    /** A waitlist whose own templates show what was typed. */
    const telling = async (options?: { confirm: boolean }) => {
      const list = await mailingList(service, [...KINDS], options);
      for (const kind of KINDS)
        await saveTemplate(service.context, list.id, kind, {
          subject: `${kind} {{ metadata.team }}`,
          body: `${list.name} {{ metadata.team }} ${kind === 'invite' ? '{{ joinLink }}' : ''}`,
        });
      return { list, form: await openForm(service, { fields: FIELDS }, list) };
    };
    const subjects = async (list: MailingList, count: number) => {
      await nothingPending(service.context, list);
      return (await mailsArrived(server, list, count)).map(({ parsed }) => parsed.subject?.trim());
    };
    const assertNothingTyped = (list: MailingList) => {
      for (const { parsed } of mailsOf(server, list))
        assert.doesNotMatch(`${parsed.subject} ${parsed.text} ${parsed.html}`, /YOU WON/);
    };
    const leave = (statusUrl = '') => service.request('POST', `${new URL(statusUrl).pathname}/leave`);
    const refOf = (shareUrl = '') => new URL(shareUrl).searchParams.get('ref') ?? assert.fail(shareUrl);
    const idOf = async (list: List, email: string) => (await list.lookup(email)).body.id;

    it('cannot send them text, by leaving, referring or being invited', async () => {
      const { list, form } = await telling();
      const { body } = await form.join({ email: VICTIM, team: TYPED, include: 'status' });
      assert.equal((await leave(body.statusUrl)).status, 200);
      await form.join({ email: 'throwaway@example.net', ref: refOf(body.status?.shareUrl) });
      await list.invite(VICTIM);
      await nothingPending(service.context, list);
      const toVictim = mailsOf(server, list).filter(({ parsed }) => parsed.to?.[0]?.address === VICTIM);
      assert.deepEqual(toVictim.map(({ parsed }) => parsed.subject?.trim()).sort(), [
        'invite',
        'moved-up',
        'welcome',
        'welcome',
      ]);
      assertNothingTyped(list);
      const sending = { publicUrl: PUBLIC_URL, defaultFrom: 'hello@acme.example' };
      const preview = { kind: 'welcome', entry: VICTIM } as const;
      const { subject } = await previewMail(service.context, form.queue, preview, sending);
      assert.equal(subject.trim(), 'welcome', 'a preview shows what they get');
    });

    it('cannot send them text although an operator confirmed the address', async () => {
      const { list, form } = await telling({ confirm: true });
      await form.join({ email: VICTIM, team: TYPED });
      await confirmEntry(service.context, form.queue, await idOf(list, VICTIM), 'an operator');
      await nothingPending(service.context, list);
      assert.ok(mailsOf(server, list).some(({ parsed }) => parsed.subject?.trim() === 'welcome'));
      assertNothingTyped(list);
    });

    it('is no stranger once the owner of the address has confirmed it', async () => {
      const { list, form } = await telling({ confirm: true });
      await form.join({ email: 'ada@example.com', team: 'Engines' });
      const [mail] = await mailsArrived(server, list, 1);
      const [, link = ''] = /doorlist\.example(\/confirm\/[\w-]+)/.exec(mail?.parsed.text ?? '') ?? [];
      await service.request('POST', link);
      await list.invite('ada@example.com');
      const [, ...later] = await subjects(list, 3);
      assert.deepEqual(later.sort(), ['invite Engines', 'welcome Engines']);
    });

    it('cannot flood a mailbox by referring people to its addresses', async () => {
      const list = await mailingList(service, ['welcome', 'moved-up']);
      const form = await openForm(service, {}, list);
      for (let i = 0; i < MAILS_PER_DAY_MAX + 2; i += 1) {
        const { body } = await form.join({ email: `victim+${i}@gmail.com`, include: 'status' });
        await form.join({ email: `throwaway${i}@example.net`, ref: refOf(body.status?.shareUrl) });
      }
      await nothingPending(service.context, list);
      const flooded = mailsOf(server, list).filter(({ parsed }) =>
        parsed.to?.[0]?.address?.endsWith('@gmail.com'),
      );
      assert.equal(flooded.length, MAILS_PER_DAY_MAX);
    });

    it('leaves room for the emails of somebody who refers many in a day', async () => {
      const list = await mailingList(service, ['moved-up']);
      const form = await openForm(service, {}, list);
      const { body } = await form.join({ email: 'ada@example.com', include: 'status' });
      const ref = refOf(body.status?.shareUrl);
      for (let i = 0; i < MAILS_PER_DAY_MAX; i += 1)
        await form.join({ email: `friend${i}@example.com`, ref });
      await list.signup(...[4, 5, 6].map((i) => ({ email: `friend${i}@example.com`, referredBy: ref })));
      await leave(body.statusUrl);
      await nothingPending(service.context, list);
      await mailsArrived(server, list, 2);
    });

    for (const confirm of [true, false]) {
      it(`sends nothing to somebody whom an operator removed, ${confirm ? 'with' : 'without'} confirmation`, async () => {
        const list = await mailingList(service, ['confirm'], { confirm });
        const form = await openForm(service, {}, list);
        await list.signup({ phone: '+4915112345678' });
        await form.join({ email: VICTIM });
        await form.join({ email: 'other@example.com' });
        await nothingPending(service.context, list);
        const sent = mailsOf(server, list).length;
        await removeEntry(service.context, form.queue, await idOf(list, VICTIM));
        const answers = [];
        for (const email of [VICTIM, 'other@example.com']) {
          const { status, body } = await form.join({ email });
          const left = body.statusUrl ? await leave(body.statusUrl) : undefined;
          answers.push([status, Object.keys(body), body.state, left?.status, left?.text]);
        }
        assert.deepEqual(answers[0], answers[1]);
        await nothingPending(service.context, list);
        const to = mailsOf(server, list)
          .slice(sent)
          .map(({ parsed }) => parsed.to?.[0]?.address);
        assert.deepEqual(to, ['other@example.com']);
      });
    }
  });
});
