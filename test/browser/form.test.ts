import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { sharedNow } from '../../src/db/shared-clock.ts';
import { updateMailSettings } from '../../src/mail/update-settings.ts';
import { createCode } from '../../src/waitlist/codes/change-codes.ts';
import { signLink } from '../../src/waitlist/links/links.ts';
import { type OpenForm, openForm } from '../support/forms.ts';
import { eventually, type Service, startService } from '../support/harness.ts';
import { PLAIN_HTTP_HOST } from '../support/launch-chromium.ts';
import {
  assertAccessible,
  formScript,
  openMovedSite,
  openPublicPage,
  openSite,
  picture,
  type Site,
  strictPolicy,
  takeTime,
} from '../support/public-pages.ts';
import { sharedChromium } from '../support/shared-chromium.ts';
import { clockOf } from '../support/windows.ts';

/** Nothing is sent: emails wait for a server that does not exist. */
const MAIL_SERVER = { DOORLIST_SMTP_URL: 'smtp://127.0.0.1:1', DOORLIST_MAIL_FROM: 'hello@acme.example' };

describe('the form in a browser', () => {
  let service: Service;
  let browser: Browser;
  let site: Site;
  let form: OpenForm;
  before(async () => {
    service = await startService('sqlite', { environment: MAIL_SERVER });
    browser = await sharedChromium();
    form = await openForm(service, {
      fields: [
        { name: 'company', label: 'Company', type: 'text', required: false },
        { name: 'plan', label: 'Plan', type: 'choice', options: ['Free', 'Pro'], required: true },
      ],
      consent: { text: 'Send me news about Acme.', version: '1' },
    });
    const script = formScript(service.url);
    site = await openSite(
      {
        '/': `${script}<doorlist-form form-key="${form.key}"></doorlist-form>`,
        '/broken': `${script}<doorlist-form form-key="dlf_gone"><p>the plain form</p></doorlist-form>`,
        '/rtl': `<html dir="rtl">${script}<doorlist-form form-key="${form.key}"></doorlist-form></html>`,
        '/plain': `<form method="post" action="${service.url}${form.path}"><input name="email" type="email"><button>Go</button></form>`,
      },
      strictPolicy(service.url),
    );
    await form.change({ allowedOrigins: [site.url] });
  });
  after(async () => {
    await browser?.close();
    site?.close();
    await service?.close();
  });

  const open = (url: string, options: Parameters<typeof openPublicPage>[2] = {}) =>
    openPublicPage(browser, url, { viewport: { width: 360, height: 740 }, ...options });
  const fill = async (page: Page, email: string) => {
    await page.getByLabel('Email', { exact: true }).fill(email);
    await page.getByLabel('Plan').selectOption('Pro');
    await page.getByLabel('Send me news').check();
  };
  const send = async (page: Page) => {
    await takeTime(page, service.clock);
    await page.getByRole('button', { name: 'Join the waitlist' }).click();
  };
  const changeKey = (page: Page, key: string) =>
    page.evaluate(`document.querySelector('doorlist-form').setAttribute('form-key', '${key}')`);

  it('tells the owner of a site that is not allowed in the console', async () => {
    await form.change({ allowedOrigins: ['https://acme.example'] });
    const { page, close } = await open('about:blank');
    const warned = page.waitForEvent('console', (message) => message.text().startsWith('Doorlist: '));
    await page.goto(site.url);
    const sentence = `Doorlist: the form was not shown. Most likely ${site.url} is not among its allowed origins: add it in the dashboard, under Form.`;
    assert.equal((await warned).text(), sentence);
    await form.change({ allowedOrigins: [site.url] });
    await close();
  });

  it('works on a page of another origin under a strict policy, in three requests and 50 kB', async () => {
    const { page, problems, requests, close } = await open(`${site.url}/?ref=nobody&utm_source=x`);
    await fill(page, 'ada@example.com');
    const joined = page.evaluate(
      "new Promise((resolve) => addEventListener('doorlist:joined', ({ detail }) => resolve(detail.state)))",
    );
    service.clock.advance(2_000);
    await page.getByRole('button', { name: 'Join the waitlist' }).click();
    await page.getByText('You are number 1 in line.').waitFor();
    assert.equal(await joined, 'joined');
    assert.deepEqual(problems, []);
    // A page can have an answer before its request is known to have finished.
    const ours = await eventually(
      async () => requests.filter(({ url }) => url.startsWith(service.url)),
      ({ length }) => length >= 3,
    );
    assert.deepEqual(
      ours.map(({ url }) => new URL(url).pathname),
      ['/form.js', form.path, form.path],
    );
    const sizes = await Promise.all(ours.map(({ size }) => size));
    assert.ok(sizes.reduce((sum, size) => sum + size, 0) < 50_000, String(sizes));
    assert.ok(await page.getByRole('textbox', { name: 'Your link' }).inputValue());
    assert.equal(await page.getByRole('link', { name: 'Share on WhatsApp' }).count(), 1);
    assert.equal(await page.getByRole('link', { name: 'Share by email' }).textContent(), 'Email');
    const status = await page.getByRole('link', { name: 'See your place in line' }).getAttribute('href');
    assert.match(await (await fetch(status ?? '')).text(), /Your place on the Acme waitlist/);
    assert.equal((await form.list.lookup('ada@example.com')).body.metadata?.plan, 'Pro');
    const other = await openForm(service, { allowedOrigins: [site.url], buttonText: 'Join the other one' });
    await changeKey(page, other.key);
    await page.getByRole('button', { name: 'Join the other one' }).waitFor();
    assert.equal(await page.getByText('in line.').count(), 0, 'a form with another key starts anew');
    assert.equal(await page.locator('doorlist-form').getAttribute('state'), null);
    await page.getByLabel('Email').fill('late@example.com');
    await takeTime(page, service.clock);
    await page.getByRole('button', { name: 'Join the other one' }).click();
    await changeKey(page, form.key);
    await page.getByLabel('Plan').waitFor();
    const sending = () => page.evaluate("document.querySelector('doorlist-form').sending");
    await eventually(sending, (value) => !value);
    assert.equal((await other.list.lookup('late@example.com')).body.status, 'waiting');
    assert.equal(await page.getByRole('button', { name: 'Join the waitlist' }).count(), 1, 'still asks');
    await close();
  });

  for (const colorScheme of ['light', 'dark'] as const)
    it(`suggests the provider that was probably meant, in ${colorScheme}`, async () => {
      const { page, close } = await open(site.url, { colorScheme });
      const [kept, taken] = [`kept.${colorScheme}`, `taken.${colorScheme}`];
      await fill(page, `${kept}@gmial.com`);
      await send(page);
      await page.getByRole('button', { name: `Did you mean ${kept}@gmail.com?` }).waitFor();
      // What the browser paints, which is otherwise taken for white.
      await page.evaluate(() => document.documentElement.style.setProperty('background', 'canvas'));
      await assertAccessible(page);
      await picture(page, `suggestion-${colorScheme}`);
      await send(page);
      await page.getByText('You’re on the list').waitFor();
      assert.equal((await form.list.lookup(`${kept}@gmial.com`)).status, 200);
      await page.goto(site.url);
      await fill(page, `${taken}@gmial.com`);
      await send(page);
      await page.getByRole('button', { name: `Did you mean ${taken}@gmail.com?` }).click();
      await page.getByText('You’re on the list').waitFor();
      assert.equal((await form.list.lookup(`${taken}@gmail.com`)).status, 200);
      assert.equal((await form.list.lookup(`${taken}@gmial.com`)).status, 404);
      await close();
    });

  it('fits a site whose text runs from right to left', async () => {
    const { page, close } = await open(`${site.url}/rtl`);
    const plan = page.getByLabel('Plan');
    await plan.waitFor();
    const { left, right } = await plan.evaluate((field) => {
      const { paddingLeft, paddingRight } = getComputedStyle(field);
      return { left: Number.parseFloat(paddingLeft), right: Number.parseFloat(paddingRight) };
    });
    assert.ok(left > right, 'the arrow is at the end');
    assert.equal(
      await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
      0,
    );
    await page.getByLabel('Email', { exact: true }).fill('ada@example.com');
    await picture(page, 'form-rtl');
    await close();
  });

  it('says what to correct, next to the field', async () => {
    const { page, problems, close } = await open(site.url);
    await page.getByLabel('Email', { exact: true }).fill('ada');
    await send(page);
    await page.getByText('Enter a valid email address.').waitFor();
    const email = page.getByLabel('Email', { exact: true });
    assert.equal(await email.getAttribute('aria-invalid'), 'true');
    const focused = await page.evaluate(
      "document.querySelector('doorlist-form').shadowRoot.activeElement.id",
    );
    assert.equal(focused, 'email');
    await page.getByText('Check this box to continue.').waitFor();
    await fill(page, 'eve@example.com');
    await send(page);
    await page.getByText('You’re on the list').waitFor();
    assert.deepEqual(
      problems.filter((text) => !/422/.test(text)),
      [],
    );
    await close();
  });

  it('takes a code from the address of the page, and says what it is worth, with and without scripts', async () => {
    const own = await openForm(service);
    const input = { does: 'advance', places: 7, limit: 5 } as const;
    const { code } = await createCode(service.context, own.queue, input);
    await own.list.signup(...Array.from({ length: 10 }, (_, n) => ({ email: `p${n}@example.com` })));
    const hosted = `${service.url}/w/${own.list.id}?code=${code}`;
    const worth = 'With your code, you count as joining 7 places earlier.';
    const { page, problems, close } = await open(hosted);
    assert.equal(await page.getByLabel('Code').inputValue(), code);
    await page.getByLabel('Email', { exact: true }).fill('kim@example.com');
    await assertAccessible(page);
    await picture(page, 'form-code');
    await send(page);
    await page.getByText(worth).waitFor();
    await page.getByText('You are number 4 in line.').waitFor();
    await assertAccessible(page);
    await picture(page, 'form-code-joined');
    assert.deepEqual(problems, []);
    await close();
    const plain = await open(hosted, { javaScriptEnabled: false });
    await plain.page.getByLabel('Email', { exact: true }).fill('lou@example.com');
    await send(plain.page);
    await plain.page.getByText(worth).waitFor();
    assert.equal((await own.list.lookup('lou@example.com')).body.status, 'pending');
    await plain.close();
    const wrong = await open(`${site.url}/?code=none-such`);
    await fill(wrong.page, 'wrong@example.com');
    await send(wrong.page);
    await wrong.page.getByText('Your code does not count.', { exact: false }).waitFor();
    assert.equal((await form.list.lookup('wrong@example.com')).body.status, 'waiting');
    await wrong.close();
    const without = await open(site.url);
    await without.page.getByLabel('Email', { exact: true }).waitFor();
    assert.equal(await without.page.getByLabel('Code').count(), 0);
    await without.close();
  });

  it('keeps the plain form of the page when it cannot load, until it gets a key that works', async () => {
    const { page, close } = await open(`${site.url}/broken`);
    await page.getByText('the plain form').waitFor();
    await changeKey(page, form.key);
    await page.getByLabel('Plan').waitFor();
    assert.equal(await page.getByText('the plain form').count(), 0);
    await close();
  });

  it('keeps the plain form on a page without WebCrypto', async () => {
    const url = new URL(`/w/${form.list.id}`, service.url);
    url.hostname = PLAIN_HTTP_HOST;
    const { page, problems, close } = await open(url.href);
    await fill(page, 'http@example.com');
    await send(page);
    await page.getByRole('heading', { name: 'Check your inbox' }).waitFor();
    assert.equal((await form.list.lookup('http@example.com')).body.status, 'pending');
    assert.deepEqual(problems, []);
    await close();
  });

  it('takes what a link or a plain form filled in, but never the consent', async () => {
    const { page, close } = await open(`${service.url}/w/${form.list.id}?company=Acme&plan=Free&consent=on`);
    await page.locator('doorlist-form [part=form]').waitFor();
    assert.equal(await page.getByLabel('Company').inputValue(), 'Acme');
    assert.equal(await page.getByLabel('Plan').inputValue(), 'Free');
    assert.equal(await page.getByLabel('Send me news').isChecked(), false);
    await page.goto(`${site.url}/plain`);
    await page.getByRole('textbox').fill('typed@example.com');
    await page.getByRole('button').click();
    await page.locator('doorlist-form [part=form]').waitFor();
    assert.equal(await page.getByLabel('Email', { exact: true }).inputValue(), 'typed@example.com');
    await fill(page, 'typed@example.com');
    await send(page);
    await page.getByText('in line.').waitFor();
    assert.deepEqual(await page.getByRole('heading').allTextContents(), ['You’re on the list']);
    await close();
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`is accessible on our own page, on a phone, ${colorScheme}`, async () => {
      const { page, problems, requests, close } = await open(`${service.url}/w/${form.list.id}`, {
        colorScheme,
      });
      await page.getByRole('button', { name: 'Join the waitlist' }).waitFor();
      await assertAccessible(page);
      await picture(page, `form-hosted-${colorScheme}`);
      await fill(page, `${colorScheme}@example.com`);
      await send(page);
      await page.getByText('in line.').waitFor();
      await assertAccessible(page);
      await picture(page, `form-joined-${colorScheme}`);
      assert.deepEqual(problems, []);
      assert.deepEqual(requests.map(({ url }) => new URL(url).pathname).sort(), [
        '/form.js',
        form.path,
        `/w/${form.list.id}`,
      ]);
      const { id } = (await form.list.lookup(`${colorScheme}@example.com`)).body;
      const at = await sharedNow(service.context);
      await page.goto(`${service.url}/s/${signLink(form.queue, 'status', { id, at })}`);
      await assertAccessible(page);
      await picture(page, `form-status-${colorScheme}`);
      await close();
    });
  }

  it('works without scripts', async () => {
    const { page, problems, close } = await open(`${service.url}/w/${form.list.id}`, {
      javaScriptEnabled: false,
    });
    await picture(page, 'form-plain');
    await page.getByLabel('Email', { exact: true }).fill('x');
    await fill(page, 'plain');
    await send(page);
    await page.getByText('Enter a valid email address.').waitFor();
    await picture(page, 'form-plain-invalid');
    await fill(page, 'plain@example.com');
    await send(page);
    await page.getByRole('heading', { name: 'Check your inbox' }).waitFor();
    await picture(page, 'form-thanks');
    assert.equal((await form.list.lookup('plain@example.com')).body.status, 'pending');
    assert.deepEqual(
      problems.filter((text) => !/422/.test(text)),
      [],
    );
    await close();
  });

  it('leads on to a site that moved to another origin, with and without scripts', async () => {
    const moved = await openMovedSite(site.url);
    const { list } = await openForm(service, { redirectUrl: `${moved.url}/plain?from="list"&b=1` });
    for (const javaScriptEnabled of [true, false]) {
      const { page, problems, close } = await open(`${service.url}/w/${list.id}`, { javaScriptEnabled });
      await page.getByLabel('Email').fill(`moved-${javaScriptEnabled}@example.com`);
      await send(page);
      await page.waitForURL(`${site.url}/plain?from=%22list%22&b=1`);
      assert.deepEqual(problems, []);
      await page.goBack();
      assert.equal(new URL(page.url()).pathname, `/w/${list.id}`, 'the way back leads to the form');
      await close();
    }
    moved.close();
  });

  it('takes a plain form from another site, without scripts', async () => {
    const { page, close } = await open(`${site.url}/plain`, { javaScriptEnabled: false });
    await page.getByRole('textbox').fill('static@example.com');
    await page.getByRole('button').click();
    await fill(page, 'static@example.com');
    await send(page);
    await page.getByRole('heading', { name: 'Check your inbox' }).waitFor();
    await close();
  });

  it('works under another origin than the public URL, with and without scripts', async () => {
    const behind = await startService('sqlite', {
      environment: { ...MAIL_SERVER, DOORLIST_PUBLIC_URL: 'https://waitlist.example' },
    });
    const { list } = await openForm(behind);
    const url = `${behind.url}/w/${list.id}`;
    const asks = async (page: Page, email: string) => {
      await page.getByLabel('Email').fill(email);
      behind.clock.advance(2_000);
      await page.getByRole('button', { name: 'Join the waitlist' }).click();
    };
    const plain = await open(url, { javaScriptEnabled: false });
    await asks(plain.page, 'plain@example.com');
    await plain.page.getByRole('heading', { name: 'Check your inbox' }).waitFor();
    assert.equal(new URL(plain.page.url()).origin, behind.url);
    assert.deepEqual(plain.problems, []);
    await plain.close();

    const live = await openPublicPage(browser, url, {}, (page) => clockOf(page).install());
    await live.page.locator('doorlist-form [part=form]').waitFor();
    await live.page.clock.fastForward(2_000);
    await asks(live.page, 'live@example.com');
    await live.page.getByText('You are number 1 in line.').waitFor();
    await list.signup({ email: 'friend@example.com' });
    for (const move of ['', 'document.body.append(document.querySelector("doorlist-form"))']) {
      await live.page.evaluate(move);
      const refreshed = live.page.waitForResponse((response) => response.url().includes('/s/'));
      await live.page.clock.fastForward(31_000);
      assert.equal((await refreshed).status(), 200, move);
    }
    assert.deepEqual(live.problems, []);
    await live.close();
    await behind.close();
  });

  it('wears the color and logo of the waitlist', async () => {
    await updateMailSettings(service.context, form.list.id, {
      colour: '#7c3aed',
      logoUrl: 'https://cdn.example/l.png',
    });
    const { page, close } = await open(`${service.url}/w/${form.list.id}?lang=de`);
    await page.getByRole('button').waitFor();
    const colour = await page.evaluate(
      "getComputedStyle(document.querySelector('doorlist-form').shadowRoot.querySelector('button')).backgroundColor",
    );
    assert.equal(colour, 'rgb(124, 58, 237)');
    await picture(page, 'form-brand');
    await close();
  });
});
