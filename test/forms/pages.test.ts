import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sharedNow } from '../../src/db/shared-clock.ts';
import { updateMailSettings } from '../../src/mail/update-settings.ts';
import { signLink } from '../../src/waitlist/links/links.ts';
import { recordMailEvents } from '../../src/waitlist/mail-events/record-mail-events.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { openForm, SITE } from '../support/forms.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';

const HTML = { accept: 'text/html' };

forEachEngine((engine) => {
  describe('pages of the form', () => {
    let service: Service;
    before(async () => {
      service = await startService(engine, {
        environment: {
          DOORLIST_PUBLIC_URL: 'https://w.example',
          DOORLIST_SMTP_URL: 'smtp://127.0.0.1:1',
          DOORLIST_MAIL_FROM: 'hello@w.example',
        },
      });
    });
    after(() => service.close());
    const get = (path: string, headers: Record<string, string> = HTML) =>
      service.request('GET', path, { headers });

    /** The link that mails contain. */
    const statusPath = async (list: List, email: string) => {
      const { id } = (await list.lookup(email)).body;
      return `/s/${signLink(await list.queue(), 'status', { id, at: await sharedNow(service.context) })}`;
    };
    const tokenIn = (page: string) => /name="token" value="([^"]+)"/.exec(page)?.[1] ?? '';

    it('shows the form of the waitlist with its look, and keeps what the link brought', async () => {
      const form = await openForm(service, {
        headline: 'Join <us>',
        text: 'Two\nlines',
        buttonText: 'Go',
        fields: [{ name: 'plan', label: 'Plan', type: 'choice', options: ['A&B', 'C'], required: false }],
        utm: true,
      });
      await updateMailSettings(service.context, form.list.id, {
        colour: '#ffcc00',
        logoUrl: 'https://cdn.example/logo.png',
      });
      const { status, text, headers } = await get(`/w/${form.list.id}?ref=abc"x&utm_source=hn&plan=A%26B`);
      assert.equal(status, 200);
      assert.match(text, /<h1 dir="auto">Join &lt;us&gt;<\/h1>/);
      assert.match(text, /--accent: #ffcc00; --on: #000/);
      assert.match(text, /<img src="https:\/\/cdn\.example\/logo\.png"/);
      assert.match(text, /name="ref" value="abc&quot;x"/);
      assert.match(text, /name="utm_source" value="hn"/);
      assert.match(text, /<option selected>A&amp;B<\/option>/);
      const policy = headers.get('content-security-policy') ?? '';
      for (const part of ["default-src 'none'", 'img-src https://cdn.example', "frame-ancestors 'none'"])
        assert.ok(policy.includes(part), policy);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal((await get(`/w/${form.list.id}?environment=development`)).status, 404);
      for (const path of ['/w/wl_nothing', '/w/x', '/w/%00', `/w/${form.list.id}?environment=x`])
        assert.match((await get(path)).text, /Page not found/, path);
    });

    it('speaks the language of the person', async () => {
      const form = await openForm(service);
      const { text, headers } = await get(`/w/${form.list.id}`, {
        ...HTML,
        'accept-language': 'de-AT,en;q=0.5',
      });
      assert.match(text, /<html lang="de"/);
      assert.equal(headers.get('content-language'), 'de');
      assert.match((await get(`/w/${form.list.id}?lang=ja`)).text, /<html lang="ja"/);
    });

    it('joins without scripts, once the email is confirmed', async () => {
      const form = await openForm(service);
      const { text } = await get(`/w/${form.list.id}?lang=fr`);
      service.clock.advance(1_000);
      const values = { email: 'ada@example.com', token: tokenIn(text), lang: 'fr' };
      const answer = await form.send(values, { origin: 'null' });
      assert.equal(answer.status, 303);
      assert.equal(answer.headers.get('location'), `../../w/${form.list.id}/thanks?lang=fr`);
      assert.equal((await form.list.lookup('ada@example.com')).body.status, 'pending');
      assert.match((await get(`/w/${form.list.id}/thanks?lang=fr`)).text, /<html lang="fr"/);
      assert.equal((await form.send(values)).status, 303, 'a second click changes nothing');
      assert.equal((await form.send({ ...values, email: 'bob@example.com' })).status, 403);
      assert.equal((await form.list.page()).body.total, 1);
    });

    it('leads on to the page of the waitlist, whose policy of forms stays closed', async () => {
      const form = await openForm(service, { redirectUrl: 'https://acme.example/thanks?a="b"&c' });
      const answer = await form.send({ email: 'ada@example.com', token: form.token() }, { origin: SITE });
      const thanks = `/w/${form.list.id}/thanks?lang=en`;
      assert.deepEqual([answer.status, answer.headers.get('location')], [303, `../..${thanks}`]);
      const { text, headers } = await get(thanks);
      assert.match(
        text,
        /<meta http-equiv="refresh" content="0; url=https:\/\/acme\.example\/thanks\?a=%22b%22&amp;c">/,
      );
      assert.match(text, /<a class="button" href="https:\/\/acme\.example\/thanks[^>]*>Continue to Acme</);
      for (const policy of [headers, (await get(`/w/${form.list.id}`)).headers])
        assert.match(policy.get('content-security-policy') ?? '', /form-action 'self';/);
      await form.change({ redirectUrl: null });
      assert.doesNotMatch((await get(thanks)).text, /refresh|Continue/);
    });

    it('shows a form from a page without our script once more, filled in', async () => {
      const form = await openForm(service, {
        fields: [{ name: 'company', label: 'Company', type: 'text', required: false }],
      });
      const values = { email: 'ada@example.com', company: '"Acme"', ref: 'abcdefgh' };
      const shown = await form.send(values, { origin: SITE });
      assert.equal(shown.status, 200);
      const page = await shown.text();
      assert.match(page, /value="ada@example.com"/);
      assert.match(page, /value="&quot;Acme&quot;"/);
      assert.match(page, /name="ref" value="abcdefgh"/);
      assert.equal((await form.list.page()).body.total, 0);
      service.clock.advance(1_000);
      const sent = await form.send({ ...values, token: tokenIn(page) });
      assert.equal(sent.status, 303);
      assert.deepEqual((await form.list.lookup('ada@example.com')).body.metadata, { company: '"Acme"' });
    });

    it('says what to correct, keeps what was typed, and says nothing to bots', async () => {
      const form = await openForm(service, { consent: { text: 'Mail me <b>', version: '1' } });
      const wrong = await form.send({ email: 'ada', token: form.token() });
      assert.equal(wrong.status, 422);
      const page = await wrong.text();
      assert.match(page, /value="ada"[^>]*aria-invalid="true" aria-describedby="dl-email-problem"/);
      assert.match(page, /Check this box to continue/);
      assert.match(page, /Mail me &lt;b&gt;/);
      const bot = await form.send({ email: 'a@example.com', token: form.token(), website: 'x' });
      assert.equal(bot.status, 403);
      assert.match(await bot.text(), /couldn’t add you/);
      const evil = await form.send({ email: 'a@example.com' }, { origin: 'https://evil.example' });
      assert.equal(evil.status, 403);
      assert.equal((await form.list.page()).body.total, 0);
    });

    it('says that a waitlist is closed', async () => {
      const form = await openForm(service);
      const token = form.token();
      await updateWaitlist(service.context, form.list.id, { closed: true });
      assert.match((await get(`/w/${form.list.id}`)).text, /This waitlist is closed/);
      const late = await form.send({ email: 'a@example.com', token });
      assert.equal(late.status, 409);
      assert.match(await late.text(), /This waitlist is closed/);
    });

    it('shows people their place, their referrals and a link to share', async () => {
      const form = await openForm(service);
      const { list } = form;
      await list.signup(
        { email: 'ada@example.com' },
        { email: 'bob@example.com', referredBy: 'ada@example.com' },
      );
      const path = await statusPath(list, 'ada@example.com');
      const { status, text, headers } = await get(path);
      assert.equal(status, 200);
      assert.match(text, /<p class="position">1<\/p>/);
      assert.match(text, /1 person joined with your link/);
      const { referralCode } = (await list.lookup('ada@example.com')).body;
      assert.match(text, new RegExp(`https://w\\.example/w/${list.id}\\?ref=${referralCode}`));
      for (const place of [
        'https://x.com/intent/post',
        'https://wa.me/',
        'https://www.linkedin.com/',
        'mailto:',
      ])
        assert.ok(text.includes(`href="${place}`), place);
      assert.doesNotMatch(text, /ada@example/);
      assert.equal(headers.get('x-robots-tag'), 'noindex');
      await updateMailSettings(service.context, list.id, {
        referralUrl: 'https://acme.example/?r={referralCode}',
      });
      assert.match((await get(path)).text, new RegExp(`https://acme\\.example/\\?r=${referralCode}`));
    });

    it('asks everyone but the first in line whether they want to get in sooner', async () => {
      const { list } = await openForm(service);
      await list.signup({ email: 'ada@example.com' }, { email: 'bob@example.com' });
      const first = await get(await statusPath(list, 'ada@example.com'));
      assert.match(first.text, /<h2>Spread the word<\/h2>\n<p>Share your link with friends\.<\/p>/);
      const second = await get(await statusPath(list, 'bob@example.com'));
      assert.match(
        second.text,
        /<h2>Want to get in sooner\?<\/h2>\n<p>Share your link\. For everyone who joins with it, you count as having joined 5\u00a0places earlier\.<\/p>/,
      );
    });

    it('promises no better place where referrals move nobody up', async () => {
      const form = await openForm(service);
      await updateWaitlist(service.context, form.list.id, { boost: 0 });
      await form.list.signup({ email: 'ada@example.com' });
      const { text } = await get(await statusPath(form.list, 'ada@example.com'));
      assert.match(text, /<h2>Spread the word<\/h2>\n<p>Share your link with friends\.<\/p>/);
      assert.doesNotMatch(text, /sooner|earlier/);
    });

    it('offers no link to a page that is off', async () => {
      const form = await openForm(service);
      await form.list.signup({ email: 'ada@example.com' });
      const path = await statusPath(form.list, 'ada@example.com');
      await form.change({ enabled: false });
      const { text } = await get(path);
      assert.match(text, /<p class="position">1<\/p>/);
      assert.doesNotMatch(text, /\/w\/wl_|Your link|joined with your link|x\.com/);
      const { body } = await service.request<{ shareUrl: null; links: [] }>('GET', path, {
        headers: { accept: 'application/json' },
      });
      assert.deepEqual([body.shareUrl, body.links], [null, []]);
      await updateMailSettings(service.context, form.list.id, {
        referralUrl: 'https://acme.example/?r={referralCode}',
      });
      assert.match((await get(path)).text, /https:\/\/acme\.example\/\?r=/);
    });

    it('lets people leave only with a link that came by mail', async () => {
      const form = await openForm(service);
      const joined = await form.join({ email: 'ada@example.com' });
      const visit = new URL(joined.body.statusUrl ?? '').pathname;
      assert.match((await get(visit)).text, /action="\.\.\/s\/[\w-]+\/leave"/);
      const asked = await service.request('POST', `${visit}/leave`, { headers: HTML });
      assert.match(asked.text, /Check your inbox/);
      assert.equal((await form.list.lookup('ada@example.com')).status, 200);
      const mailed = await statusPath(form.list, 'ada@example.com');
      const leave = /href="\.\.(\/leave\/[\w-]+)"/.exec((await get(mailed)).text)?.[1] ?? '';
      assert.equal((await service.request('POST', leave)).status, 200);
      assert.equal((await form.list.lookup('ada@example.com')).status, 404);
      for (const path of [mailed, visit]) assert.match((await get(path)).text, /no longer on the waitlist/);
    });

    it('offers to send the confirmation again, at most once a day', async () => {
      const form = await openForm(service);
      await updateWaitlist(service.context, form.list.id, { confirmEmails: true });
      await form.join({ email: 'ada@example.com' });
      const path = await statusPath(form.list, 'ada@example.com');
      assert.match((await get(path)).text, /Send the email again/);
      for (let i = 0; i < 3; i += 1) {
        const again = await service.request('POST', `${path}/resend`, { headers: HTML });
        assert.match(again.text, /on its way/);
      }
      const mails = await service.context.db.query
        .selectFrom('event')
        .select('kind')
        .where('queue_id', '=', form.queue.id)
        .execute();
      assert.deepEqual(
        mails.map(({ kind }) => kind),
        ['email.confirm', 'email.confirm'],
      );
    });

    it('says that no email is sent to an address that bounced', async () => {
      const list = await service.waitlist();
      await updateWaitlist(service.context, list.id, { confirmEmails: true });
      await list.signup({ email: 'ada@example.com' });
      const path = await statusPath(list, 'ada@example.com');
      const resend = () => service.request('POST', `${path}/resend`, { headers: HTML });
      assert.match((await resend()).text, /on its way.*We send at most one a day/);
      await recordMailEvents(service.context, await list.queue(), [
        { type: 'bounce', email: 'ada@example.com' },
      ]);
      const { text } = await resend();
      assert.match(text, /We can’t email you right now/);
      assert.doesNotMatch(text, /on its way/);
    });

    /** Every place that the page leads to on this site, as a browser resolves it. */
    const leadsTo = (path: string, page: string) =>
      [...page.matchAll(/(?:action|href)="(\.[^"]*)"/g)].map(([, to = '']) => {
        const { pathname, search } = new URL(to, service.url + path);
        return pathname + search;
      });

    it('keeps the chosen language on the way, also after a button was used', async () => {
      const form = await openForm(service);
      await updateWaitlist(service.context, form.list.id, { confirmEmails: true });
      await form.join({ email: 'ada@example.com' });
      const path = await statusPath(form.list, 'ada@example.com');
      const first = await get(`${path}?lang=de`);
      const [resend = '', leave = '', ...data] = leadsTo(path, first.text);
      assert.equal(resend, `${path}/resend?lang=de`);
      assert.deepEqual(data, [`${path}/download?lang=de`, `${path}/deletion?lang=de`]);
      assert.match(leave, /^\/leave\/[\w-]+\?lang=de$/);
      const again = await service.request('POST', resend, { headers: HTML });
      assert.match(again.text, /<html lang="de"/);
      assert.deepEqual(leadsTo(resend, again.text), [resend, leave, ...data]);
      assert.match((await get(leave)).text, /<html lang="de"/);
      const hosted = await get(`/w/${form.list.id}?lang=de`);
      assert.deepEqual(leadsTo(`/w/${form.list.id}`, hosted.text), [`${form.path}?lang=de`]);
    });

    it('leads whoever opens the address of a sent form or button to its page', async () => {
      const form = await openForm(service);
      await form.list.signup({ email: 'ada@example.com' });
      const path = await statusPath(form.list, 'ada@example.com');
      const confirm = `/confirm/${signLink(form.queue, 'confirm', { id: (await form.list.lookup('ada@example.com')).body.id, at: 1 })}`;
      for (const [opened, page] of [
        [form.path, `/w/${form.list.id}`],
        [`${path}/resend`, path],
        [`${path}/leave`, path],
        [`${confirm}/again`, confirm],
      ] as const) {
        const answer = await fetch(`${service.url}${opened}?lang=fr`, { headers: HTML });
        assert.equal(answer.status, 200, opened);
        assert.equal(answer.url, `${service.url}${page}?lang=fr`);
      }
      assert.equal((await form.get()).headers.get('content-type'), 'application/json; charset=utf-8');
    });

    it('finds nobody behind a link with characters that no token has', async () => {
      for (const token of ['%0D%0AX%3Ay', '%00', '%7F', '%E2%80%A8', '%F0%9F%8E%89', '..%2F..', '%25'])
        for (const address of [`/s/${token}/resend`, `/s/${token}/leave`, `/confirm/${token}/again`]) {
          const opened = await fetch(`${service.url}${address}`, { headers: HTML });
          assert.deepEqual([opened.status, new URL(opened.url).pathname], [404, path.dirname(address)]);
          assert.ok(opened.headers.get('x-request-id'));
        }
    });

    it('joins a title and a text as the language does', async () => {
      const form = await openForm(service);
      const refused = async (lang: string) =>
        (await form.send({ email: 'a@example.com', website: 'x', lang })).text();
      assert.match(await refused('ja'), /登録できませんでした。ページを/);
      assert.match(await refused('zh'), /未能加入。请刷新/);
      assert.match(await refused('de'), /nicht geklappt\. Lade/);
    });

    it('shows nothing for links that were changed or made for something else', async () => {
      const form = await openForm(service);
      await form.join({ email: 'ada@example.com' });
      const path = await statusPath(form.list, 'ada@example.com');
      const { id } = (await form.list.lookup('ada@example.com')).body;
      const confirm = signLink(form.queue, 'confirm', { id, at: 1 });
      for (const bad of [
        `${path}x`,
        path.slice(0, -1),
        `/s/${confirm}`,
        '/s/x',
        '/s/%00',
        `/s/${'a'.repeat(300)}`,
      ]) {
        const { status, text } = await get(bad);
        assert.deepEqual([status, /This link does not work/.test(text)], [404, true], bad);
        assert.equal((await service.request('POST', `${bad}/leave`, { headers: HTML })).status, 404, bad);
      }
    });
  });

  describe('pages of the form without a mail server', () => {
    it('say that no email is sent, in the language of the person', async () => {
      const service = await startService(engine);
      const form = await openForm(service);
      const { statusUrl = '' } = (await form.join({ email: 'ada@example.com' })).body;
      const leave = (lang: string) =>
        service.request('POST', `${new URL(statusUrl).pathname}/leave?lang=${lang}`, { headers: HTML });
      const { text } = await leave('en');
      assert.match(text, /<p class="notice" role="status">We can’t email you right now/);
      assert.doesNotMatch(text, /inbox|on its way/);
      assert.match((await leave('de')).text, /keine E‑Mail schicken/);

      await updateWaitlist(service.context, form.list.id, { confirmEmails: true });
      await form.list.signup({ email: 'bob@example.com' });
      const { id } = (await form.list.lookup('bob@example.com')).body;
      const at = await sharedNow(service.context);
      const resend = `/s/${signLink(form.queue, 'status', { id, at })}/resend`;
      assert.match(
        (await service.request('POST', resend, { headers: HTML })).text,
        /We can’t email you right now/,
      );
      const confirm = `/confirm/${signLink(form.queue, 'confirm', { id, at: 1 })}/again`;
      const again = await service.request('POST', confirm, { headers: HTML });
      assert.match(again.text, /This link has expired.*We can’t email you right now/s);
      assert.doesNotMatch(again.text, /inbox|on its way/);
      const asJson = await service.request('POST', confirm, { headers: { accept: 'application/json' } });
      assertError(asJson, 410, 'expired');

      const { texts } = (await service.request<{ texts: Record<string, string> }>('GET', form.path)).body;
      assert.deepEqual(
        [texts.checkInbox, texts.checkInboxText],
        ['Confirm your email', 'We can’t email you right now. Please try again later.'],
      );
      const page = await service.request('GET', `/w/${form.list.id}`, { headers: HTML });
      assert.match(page.text, /<p class="soft">We can’t email you right now/);
      assert.doesNotMatch(page.text, /send you an email/);
      const thanks = await service.request('GET', `/w/${form.list.id}/thanks`, { headers: HTML });
      assert.match(thanks.text, /Confirm your email.*We can’t email you right now/s);
      assert.doesNotMatch(thanks.text, /inbox/);
      await service.close();
    });
  });

  describe('a form that was sent too often', () => {
    it('is turned away in its language', async () => {
      const service = await startService(engine, { environment: { DOORLIST_RATE_LIMIT_FORM: '1' } });
      const form = await openForm(service);
      const page = await service.request('GET', `/w/${form.list.id}?lang=ja`, { headers: HTML });
      const action = /action="([^"]+)"/.exec(page.text)?.[1] ?? '';
      const send = () =>
        fetch(new URL(action, `${service.url}/w/${form.list.id}`), {
          method: 'POST',
          headers: { ...HTML, 'accept-language': 'en' },
          body: new URLSearchParams({ email: 'ada@example.com', lang: 'ja' }),
        });
      const answers = [];
      for (let i = 0; i < 3; i += 1) answers.push(await send());
      const limited = answers.at(-1);
      assert.equal(limited?.status, 429);
      assert.match((await limited?.text()) ?? '', /<html lang="ja".*リクエストが多すぎます/s);
      await service.close();
    });
  });
});
