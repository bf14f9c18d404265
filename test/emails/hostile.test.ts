import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listMails } from '../../src/mail/mailbox.ts';
import { previewMail, sendTestMail } from '../../src/mail/preview.ts';
import { insertMail } from '../../src/mail/stored-mail.ts';
import { resetTemplate, saveTemplate, showTemplate, templateVersions } from '../../src/mail/templates.ts';
import { updateMailSettings } from '../../src/mail/update-settings.ts';
import { forEachEngine } from '../support/harness.ts';
import type { MailServer, ReceivedMail } from '../support/mail-server.ts';
import {
  countMails,
  type Mailing,
  type MailingList,
  mailingList,
  mailPutOff,
  mailsArrived,
  PUBLIC_URL,
  withMailing,
} from '../support/mails.ts';
import { until } from '../support/webhooks.ts';

const SENDING = { publicUrl: PUBLIC_URL, defaultFrom: 'x@y.z' };

const HOSTILE: Record<string, string> = {
  headers: 'Ada\r\nBcc: victim@example.com\r\nSubject: Owned',
  markup: '<script>alert(1)</script><img src=x onerror=alert(1)>"\'><b>bold</b>',
  markdown: '[click me](javascript:alert(1)) **bold** ![x](y) `code` # heading\n\n# more',
  template: '{{ inviteCode }}{% if true %}x{% endif %}{{ 7 | times: 7 }}',
  marks: 'Mk7z0z7kM Mk7z1z7kM Mk7z99z7kM',
  direction: 'Ada\u202egnp.exe\u2066x\u200f',
  addresses: 'Ada, "Eve" <eve@evil>; <bob@evil>',
  long: 'x'.repeat(10_000),
  encoded: '=?utf-8?Q?=0D=0ABcc:_victim@example.com?=',
};

/** To a parser of address lists, each of these is or contains victim@example.com. */
const LISTS_OF_ADDRESSES = [
  'a1;victim@example.com',
  'g1:victim@example.com',
  '(c1)victim@example.com',
  'victim(x)@example.com',
  'x[y]victim@example.com',
  'back\\slash@example.com',
];
const isVictim = (text: string) => text.includes('victim@example.com');

