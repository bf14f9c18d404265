import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { suppress } from '../../src/waitlist/links/suppression.ts';
import { type DocumentedClient, documentedClient } from '../support/documented-client.ts';
import { assertError, forEachEngine } from '../support/harness.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { type Mailing, type MailingList, mailingList, startMailing } from '../support/mails.ts';
import { until } from '../support/webhooks.ts';

interface Mail {
  id: string;
  kind: string;
  to: string | null;
  state: string;
  subject: string | null;
  from: string | null;
  html: string | null;
  text: string | null;
  log: { status: number | null; response: string | null }[];
}
interface Page {
  mails: Mail[];
  nextCursor: string | null;
}
interface Template {
  kind: string;
  enabled: boolean;
  custom: boolean;
  version: number;
  language: string;
  languages: { language: string; custom: boolean; outOfDate: boolean }[];
  subject: string;
  body: string;
  variables: { name: string }[];
}
interface Preview {
  subject: string | null;
  html: string | null;
  text: string | null;
  problems: { field: string; line: number | null; message: string }[];
}

interface Job {
  id: string;
  kind: string;
  state: string;
  done: number;
  total: number | null;
  result: unknown;
}
interface Health {
  healthy: boolean;
  findings: { what: string; ok: boolean; level: string; detail: string }[];
}
interface SuppressionPage {
  suppressions: { hash: string; reason: string }[];
  nextCursor: string | null;
}

