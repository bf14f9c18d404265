import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sharedNow } from '../../src/db/shared-clock.ts';
import { updateMailSettings, uploadLogo } from '../../src/mail/update-settings.ts';
import { signLink } from '../../src/waitlist/links/links.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { openForm } from '../support/forms.ts';
import { forEachEngine, type Service, startService } from '../support/harness.ts';
import { PNG } from '../support/pictures.ts';

const HTML = { accept: 'text/html' };

forEachEngine((engine) => {
  describe('the look of public pages, and their script', () => {
    let service: Service;
    before(async () => {
      service = await startService(engine);
    });
    after(() => service.close());
    const get = (path: string) => service.request('GET', path, { headers: HTML });

    it('gives the join page the look of the waitlist, and leads on to its site', async () => {
      const form = await openForm(service, { acceptedUrl: 'https://app.acme.example/?a=1&b=2' });
      await updateMailSettings(service.context, form.list.id, { colour: '#123456' });
      const { code } = await form.list.invite('ada@example.com');
      assert.match((await get(`/join/${code}`)).text, /--accent: #123456; --on: #fff/);
      const accepted = await service.request('POST', `/join/${code}`, { headers: HTML });
      assert.match(
        accepted.text,
        /href="https:\/\/app\.acme\.example\/\?a=1&amp;b=2"[^>]*>Continue to Acme</,
      );
      const again = await service.request('POST', `/join/${code}`, { headers: HTML });
      assert.equal(again.status, 409);
      assert.match(again.text, /--accent: #123456/);
      const unknown = code.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
      assert.doesNotMatch((await get(`/join/${unknown}`)).text, /--accent: #123456/);
    });

    it('gives the pages of links in mails the look of the waitlist, if the link is one of ours', async () => {
      const form = await openForm(service);
      await updateMailSettings(service.context, form.list.id, { colour: '#123456' });
      await updateWaitlist(service.context, form.list.id, { confirmEmails: true });
      await form.list.signup({ email: 'ada@example.com' });
      const { id } = (await form.list.lookup('ada@example.com')).body;
      const at = await sharedNow(service.context);
      for (const [page, purpose] of [
        ['confirm', 'confirm'],
        ['leave', 'leave'],
        ['unsubscribe', 'leave'],
      ] as const) {
        const path = `/${page}/${signLink(form.queue, purpose, { id, at })}`;
        assert.match((await get(path)).text, /--accent: #123456.*<p class="brand">Acme<\/p>/s, page);
        const forged = await get(`${path}x`);
        assert.equal(forged.status, 404);
        assert.doesNotMatch(forged.text, /--accent: #123456|class="brand"/, page);
      }
    });

    it('marks the language of what operators wrote, and makes room for a long word in the headline', async () => {
      const form = await openForm(service, { headline: 'Neue Projektmanagementsoftware' });
      const page = `/w/${form.list.id}?lang=fr`;
      assert.match((await get(page)).text, /--letters: 25;.*<h1 dir="auto">Neue/s);
      await updateMailSettings(service.context, form.list.id, { language: 'de' });
      await form.change({ headline: 'Projekt\u00admanagement\u00adsoftware' });
      const { text } = await get(page);
      assert.match(text, /<h1 dir="auto" lang="de">Projekt/);
      assert.doesNotMatch(text, /--letters:/, 'soft hyphens say where it may break');
      assert.match(text, /<html lang="fr".*<p class="text" dir="auto">Laissez/s);
      await form.change({ headline: null, text: 'Bald ist es so weit.' });
      const own = (await get(`/w/${form.list.id}?lang=ja`)).text;
      assert.match(own, /<h1>Acmeのウェイトリストに登録<.*<p class="text" dir="auto" lang="de">Bald/s);
    });

    it('describes every page to search engines and social networks, without a word about the person', async () => {
      const form = await openForm(service, { text: 'A "calm" planner' });
      const at = await sharedNow(service.context);
      await form.list.signup({ email: 'ada@example.com' });
      const { id } = (await form.list.lookup('ada@example.com')).body;
      const { code } = await form.list.invite('grace@example.com');
      const pages = [
        `/w/${form.list.id}`,
        `/s/${signLink(form.queue, 'status', { id, at })}`,
        `/confirm/${signLink(form.queue, 'confirm', { id, at })}`,
        `/join/${code}`,
      ];
      const head = async (path: string) => (await get(path)).text.split('</head>')[0] ?? '';
      const tag = (text: string, name: string) =>
        new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)">`).exec(text)?.[1];
      for (const path of pages) {
        const text = await head(path);
        assert.ok(tag(text, 'og:title'), path);
        assert.ok(tag(text, 'description'), path);
        assert.equal(tag(text, 'og:description'), tag(text, 'description'));
        assert.equal(tag(text, 'og:image'), undefined);
        assert.equal(tag(text, 'twitter:card'), 'summary');
        assert.match(text, /<link rel="icon" href="data:image\/svg\+xml,/, path);
        assert.doesNotMatch(text, /example\.com/, 'nobody’s address');
      }
      assert.equal(tag(await head(pages[0] ?? ''), 'og:description'), 'A &quot;calm&quot; planner');
      await uploadLogo(service.context, form.list.id, PNG);
      for (const path of pages) {
        const { text, headers } = await get(path);
        const image = tag(text, 'og:image') ?? '';
        assert.match(image, /^http:\/\/127\.0\.0\.1:3000\/w\/wl_\w+\/pictures\/[0-9a-f]{32}\.png$/);
        assert.ok(text.includes(`<link rel="icon" href="${image}">`));
        assert.match(headers.get('content-security-policy') ?? '', /img-src http:\/\/127\.0\.0\.1:3000;/);
      }
      await form.change({ shareImageUrl: 'https://cdn.example/share.png' });
      const shared = await head(pages[0] ?? '');
      assert.equal(tag(shared, 'og:image'), 'https://cdn.example/share.png');
      assert.equal(tag(shared, 'twitter:card'), 'summary_large_image');
    });

    it('tells a status page cheaply that nothing has changed', async () => {
      const form = await openForm(service);
      const at = await sharedNow(service.context);
      await form.list.signup({ email: 'first@example.com' }, { email: 'ada@example.com' });
      const { id, referralCode } = (await form.list.lookup('ada@example.com')).body;
      const path = `/s/${signLink(form.queue, 'status', { id, at })}`;
      const poll = (etag = '') =>
        service.request<{ positionShown: string }>('GET', path, {
          headers: { accept: 'application/json', 'if-none-match': etag },
        });
      const before = await poll();
      assert.equal(before.body.positionShown, '2');
      const etag = before.headers.get('etag') ?? '';
      assert.equal((await poll(etag)).status, 304);
      await form.list.signup({ email: 'friend@example.com', referredBy: referralCode });
      const after = await poll(etag);
      assert.deepEqual([after.status, after.body.positionShown], [200, '1']);
    });

    it('serves its script small, cached and to any page', async () => {
      const { status, headers, text } = await service.request('GET', '/form.js');
      assert.equal((await service.request('GET', '/status.js')).status, 200);
      assert.equal(status, 200);
      assert.match(headers.get('cache-control') ?? '', /public, max-age=3600/);
      assert.equal(headers.get('access-control-allow-origin'), '*');
      assert.match(text, /customElements\.define\(.doorlist-form./);
      const etag = headers.get('etag') ?? '';
      assert.equal(
        (await service.request('GET', '/form.js', { headers: { 'if-none-match': etag } })).status,
        304,
      );
      for (const encoding of ['br', 'gzip']) {
        const raw = await rawLength(`${service.url}/form.js`, encoding);
        assert.ok(raw < 5_000, `${encoding}: ${raw}`);
      }
    });
  });
});

/** As sent: `fetch` would decompress it. */
async function rawLength(url: string, encoding: string): Promise<number> {
  const { request } = await import('undici');
  const { body } = await request(url, { headers: { 'accept-encoding': encoding } });
  return (await body.arrayBuffer()).byteLength;
}