forEachEngine((engine) => {
  describe('data from a signup', () => {
    let server: MailServer;
    let service: Mailing;
    withMailing(engine, (made) => {
      ({ server, service } = made);
    });

    const named = async () => {
      const list = await mailingList(service, ['welcome']);
      await saveTemplate(service.context, list.id, 'welcome', {
        subject: 'Hi {{ metadata.name }}',
        body: `# Hi {{ metadata.name | default: "there" }}

${list.name}: <b>not bold</b> [site](https://example.com/?q={{ metadata.name }}) [bad]({{ metadata.name }}) \`{{ metadata.name }}\`

[Go]({{ metadata.name }})
`,
      });
      return list;
    };
    const assertInert = (mail: ReceivedMail | undefined, what: string) => {
      assert.ok(mail);
      const { parsed } = mail;
      const html = parsed.html ?? '';
      assert.deepEqual(mail.to, [`${what}@example.com`]);
      assert.deepEqual(
        parsed.to?.map(({ address }) => address),
        [`${what}@example.com`],
      );
      assert.deepEqual([parsed.cc, parsed.bcc], [undefined, undefined]);
      assert.ok(!parsed.headers.some(({ key }) => key === 'bcc'));
      assert.equal(parsed.headers.filter(({ key }) => key === 'subject').length, 1);
      assert.match(parsed.subject ?? '', /^Hi/);
      assert.ok([...(parsed.subject ?? '')].length <= 203);
      assert.doesNotMatch(`${parsed.subject}${parsed.text}${html}`, /[\u202a-\u202e\u2066-\u2069\u200f]/);
      assert.doesNotMatch(html, /<script|<img|<b>|onerror=[^&]*>|href="(?!https?:\/\/)/);
      const anchors = html.match(/<a /g) ?? [];
      assert.equal(
        anchors.length,
        3,
        `the template's one link, the status page and the one to leave: ${html}`,
      );
      assert.doesNotMatch(html, /<strong>bold/);
      assert.ok(mail.raw.length < 30_000);
      for (const line of mail.raw.split('\r\n')) assert.ok(line.length <= 998);
    };

    it('cannot add a recipient, header, markup or template tag to an email', async () => {
      const list = await named();
      const entries = Object.entries(HOSTILE);
      for (const [what, name] of entries)
        await list.signup({ email: `${what}@example.com`, metadata: { name } });
      const mails = await mailsArrived(server, list, entries.length);
      for (const [what] of entries)
        assertInert(
          mails.find(({ to }) => to[0] === `${what}@example.com`),
          what,
        );
      const template = mails.find(({ to }) => to[0] === 'template@example.com');
      assert.match(template?.parsed.text ?? '', /\{\{ inviteCode \}\}\{% if true %\}/);
    });

    it('cannot place a link: what looks like one is treated as missing', async () => {
      const list = await named();
      await list.signup({ email: 'link@example.com', metadata: { name: 'You won! evil.example/prize' } });
      const [mail] = await mailsArrived(server, list, 1);
      assert.match(mail?.parsed.text ?? '', /^Hi there/);
      assert.doesNotMatch(mail?.raw ?? '', /prize/);
    });

    it('may be an address with unusual characters, which is the only recipient', async () => {
      const list = await mailingList(service, ['welcome']);
      const odd = ["o'hara+tag!#$%&*@example.com", '{curly}|~`=?^/@example.com', 'ünï@example.com'];
      for (const email of odd) assert.equal((await list.signup({ email })).status, 201);
      const mails = await mailsArrived(server, list, odd.length);
      assert.deepEqual(mails.flatMap(({ to }) => to).sort(), [...odd].sort());
      for (const { to, parsed } of mails)
        assert.deepEqual(
          parsed.to?.map(({ address }) => address),
          to,
        );
    });

    it('is not accepted as an address that a mail server could read as another one', async () => {
      const list = await mailingList(service, ['welcome', 'invite']);
      for (const email of LISTS_OF_ADDRESSES) {
        assert.equal((await list.signup({ email })).status, 400, email);
        await assert.rejects(list.invite(email), /not an email address/);
      }
      assert.equal(await countMails(service.context, list), 0);
    });

    it('never causes an email to anyone else, even if stored when such addresses were allowed', async () => {
      const list = await mailingList(service, ['welcome']);
      const { context } = service;
      const queue = await list.queue();
      const person = { email: 'a1;victim@example.com', phone: null, metadata: null };
      server.refuseMail = () => '451 4.3.0 Wait';
      await list.signup({ email: 'plain@example.com' });
      await mailPutOff(service, queue);
      const { id } = await context.db.query
        .selectFrom('entry')
        .select('id')
        .where('queue_id', '=', queue.id)
        .executeTakeFirstOrThrow();
      await context.db.query
        .updateTable('entry')
        .set({ person: queue.vault.seal('entry.person', id, person) })
        .where('queue_id', '=', queue.id)
        .execute();
      server.refuseMail = () => undefined;
      const facts = {
        at: service.clock.now,
        version: 0,
        boost: 0,
        waitlist: list.name,
        entry: null,
        invite: null,
      };
      for (const to of LISTS_OF_ADDRESSES)
        await insertMail(context, queue, { ...facts, mail: 'accepted', to }, undefined);
      service.clock.advance(6_000);
      service.wake();
      await until('every mail has ended', async () => {
        const { mails } = await listMails(context, queue, { limit: 50 });
        return mails.every(({ state }) => state === 'failed');
      });
      const { mails } = await listMails(context, queue, { limit: 50 });
      assert.equal(mails.length, LISTS_OF_ADDRESSES.length + 1);
      for (const { error } of mails)
        assert.equal(error, 'not sent: the address contains characters that are no longer accepted');
      assert.ok(!server.received.some(({ to, raw }) => to.some(isVictim) || isVictim(raw)));
    });

    const assertRefused = (list: MailingList, body: string, reason: RegExp, subject = 'Hi') =>
      assert.rejects(saveTemplate(service.context, list.id, 'invite', { subject, body }), reason);

    it('is rendered only by templates that were checked when saved', async () => {
      const list = await mailingList(service, ['invite']);
      await assertRefused(list, '{{ joinLink }} {{ postion }}', /there is no \{\{ postion \}\}/);
      await assertRefused(
        list,
        '{{ joinLink }} {{ position }}',
        /there is no \{\{ position \}\} in this kind/,
      );
      await assertRefused(list, '{{ joinLink }} {{ metadata }}', /name one of its fields/);
      await assertRefused(list, '{{ joinLink }} {{ email.constructor }}', /has no fields/);
      await assertRefused(list, '{{ joinLink | raw }}', /undefined filter: raw/);
      await assertRefused(list, '{{ joinLink }}{% include "x" %}', /tag "include" not found/);
      await assertRefused(list, '{{ joinLink }}{% for i in (1..9) %}{% endfor %}', /tag "for" not found/);
      await assertRefused(list, '{{ joinLink }}{% if %}', /body: /);
      await assertRefused(list, 'Hello', /must contain \{\{ joinLink \}\} or \{\{ inviteCode \}\}/);
      await assertRefused(list, '{{ joinLink }}', /one line/, 'Hi\nBcc: x');
      await assertRefused(list, `{{ joinLink }}${'x'.repeat(20_000)}`, /longer than/);
    });

    it('is shown in a preview, and test emails go to the operator', async () => {
      const list = await mailingList(service, ['welcome']);
      const { context } = service;
      const queue = await list.queue();
      await list.signup({ email: 'real@example.com', metadata: { firstName: 'Real' } });
      const draft = { subject: 'Hi {{ metadata.firstName }}', body: 'You are {{ position }} of many.' };
      const made = await previewMail(context, queue, { kind: 'welcome', draft }, SENDING);
      assert.deepEqual([made.subject, made.to], ['Hi Ada', 'ada@example.com']);
      const real = await previewMail(
        context,
        queue,
        { kind: 'welcome', draft, entry: 'real@example.com' },
        SENDING,
      );
      assert.equal(real.subject, 'Hi Real');
      assert.match(real.text, /^You are 1 of many/);
      await mailsArrived(server, list, 1);
      await sendTestMail(context, queue, { kind: 'invite', to: 'me@example.com' });
      const mails = await mailsArrived(server, list, 2);
      const test = mails.find(({ to }) => to[0] === 'me@example.com');
      assert.equal(test?.parsed.subject, `[Test] Your invite to ${list.name}`);
    });

    it('is rendered with the template of that time; versions are kept, and a reset creates one', async () => {
      const list = await mailingList(service, ['welcome']);
      const { context } = service;
      server.refuseMail = () => '451 4.3.0 Wait';
      await list.signup({ email: 'first@example.com' });
      await mailPutOff(service, await list.queue());
      await saveTemplate(context, list.id, 'welcome', { subject: 'Second', body: `${list.name} second` });
      await updateMailSettings(context, list.id, { fromName: 'Renamed' });
      await resetTemplate(context, list.id, 'welcome');
      server.refuseMail = () => undefined;
      service.clock.advance(6_000);
      service.wake();
      const [mail] = await mailsArrived(server, list, 1);
      assert.equal(mail?.parsed.subject, `You are on the ${list.name} waitlist`);
      assert.equal(mail?.parsed.from?.name, list.name);
      assert.equal((await showTemplate(context, list.id, 'welcome')).isDefault, true);
      const versions = await templateVersions(context, list.id, 'welcome');
      assert.deepEqual(
        versions.map(({ subject, isDefault }) => [subject, isDefault]),
        [
          ['You are on the {{ waitlist }} waitlist', true],
          ['Second', false],
        ],
      );
    });
  });
});
