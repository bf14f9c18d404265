import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { CAPTCHA_PROVIDERS } from '../../src/waitlist/forms/form-settings.ts';
import { standInForWidget, startCaptchaProvider } from '../support/captcha-provider.ts';
import { type OpenForm, openForm } from '../support/forms.ts';
import { type Service, startService } from '../support/harness.ts';
import {
  assertAccessible,
  formScript,
  openPublicPage,
  openSite,
  picture,
  type Site,
  takeTime,
} from '../support/public-pages.ts';
import { sharedChromium } from '../support/shared-chromium.ts';

const TURNSTILE = 'https://challenges.cloudflare.com';
const HCAPTCHA = 'https://hcaptcha.com https://*.hcaptcha.com';
/** What the hosted page allows beside itself. */
const ALLOWED = {
  turnstile: { script: ` ${TURNSTILE}`, frame: TURNSTILE, style: '', connect: '' },
  hcaptcha: { script: ` ${HCAPTCHA}`, frame: HCAPTCHA, style: ` ${HCAPTCHA}`, connect: ` ${HCAPTCHA}` },
};

describe('a CAPTCHA in a browser', () => {
  let service: Service;
  let browser: Browser;
  let provider: Awaited<ReturnType<typeof startCaptchaProvider>>;
  before(async () => {
    provider = await startCaptchaProvider();
    service = await startService('sqlite', {
      environment: { DOORLIST_WEBHOOK_ALLOW: '127.0.0.1' },
      captchaUrls: { turnstile: provider.url, hcaptcha: provider.url },
    });
    browser = await sharedChromium();
  });
  after(async () => {
    await browser?.close();
    await service?.close();
    provider?.close();
  });

  const join = async (page: Page) => {
    await takeTime(page, service.clock);
    await page.getByRole('button', { name: 'Join the waitlist' }).click();
  };
  /** Without an answer, with a refused one, and with the answer of a person. */
  const tryAll = async (page: Page, form: OpenForm) => {
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByRole('button', { name: 'answer as human' }).waitFor();
    const asked = provider.asked.length;
    await join(page);
    await page.getByText('Confirm that you’re not a robot.').waitFor();
    assert.equal(provider.asked.length, asked);
    await page.getByRole('button', { name: 'answer as robot' }).click();
    await join(page);
    await page.getByText('We couldn’t add you.').waitFor();
    assert.equal(await page.locator('html').getAttribute('data-reset'), 'widget');
    await join(page);
    await page.getByText('Confirm that you’re not a robot.').waitFor();
    assert.equal((await form.list.page()).body.total, 0);
    await page.getByRole('button', { name: 'answer as human' }).click();
    await join(page);
    await page.getByText('You are number 1 in line.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'answer as' }).count(), 0);
    assert.equal((await form.list.lookup('ada@example.com')).body.status, 'waiting');
  };
  const unexpected = (problems: string[]) => problems.filter((text) => !/403/.test(text));

  for (const name of CAPTCHA_PROVIDERS) {
    const captcha = { provider: name, siteKey: 'site-key', secret: `secret-${name}` };

    it(`lets a person pass on our page, and nobody else: ${name}`, async () => {
      const form = await openForm(service, { captcha });
      const url = `${service.url}/w/${form.list.id}`;
      const { page, problems, close } = await openPublicPage(
        browser,
        url,
        { colorScheme: 'dark' },
        (opened) => standInForWidget(opened, name),
      );
      const policy = new Map(
        ((await service.request('GET', `/w/${form.list.id}`)).headers.get('content-security-policy') ?? '')
          .split('; ')
          .map((directive) => [directive.split(' ', 1)[0], directive.split(' ').slice(1).join(' ')]),
      );
      const { script, frame, style, connect } = ALLOWED[name];
      assert.equal(policy.get('script-src'), `'self'${script}`);
      assert.equal(policy.get('frame-src'), frame);
      assert.equal(policy.get('connect-src'), `'self'${connect}`);
      assert.equal(policy.get('style-src')?.replace(/^'sha256-[^']+'/, ''), style);
      assert.equal(policy.get('default-src'), "'none'");
      assert.equal(await page.locator('iframe').getAttribute('title'), 'site-key normal dark');
      await assertAccessible(page);
      await picture(page, `captcha-${name}`);
      await tryAll(page, form);
      assert.equal(provider.asked.at(-1)?.get('secret'), captcha.secret);
      assert.deepEqual(unexpected(problems), []);
      await close();
    });

    it(`lets a person pass on a page of another origin, and nobody else: ${name}`, async () => {
      const form = await openForm(service, { captcha });
      const { script, frame, style, connect } = ALLOWED[name];
      const element = `<doorlist-form form-key="${form.key}"></doorlist-form>`;
      const site: Site = await openSite({ '/': formScript(service.url) + element }, [
        "default-src 'none'",
        "require-trusted-types-for 'script'",
        'trusted-types doorlist',
        `script-src ${service.url}${script}`,
        `connect-src ${service.url}${connect}`,
        `style-src 'self'${style}`,
        `frame-src ${frame}`,
      ]);
      await form.change({ allowedOrigins: [site.url] });
      const { page, problems, close } = await openPublicPage(browser, site.url, {}, (opened) =>
        standInForWidget(opened, name),
      );
      await tryAll(page, form);
      assert.deepEqual(unexpected(problems), []);
      await close();
      site.close();
    });
  }

  it('fits a narrow phone', async () => {
    const form = await openForm(service, { captcha: { provider: 'hcaptcha', siteKey: 'key', secret: 'x' } });
    const { page, close } = await openPublicPage(
      browser,
      `${service.url}/w/${form.list.id}`,
      { viewport: { width: 320, height: 640 } },
      (opened) => standInForWidget(opened, 'hcaptcha'),
    );
    assert.equal(await page.locator('iframe').getAttribute('title'), 'key compact light');
    await close();
  });

  it('says so when the widget cannot be loaded, and without scripts that it needs them', async () => {
    const form = await openForm(service, { captcha: { provider: 'turnstile', siteKey: 'x', secret: 'y' } });
    const url = `${service.url}/w/${form.list.id}`;
    const blocked = await openPublicPage(browser, url, {}, (opened) =>
      opened.route(/cloudflare/, (route) => route.abort()).then(() => {}),
    );
    await blocked.page.getByText('Something went wrong.').waitFor();
    await blocked.page.getByLabel('Email').fill('ada@example.com');
    await join(blocked.page);
    await blocked.page.getByText('Something went wrong.').waitFor();
    await blocked.close();
    const plain = await openPublicPage(browser, url, { javaScriptEnabled: false });
    await plain.page.getByText('Turn on JavaScript to join.').waitFor();
    assert.equal(await plain.page.getByRole('button').count(), 0);
    await picture(plain.page, 'captcha-plain');
    await plain.close();
    assert.equal((await form.list.page()).body.total, 0);
  });
});
