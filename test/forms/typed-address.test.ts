import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { LANGUAGES, textsIn } from '../../src/languages/languages.ts';
import { openForm } from '../support/forms.ts';
import { forEachEngine, type Service, startService } from '../support/harness.ts';

forEachEngine((engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  describe('a misspelled provider', () => {
    it('is corrected in every language, and accepted when it is sent again', async () => {
      const form = await openForm(service);
      for (const lang of LANGUAGES) {
        const email = `Ada.${lang}@gmial.com`;
        const asked = await form.join({ email, lang, suggestedFor: '' });
        const suggestion = `ada.${lang}@gmail.com`.toLowerCase();
        assert.equal(asked.status, 422, asked.text);
        const { fields, suggestions } = asked.body as { fields: object; suggestions?: object };
        assert.deepEqual(suggestions, { email: suggestion });
        assert.deepEqual(fields, { email: textsIn(lang).form.problems.emailTypo(suggestion) });
        assert.equal((await form.join({ email, lang, suggestedFor: email })).body.state, 'joined');
        assert.equal((await form.list.lookup(email)).status, 200);
      }
    });

    it('is asked about again after another one was typed', async () => {
      const form = await openForm(service);
      const { status } = await form.join({ email: 'ada@yaho.com', suggestedFor: 'ada@gmial.com' });
      assert.equal(status, 422);
    });

    it('is not mentioned to clients that do not show suggestions', async () => {
      const form = await openForm(service);
      assert.equal((await form.join({ email: 'ada@gmial.com' })).body.state, 'joined');
    });

    it('is corrected by a button without scripts', async () => {
      const form = await openForm(service);
      const page = await form.send({ email: 'ada@gmial.com', token: form.token() });
      const shown = await page.text();
      assert.equal(page.status, 422);
      assert.match(shown, /Did you mean ada@gmail\.com\?/);
      assert.match(shown, /name="suggestedFor" value="ada@gmial\.com"/);
      assert.match(shown, /<button class="second" name="correctedEmail" value="ada@gmail\.com">/);
      const typed = { email: 'ada@gmial.com', suggestedFor: 'ada@gmial.com' };
      const taken = await form.send({ ...typed, correctedEmail: 'ada@gmail.com', token: form.token() });
      assert.equal(taken.status, 303);
      assert.equal((await form.list.lookup('ada@gmail.com')).status, 200);
      assert.equal((await form.list.lookup('ada@gmial.com')).status, 404);
      assert.equal((await form.send({ ...typed, token: form.token() })).status, 303);
      assert.equal((await form.list.lookup('ada@gmial.com')).status, 200);
    });
  });

  describe('a role address', () => {
    it('is accepted unless the form refuses it', async () => {
      const form = await openForm(service);
      assert.equal((await form.join({ email: 'info@example.com' })).body.state, 'joined');
      await form.change({ blockRoleAddresses: true });
      for (const lang of LANGUAGES) {
        const { status, body } = await form.join({ email: 'Admin+x@example.com', lang });
        assert.equal(status, 422);
        assert.deepEqual(body.fields, { email: textsIn(lang).form.problems.emailRole });
      }
      const page = await form.send({ email: 'sales@example.com', token: form.token() });
      assert.equal(page.status, 422);
      assert.match(await page.text(), /Enter a personal address/);
      assert.equal((await form.join({ email: 'ada@example.com' })).body.state, 'joined');
    });
  });
});
