import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sharedNow } from '../../src/db/shared-clock.ts';
import { updateMailSettings } from '../../src/mail/update-settings.ts';
import { signLink } from '../../src/waitlist/links/links.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { openForm } from '../support/forms.ts';
import { forEachEngine, type Service, startService } from '../support/harness.ts';

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

    it('serves its script small, cached and to any page', async () => {
      const { status, headers, text } = await service.request('GET', '/form.js');
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