forEachEngine((engine) => {
  describe('emails over the admin API', () => {
    let server: MailServer;
    let service: Mailing;
    let admin: DocumentedClient;
    let list: MailingList;
    before(async () => {
      server = await startMailServer();
      service = await startMailing(engine, server);
      admin = await documentedClient(service, 'admin');
      list = await mailingList(service, ['welcome', 'invite']);
    });
    after(async () => {
      await service.close();
      await server.close();
    });

    const base = () => `/waitlists/${list.id}`;
    const template = (method: string, kind: string, body?: unknown) => {
      const operation = { GET: 'getMailTemplate', PUT: 'saveMailTemplate', DELETE: 'resetMailTemplate' }[
        method
      ];
      return admin.call<Template>(operation ?? '', method, `${base()}/mail/templates/${kind}`, { body });
    };
    const preview = (kind: string, body: object) =>
      admin.call<Preview>('previewMailTemplate', 'POST', `${base()}/mail/templates/${kind}/preview`, {
        body,
      });
    const sendTest = (kind: string, body: object) =>
      admin.call<{ id: string }>('testMailTemplate', 'POST', `${base()}/mail/templates/${kind}/test`, {
        body,
      });
    const mails = (query = '') => admin.call<Page>('listMails', 'GET', `${base()}/mails${query}`);
    const mail = (id: string) => admin.call<Mail>('getMail', 'GET', `${base()}/mails/${id}`);
    const resend = (id: string, query = '') =>
      admin.call<Mail>('resendMail', 'POST', `${base()}/mails/${id}/resend${query}`);

    it('shows and changes the settings, and audits what changed', async () => {
      const path = `${base()}/mail/settings`;
      const get = () => admin.call<Record<string, unknown>>('getMailSettings', 'GET', path);
      const patch = (body: unknown) =>
        admin.call<Record<string, unknown>>('updateMailSettings', 'PATCH', path, { body });
      const before = (await get()).body;
      const changed = await patch({ fromName: 'Acme Inc.', inviteReminderMs: 3_600_000 });
      const { warnings, ...after } = changed.body;
      assert.deepEqual(after, { ...before, fromName: 'Acme Inc.', inviteReminderMs: 3_600_000 });
      assert.deepEqual(warnings, []);
      assert.deepEqual((await get()).body, after);
      const record = await admin.audited('mail_settings.updated');
      assert.deepEqual(record.object.id, list.id);
      assert.deepEqual(record.before, { fromName: null, inviteReminderMs: before.inviteReminderMs });
      assert.deepEqual(record.after, { fromName: 'Acme Inc.', inviteReminderMs: 3_600_000 });
      const cases: [object, RegExp][] = [
        [{ referralUrl: 'https://acme.example' }, /^referralUrl: must be an http or https URL/],
        [{ replyTo: 'nobody' }, /^replyTo: /],
        [{ kinds: ['welcme'] }, /^kinds\[0\]: must be one of/],
        [{ inviteReminderMs: 5 }, /^inviteReminderMs: must be from a minute to 36500 days/],
        [{ language: 'xx' }, /^language: must be one of/],
        [{ footr: '' }, /^footr: unknown field/],
      ];
      for (const [body, message] of cases) assertError(await patch(body), 400, 'invalid_request', message);
      assert.deepEqual((await get()).body, after);
    });

    it('saves and resets templates, of up to 20,000 characters', async () => {
      const all = await admin.call<{ templates: Template[] }>(
        'listMailTemplates',
        'GET',
        `${base()}/mail/templates`,
      );
      assert.deepEqual(
        all.body.templates.map(({ kind, enabled, custom }) => [kind, enabled, custom]),
        [
          ['confirm', false, false],
          ['welcome', true, false],
          ['moved-up', false, false],
          ['invite', true, false],
          ['invite-reminder', false, false],
          ['accepted', false, false],
          ['declined', false, false],
          ['data-download', true, false],
          ['data-deletion', true, false],
        ],
      );
      const original = (await template('GET', 'accepted')).body;
      const long = { subject: 'Hi', body: 'ü'.repeat(20_000) };
      const saved = await template('PUT', 'accepted', long);
      assert.deepEqual([saved.status, saved.body.custom, saved.body.body], [200, true, long.body]);
      assert.equal((await admin.audited('template.updated')).after?.kind, 'accepted');
      assert.deepEqual((await template('DELETE', 'accepted')).body, original);
      assert.equal((await admin.audited('template.reset')).object.id, list.id);
      const bad: [object, RegExp][] = [
        [{ subject: 'Hi', body: `${long.body}ü` }, /^body: is longer than 20000 characters/],
        [{ subject: ' ', body: 'x' }, /^subject: is required$/],
        [{ subject: 'a\nb', body: 'x' }, /^subject: must be one line of at most 500 characters$/],
        [{ subject: 'Hi', body: '\n' }, /^body: is required$/],
        [{ subject: 'Hi', body: '{{ postion }}' }, /^body: there is no {{ postion }}/],
        [{ subject: 'Hi', body: 'a\n{% if email %}' }, /^body: tag {% if email %} is not closed \(line 2\)$/],
        [{ subject: 'Hi' }, /^body: is required/],
      ];
      for (const [body, message] of bad)
        assertError(await template('PUT', 'accepted', body), 400, 'invalid_request', message);
      assertError(
        await template('PUT', 'invite', { subject: 'Hi', body: 'x' }),
        400,
        'invalid_request',
        /must contain/,
      );
      assertError(
        await template('GET', 'newsletter'),
        404,
        'not_found',
        /^there is no kind of email newsletter/,
      );
    });

    it('replaces only the version of a template that was edited', async () => {
      const save = (texts: object, kind = 'accepted') => template('PUT', kind, texts);
      const { version } = (await template('GET', 'accepted')).body;
      assert.equal(version, 0, 'the default');
      const first = (await save({ subject: 'One', body: 'One.', expectVersion: version })).body;
      assert.ok(first.version > version);
      const late = await save({ subject: 'Two', body: 'Two.', expectVersion: version });
      const message = `expectVersion: the template is at version ${first.version} now, not 0`;
      assertError(late, 409, 'changed', message);
      assert.deepEqual((await template('GET', 'accepted')).body, first, 'nothing was saved');
      await save({ subject: 'Un', body: 'Un.', expectVersion: 0 }, 'accepted?language=fr');
      const second = await save({ subject: 'Two', body: 'Two.', expectVersion: first.version });
      assert.equal(second.body.subject, 'Two', 'another language does not count');
      for (const kind of ['accepted', 'accepted?language=fr']) await template('DELETE', kind);
      assertError(
        await save({ subject: 'Three', body: 'Three.', expectVersion: second.body.version }),
        409,
        'changed',
      );
    });

    it('has a template for each language, and says which are out of date', async () => {
      const own = { subject: 'Vielen Dank', body: 'Danke.' };
      const saved = await template('PUT', 'accepted?language=de', own);
      assert.deepEqual(
        [saved.body.language, saved.body.custom, saved.body.subject],
        ['de', true, own.subject],
      );
      const english = (await template('GET', 'accepted')).body;
      assert.deepEqual([english.language, english.custom], ['en', false]);
      await template('PUT', 'accepted', { subject: 'Thanks', body: 'Thank you.' });
      const { languages } = (await template('GET', 'accepted?language=fr')).body;
      assert.deepEqual(
        languages.slice(0, 3).map(({ language, custom, outOfDate }) => [language, custom, outOfDate]),
        [
          ['en', true, false],
          ['de', true, true],
          ['fr', false, false],
        ],
      );
      const draft = { subject: 'Servus', body: 'Servus.', language: 'de' };
      assert.match((await preview('accepted', draft)).body.html ?? '', /<html lang="de"/);
      assertError(await template('GET', 'accepted?language=xx'), 400, 'invalid_request', /^language/);
      await template('DELETE', 'accepted?language=de');
      await template('DELETE', 'accepted');
      assert.equal((await template('GET', 'accepted?language=de')).body.custom, false);
    });

    it('previews a draft, and says what is wrong with it and on which line', async () => {
      const fine = await preview('welcome', { subject: 'No. {{ position }}', body: 'Hello **{{ email }}**' });
      assert.deepEqual([fine.body.subject, fine.body.problems], ['No. 42', []]);
      assert.match(fine.body.html ?? '', /<strong[^>]*>ada@example\.com/);
      const bad = await preview('welcome', { subject: '{{ joinLink }}', body: 'one\n\n{{ nope }}' });
      assert.deepEqual(
        [bad.body.html, bad.body.problems.map(({ field, line }) => [field, line])],
        [
          null,
          [
            ['subject', 1],
            ['body', 3],
          ],
        ],
      );
      const broken = await preview('welcome', { body: 'one\n{% if position %}' });
      assert.deepEqual(broken.body.problems, [
        { field: 'body', line: 2, message: 'tag {% if position %} is not closed' },
      ]);
      const saved = (await preview('invite', {})).body;
      assert.match(saved.text ?? '', /x4k9zt6h2m8c0v5s1n7q3r9w4j6b8d2f/);
      assertError(await preview('welcome', { entry: 'nobody@example.com' }), 404, 'not_found');
      assertError(await preview('welcome', { language: 'xx' }), 400, 'invalid_request', /^language/);
    });

    it('sends a test of a draft, a limited number per minute, and leaves entries alone', async () => {
      const sent = await sendTest('welcome', {
        to: 'grace@example.com',
        subject: 'Draft {{ referrals }} of {{ email }}',
      });
      assert.equal(sent.status, 202, sent.text);
      const { id } = sent.body;
      await until('it arrived', () =>
        server.received.some(({ parsed }) => parsed.subject === '[Test] Draft 3 of ada@example.com'),
      );
      await until('it is logged', async () => (await mail(id)).body.state === 'sent');
      assert.equal((await mail(id)).body.subject, '[Test] Draft 3 of ada@example.com');
      assert.deepEqual((await admin.audited('mail.tested')).after, { kind: 'welcome', mail: id });
      assert.equal((await list.page()).body.total, 0);
      assertError(await sendTest('welcome', { to: 'nobody' }), 400, 'invalid_request', /^to: /);
      assertError(
        await sendTest('welcome', { to: 'a@b.co', body: '{{ x }}' }),
        400,
        'invalid_request',
        /^body: /,
      );
      for (let more = 0; more < 7; more += 1) await sendTest('welcome', { to: 'nobody' });
      assertError(await sendTest('welcome', { to: 'grace@example.com' }), 429, 'rate_limited');
    });

    it('lists emails by state, kind and entry, and shows one', async () => {
      await list.signup({ email: 'eve@example.com' }, { email: 'mallory@example.com' });
      await list.invite('eve@example.com');
      await until('all are sent', async () => (await mails('?state=sent&limit=200')).body.mails.length >= 4);
      const invites = (await mails('?kind=invite&state=sent')).body.mails;
      assert.deepEqual(
        invites.map(({ to }) => to),
        ['eve@example.com'],
      );
      assert.deepEqual((await mails('?state=kept')).body, { mails: [], nextCursor: null });
      assert.deepEqual((await mails('?state=failed')).body, { mails: [], nextCursor: null });
      const { id } = (await list.lookup('eve@example.com')).body;
      const about = (await mails(`?entry=${id}`)).body.mails;
      assert.deepEqual(about.map(({ kind }) => kind).sort(), ['invite', 'welcome']);
      const [first] = (await mails(`?entry=${id}&limit=1`)).body.mails;
      const { nextCursor } = (await mails(`?entry=${id}&limit=1`)).body;
      const rest = (await mails(`?entry=${id}&limit=1&cursor=${nextCursor}`)).body;
      assert.deepEqual(
        [first?.id, rest.mails[0]?.id, rest.nextCursor],
        [...about.map((one) => one.id), null],
      );
      const shown = (await mail(invites[0]?.id ?? '')).body;
      assert.match(shown.from ?? '', /^Acme Inc\. <.+@.+>$/);
      assert.ok(shown.html?.includes('<html') && shown.text && shown.log[0]?.status === 250);
      const { id: queueId } = await list.queue();
      await service.context.db.query
        .updateTable('delivery_attempt')
        .set({ response: Buffer.from('damaged') })
        .where('queue_id', '=', queueId)
        .execute();
      const { log } = (await mail(invites[0]?.id ?? '')).body;
      assert.deepEqual([log[0]?.status, log[0]?.response], [250, null], 'what is damaged hides nothing else');
      for (const query of [
        '?limit=0',
        '?cursor=x',
        '?state=lost',
        '?kind=x',
        '?entry=x',
        `?entry=${id}&kind=invite`,
      ])
        assertError(await mails(query), 400, 'invalid_request');
      assertError(await mails('?entry=ent_06gxx2p9r1yn1vp1ryss481fhw'), 404, 'not_found');
      assertError(await mail('none'), 404, 'not_found');
      assertError(await mail('evt_06gxx2p9r1yn1vp1ryss481fhw'), 404, 'not_found');
    });

    it('resends an email, except to a suppressed address', async () => {
      await list.signup({ email: 'again@example.com' });
      const received = () =>
        server.received.filter(({ parsed }) =>
          parsed.to?.some(({ address }) => address === 'again@example.com'),
        );
      await until('it is sent', () => received().length === 1);
      const { id } = (await list.lookup('again@example.com')).body;
      const welcome = async () => (await mails(`?entry=${id}`)).body.mails[0] as Mail;
      await until('it is logged', async () => (await welcome()).state === 'sent');
      const again = await resend((await welcome()).id);
      assert.equal(again.status, 200, again.text);
      assert.equal((await admin.audited('mail.resent')).object.id, again.body.id);
      await until('it is sent again', () => received().length === 2);
      await until('it is logged again', async () => (await welcome()).state === 'sent');

      const queue = await list.queue();
      const hash = queue.vault.hash('email', 'again@example.com');
      await service.context.db.transaction((trx) => suppress(trx, queue, hash, 'bounced', service.clock.now));
      assertError(await resend(again.body.id), 400, 'invalid_request', /bounced or unsubscribed/);
      const suppressions = (query = '') =>
        admin.call<{
          suppressions: { reason: string; email: string | null; entryId: string | null }[];
          nextCursor: string | null;
        }>('listSuppressions', 'GET', `${base()}/suppressions${query}`);
      const found = await suppressions();
      assert.deepEqual(
        found.body.suppressions.map(({ reason }) => reason),
        ['bounced'],
      );
      const entryId = (await list.lookup('again@example.com')).body.id;
      assert.deepEqual(
        found.body.suppressions.map((one) => [one.email, one.entryId]),
        [['again@example.com', entryId]],
      );
      assertError(await suppressions('?cursor=x'), 400, 'invalid_request', /^cursor: /);
      const remove = (email: string) =>
        admin.call('removeSuppression', 'DELETE', `${base()}/suppressions/${encodeURIComponent(email)}`);
      assert.deepEqual((await remove('again@example.com')).body, { id: 'again@example.com', deleted: true });
      assertError(await remove('again@example.com'), 404, 'not_found');
      assertError(await remove('again'), 400, 'invalid_request', 'email: not an email address');
      const record = await admin.audited('suppression.removed');
      assert.equal(record.object.id, list.id);
      assert.ok(!JSON.stringify(record).includes('again@'));
      assert.deepEqual((await suppressions()).body, { suppressions: [], nextCursor: null });
    });

    it('says whose addresses are suppressed, as far as the waitlist knows', async () => {
      const own = await service.waitlist();
      await own.signup({ email: 'Listed@example.com' }, { email: 'erased@example.com' });
      await own.invite('invited@example.com');
      const erased = (await own.lookup('erased@example.com')).body.id;
      const queue = await own.queue();
      for (const name of ['listed', 'erased', 'invited', 'stranger'])
        await service.context.db.transaction((trx) =>
          suppress(
            trx,
            queue,
            queue.vault.hash('email', `${name}@example.com`),
            'bounced',
            service.clock.now,
          ),
        );
      await admin.call('removeEntry', 'DELETE', `/waitlists/${own.id}/entries/${erased}?erase=true`, {
        body: { confirm: erased },
      });
      const { body } = await admin.call<{ suppressions: { email: string | null; entryId: string | null }[] }>(
        'listSuppressions',
        'GET',
        `/waitlists/${own.id}/suppressions`,
      );
      const listed = (await own.lookup('listed@example.com')).body.id;
      assert.deepEqual(
        body.suppressions.map(({ email, entryId }) => [email, entryId]).sort(),
        [
          [null, null],
          ['Listed@example.com', listed],
          ['invited@example.com', null],
        ].sort(),
      );
    });

    it('retries all failed emails as a job, or those of a kind or since a time', async () => {
      const own = await mailingList(service, ['welcome']);
      const path = `/waitlists/${own.id}/mails`;
      const inState = async (state: string) =>
        (await admin.call<Page>('listMails', 'GET', `${path}?state=${state}&limit=100`)).body.mails;
      const retry = (body: unknown, query = '') =>
        admin.call<Job>('retryMails', 'POST', `${path}/retry${query}`, { body });
      const retried = async (body: unknown) => {
        const started = await retry(body);
        assert.deepEqual([started.status, started.body.kind], [202, 'mail-retry'], started.text);
        await service.runJobs();
        return (await admin.call<Job>('getJob', 'GET', `/jobs/${started.body.id}`)).body;
      };
      server.refuseMail = ({ to }) => (to[0]?.startsWith('lost') ? '554 5.7.1 Refused' : undefined);
      for (const n of [1, 2, 3]) {
        await own.signup({ email: `lost${n}@example.com` });
        await until('it failed', async () => (await inState('failed')).length === n);
        await own.signup({ email: `fine${n}@example.com` });
        await until('the next was sent', async () => (await inState('sent')).length === n);
      }
      server.refuseMail = () => undefined;
      const queue = await own.queue();
      const hash = queue.vault.hash('email', 'lost3@example.com');
      await service.context.db.transaction((trx) => suppress(trx, queue, hash, 'bounced', service.clock.now));

      const later = new Date(service.clock.now + 60_000).toISOString();
      assert.deepEqual((await retried({ since: later })).result, { resent: 0, skipped: 0 });
      assert.deepEqual((await retried({ kind: 'invite' })).result, { resent: 0, skipped: 0 });
      const all = await retried({});
      assert.deepEqual([all.state, all.total, all.done], ['done', 3, 3]);
      assert.deepEqual(all.result, { resent: 2, skipped: 1 });
      assert.deepEqual((await admin.audited('mail.resent')).object.id, own.id);
      service.wake();
      await until('they are sent', async () => (await inState('sent')).length === 5);
      assertError(await retry({}, '?environment=development'), 400, 'invalid_request', /never sent/);
      assertError(await retry({ since: 'x' }), 400, 'invalid_request', /^since: /);
      assertError(await retry({ kinds: [] }), 400, 'invalid_request', /^kinds: unknown field/);
    });

    it('say in the health of the installation why sending is paused', async () => {
      const health = async () => {
        const { body } = await admin.call<Health>('getHealth', 'GET', '/health');
        return [body.healthy, body.findings.find(({ what }) => what === 'sending emails')] as const;
      };
      const own = await mailingList(service, ['welcome']);
      server.refuseMail = () => '550 5.7.26 Unauthenticated email is not accepted';
      await own.signup({ email: 'unsent@example.com' });
      await until('it is told', async () => !(await health())[0]);
      const [, finding] = await health();
      assert.deepEqual([finding?.ok, finding?.level], [false, 'problem']);
      assert.match(finding?.detail ?? '', /It said: 550 5\.7\.26 Unauthenticated email is not accepted/);
      server.refuseMail = () => undefined;
      service.clock.advance(60_000);
      service.wake();
      await until('it is well again', async () => (await health())[1] === undefined);
    });

    it('pages suppressed addresses, also of one address with two reasons', async () => {
      const queue = await list.queue();
      const hash = (name: string) => queue.vault.hash('email', `${name}@example.com`);
      await service.context.db.transaction(async (trx) => {
        for (const name of ['p', 'q']) await suppress(trx, queue, hash(name), 'bounced', service.clock.now);
        await suppress(trx, queue, hash('p'), 'unsubscribed', service.clock.now);
      });
      const seen: string[] = [];
      const walk = async (cursor: string): Promise<void> => {
        const path = `${base()}/suppressions?limit=1${cursor}`;
        const { body } = await admin.call<SuppressionPage>('listSuppressions', 'GET', path);
        seen.push(...body.suppressions.map((one) => `${one.hash} ${one.reason}`));
        if (body.nextCursor !== null) await walk(`&cursor=${body.nextCursor}`);
      };
      await walk('');
      assert.equal(new Set(seen).size, 3);
      assert.equal(seen.length, 3);
    });
  });
});
