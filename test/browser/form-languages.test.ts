import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { sharedNow } from '../../src/db/shared-clock.ts';
import { DEFAULT_LANGUAGE, LANGUAGES, textsIn } from '../../src/languages/languages.ts';
import type { Texts } from '../../src/languages/texts.ts';
import { signLink } from '../../src/waitlist/links/links.ts';
import { type OpenForm, openForm } from '../support/forms.ts';
import { type Service, startService } from '../support/harness.ts';
import {
  assertAccessible,
  assertFits,
  formScript,
  openPublicPage,
  openSite,
  type PublicPage,
  picture,
  type Site,
  strictPolicy,
  takeTime,
} from '../support/public-pages.ts';
import { sharedChromium } from '../support/shared-chromium.ts';

/** Only what a browser sees, so one engine is enough. */
describe('public pages in every language, on a phone', () => {
  let service: Service;
  let browser: Browser;
  let site: Site;
  let form: OpenForm;
  let status: string;
  let join: string;
  let opened: PublicPage;
  before(async () => {
    service = await startService('sqlite');
    browser = await sharedChromium();
    form = await openForm(service, {
      fields: [{ name: 'plan', label: 'Plan', type: 'choice', options: ['Free', 'Pro'], required: false }],
    });
    const element = `${formScript(service.url)}<doorlist-form form-key="${form.key}"></doorlist-form>`;
    site = await openSite({ '/': element }, strictPolicy(service.url));
    await form.change({ allowedOrigins: [site.url] });
    // Somebody is ahead of her: only then can she move up.
    await form.list.signup({ email: 'alan@example.com' }, { email: 'ada@example.com' });
    const { id } = (await form.list.lookup('ada@example.com')).body;
    status = `/s/${signLink(form.queue, 'status', { id, at: await sharedNow(service.context) })}`;
    const { code } = await form.list.invite('bob@example.com', { expiresAt: service.clock.now + 86_400_000 });
    join = `/join/${code}`;
    opened = await openPublicPage(browser, service.url);
  });
  after(async () => {
    await browser?.close();
    site?.close();
    await service?.close();
  });

  /** Everything by its role and its exact text. Waits until the component is there. */
  const shows = async (
    page: Page,
    { heading, button }: { heading?: string; button?: string },
    texts: string[],
  ) => {
    if (button !== undefined) await page.getByRole('button', { name: button, exact: true }).waitFor();
    if (heading !== undefined)
      await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
    for (const text of texts) await page.getByText(text, { exact: true }).first().waitFor();
  };
  const languageOfPage = (page: Page) => page.locator('html').getAttribute('lang');

  const look = async (
    page: Page,
    texts: Texts,
    query: string,
    check: (what: string, language: string) => Promise<void>,
  ) => {
    const { tag, form: words } = texts;
    await page.goto(`${service.url}/w/${form.list.id}${query}`);
    await shows(page, { heading: words.title('Acme'), button: words.button }, [words.intro, words.email]);
    assert.equal(await languageOfPage(page), tag);
    await check('hosted', tag);
    await page.goto(service.url + status + query);
    await shows(page, { heading: texts.status.title('Acme') }, [
      texts.status.positionLabel,
      texts.share.title,
    ]);
    assert.equal(await languageOfPage(page), tag);
    await check('status', tag);
    await page.goto(service.url + join + query);
    await shows(page, { heading: texts.join.title('Acme'), button: texts.join.accept }, []);
    assert.equal(await languageOfPage(page), tag);
    await check('join', tag);
    await page.goto(site.url + query);
    await shows(page, { button: words.button }, [words.email, `(${words.optional})`]);
    const inside = page.locator('doorlist-form [part=form]');
    assert.equal(await inside.getAttribute('lang'), tag);
    await check('element', tag);
  };

  /** What the browser asks for and shows from now on, and a check of each page. */
  const view = async (asked: string, colorScheme: 'light' | 'dark', assertGood: typeof assertFits) => {
    const { page } = opened;
    page.problems.length = 0;
    await page.setExtraHTTPHeaders({ 'accept-language': asked });
    await page.emulateMedia({ colorScheme });
    return async (what: string, language: string) => {
      await assertGood(page, `${what} in ${language}, ${colorScheme}`);
      await picture(page, `${language}-${colorScheme}-${what}`);
    };
  };

  for (const [index, language] of LANGUAGES.entries()) {
    const texts = textsIn(language);
    // Colors do not depend on the language: both themes of one language, and one of the others.
    const [theme, otherTheme] = index % 2 === 0 ? (['light', 'dark'] as const) : (['dark', 'light'] as const);

    it(`follows a browser that asks for ${language}, up to the place in line`, async () => {
      const { page } = opened;
      const check = await view(texts.tag, theme, assertAccessible);
      await look(page, texts, '', check);
      await page.getByLabel(texts.form.email, { exact: true }).fill(`${language}@example.com`);
      await takeTime(page, service.clock);
      await page.getByRole('button', { name: texts.form.button }).click();
      await page.getByRole('heading', { name: texts.joined.title, exact: true }).waitFor();
      await shows(page, { button: texts.share.copy }, [texts.status.position(3 + index)]);
      await check('joined', texts.tag);
      assert.deepEqual(page.problems, []);
    });

    it(`follows the parameter ${language}, whatever the browser asks for`, async () => {
      const { page } = opened;
      const assertGood = language === DEFAULT_LANGUAGE ? assertAccessible : assertFits;
      const check = await view(language === 'de' ? 'fr' : 'de', otherTheme, assertGood);
      await look(page, texts, `?lang=${language}`, check);
      assert.deepEqual(page.problems, []);
    });
  }
});
