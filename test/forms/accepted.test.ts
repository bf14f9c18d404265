import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { LANGUAGES, textsIn } from '../../src/languages/languages.ts';
import { updateMailSettings } from '../../src/mail/update-settings.ts';
import { updateForm } from '../../src/waitlist/forms/update-form.ts';
import { signLink } from '../../src/waitlist/links/links.ts';
import { forEachEngine } from '../support/harness.ts';
import { type Mailing, type MailingList, mailingList, startMailing, withMailing } from '../support/mails.ts';

const HTML = { accept: 'text/html' };

forEachEngine((engine) => {
  describe('whoever has accepted an invite reads how to get to the product', () => {
    let service: Mailing;
    let without: Mailing;
    withMailing(engine, (made) => {
      ({ service } = made);
    });
    before(async () => {
      without = await startMailing(engine);
    });
    after(() => without.close());

    /** After accepting, when accepting again, and on the status page. */
    const pagesOf = async (on: Mailing, list: MailingList, lang: string) => {
      const email = `ada-${lang}@example.com`;
      await list.signup({ email });
      const { id } = (await list.lookup(email)).body;
      const { code } = await list.invite(email);
      const join = `/join/${code}?lang=${lang}`;
      const status = `/s/${signLink(await list.queue(), 'status', { id, at: Date.now() })}?lang=${lang}`;
      const pages = [
        await on.request('POST', join, { headers: HTML }),
        await on.request('POST', join, { headers: HTML }),
        await on.request('GET', join, { headers: HTML }),
        await on.request('GET', status, { headers: HTML }),
      ];
      assert.deepEqual(
        pages.map((page) => page.status),
        [200, 409, 409, 200],
      );
      return pages.map(({ text }) => text);
    };

    it('by the link that the operators set, else from the address that emails come from', async () => {
      const list = await mailingList(service, []);
      for (const lang of LANGUAGES) {
        const { join } = textsIn(lang);
        const asked = join.askSender(list.name, '<a href="mailto:hello@acme.example">hello@acme.example</a>');
        for (const text of await pagesOf(service, list, lang)) assert.ok(text.includes(asked), text);
      }
      await updateMailSettings(service.context, list.id, { from: 'news@acme.example' });
      for (const text of await pagesOf(service, list, 'en')) assert.match(text, /mailto:news@acme\.example"/);
      await updateMailSettings(service.context, list.id, { replyTo: 'team+a?b@acme.example' });
      for (const text of await pagesOf(service, list, 'en'))
        assert.match(text, /mailto:team%2Ba%3Fb@acme\.example">team\+a\?b@acme\.example</);

      await updateForm(service.context, await list.queue(), { acceptedUrl: 'https://app.acme.example/' });
      for (const text of await pagesOf(service, list, 'en')) {
        assert.ok(text.includes(`>Continue to ${list.name}<`), text);
        assert.doesNotMatch(text, /mailto:/);
      }
    });

    it('from whoever invited them, where no address is known', async () => {
      const list = await mailingList(without, []);
      for (const lang of LANGUAGES) {
        const { join } = textsIn(lang);
        for (const text of await pagesOf(without, list, lang)) {
          assert.ok(text.includes(join.askHost(list.name)), text);
          assert.doesNotMatch(text, /mailto:|localhost/);
        }
      }
    });
  });
});
