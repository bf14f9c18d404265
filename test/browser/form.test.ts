import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { sharedNow } from '../../src/db/shared-clock.ts';
import { updateMailSettings } from '../../src/mail/update-settings.ts';
import { signLink } from '../../src/waitlist/links/links.ts';
import { ensureBrowser } from '../support/browser.ts';
import { type OpenForm, openForm } from '../support/forms.ts';
import { type Service, startService } from '../support/harness.ts';

const PHONE = { width: 360, height: 740 };
const STRICT = [
  "default-src 'none'",
  "style-src 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
  "base-uri 'none'",
];

describe('the form in a browser', () => {
  let service: Service;
  let browser: Browser;
  let site: { url: string; close(): void };
  let form: OpenForm;
  before(async () => {
    service = await startService('sqlite');
    browser = await chromium.launch({
      executablePath: process.env.DOORLIST_TEST_BROWSER || ensureBrowser(),
      args: ['--headless', '--no-sandbox', '--disable-gpu'],
    });
    form = await openForm(service, {
      fields: [
        { name: 'company', label: 'Company', type: 'text', required: false },
        { name: 'plan', label: 'Plan', type: 'choice', options: ['Free', 'Pro'], required: true },
      ],
      consent: { text: 'Send me news about Acme.', version: '1' },
    });
    site = await openSite(service.url, form.key);
    await form.change({ allowedOrigins: [new URL(site.url).origin] });
  });
  after(async () => {
    await browser?.close();
    site?.close();
    await service?.close();
  });

  /** A page that collects everything that went wrong, and what was loaded. */
  const open = async (url: string, options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ viewport: PHONE, ...options });
    const page = await context.newPage();
    const problems: string[] = [];
    const requests: { url: string; size: Promise<number> }[] = [];
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('requestfinished', (request) => {
      const size = request.sizes().then((all) => all.responseBodySize + all.responseHeadersSize);
      requests.push({ url: request.url(), size });
    });
    await page.goto(url);
    return { page, problems, requests, close: () => context.close() };
  };
  const fill = async (page: Page, email: string) => {
    await page.getByLabel('Email', { exact: true }).fill(email);
    await page.getByLabel('Plan').selectOption('Pro');
    await page.getByLabel('Send me news').check();
    service.clock.advance(2_000);
  };
  const assertAccessible = async (page: Page) => {
    // Runs in a world of its own, because the policy of the page allows no other scripts.
    const found = await axe(page);
    assert.deepEqual(found, []);
    const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    assert.equal(wide, false, 'the page is wider than the screen');
  };

  it('works on a page of another origin under a strict policy, in three requests and 50 kB', async () => {
    const { page, problems, requests, close } = await open(`${site.url}/?ref=nobody&utm_source=x`);
    await fill(page, 'ada@example.com');
    const joined = page.evaluate(
      "new Promise((resolve) => addEventListener('doorlist:joined', ({ detail }) => resolve(detail.state)))",
    );
    await page.getByRole('button', { name: 'Join the waitlist' }).click();
    await page.getByText('You are number 1 in line.').waitFor();
    assert.equal(await joined, 'joined');
    assert.deepEqual(problems, []);
    const ours = requests.filter(({ url }) => url.startsWith(service.url));
    assert.deepEqual(
      ours.map(({ url }) => new URL(url).pathname),
      ['/form.js', form.path, form.path],
    );
    const sizes = await Promise.all(ours.map(({ size }) => size));
    assert.ok(sizes.reduce((sum, size) => sum + size, 0) < 50_000, String(sizes));
    assert.ok(await page.getByRole('textbox', { name: 'Your link' }).inputValue());
    assert.equal(await page.getByRole('link', { name: 'Share on WhatsApp' }).count(), 1);
    assert.equal((await form.list.lookup('ada@example.com')).body.metadata?.plan, 'Pro');
    await close();
  });

  it('says what to correct, next to the field', async () => {
    const { page, problems, close } = await open(site.url);
    await page.getByLabel('Email', { exact: true }).fill('ada');
    service.clock.advance(2_000);
    await page.getByRole('button', { name: 'Join the waitlist' }).click();
    await page.getByText('Enter a valid email address.').waitFor();
    const email = page.getByLabel('Email', { exact: true });
    assert.equal(await email.getAttribute('aria-invalid'), 'true');
    const focused = await page.evaluate(
      "document.querySelector('doorlist-form').shadowRoot.activeElement.id",
    );
    assert.equal(focused, 'email');
    await page.getByText('Check this box to continue.').waitFor();
    await fill(page, 'eve@example.com');
    await page.getByRole('button', { name: 'Join the waitlist' }).click();
    await page.getByText("You're on the list").waitFor();
    assert.deepEqual(
      problems.filter((text) => !/422/.test(text)),
      [],
    );
    await close();
  });

  it('keeps the plain form of the page when it cannot load', async () => {
    const { page, close } = await open(`${site.url}/broken`);
    await page.getByText('the plain form').waitFor();
    await close();
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`is accessible on our own page, on a phone, ${colorScheme}`, async () => {
      const { page, problems, requests, close } = await open(`${service.url}/w/${form.list.id}`, {
        colorScheme,
      });
      await page.getByRole('button', { name: 'Join the waitlist' }).waitFor();
      await assertAccessible(page);
      await picture(page, `hosted-${colorScheme}`);
      await fill(page, `${colorScheme}@example.com`);
      await page.getByRole('button', { name: 'Join the waitlist' }).click();
      await page.getByText('in line.').waitFor();
      await assertAccessible(page);
      await picture(page, `joined-${colorScheme}`);
      assert.deepEqual(problems, []);
      assert.deepEqual(
        requests.map(({ url }) => new URL(url).pathname),
        [`/w/${form.list.id}`, '/form.js', form.path],
      );
      const { id } = (await form.list.lookup(`${colorScheme}@example.com`)).body;
      const at = await sharedNow(service.context);
      await page.goto(`${service.url}/s/${signLink(form.queue, 'status', { id, at })}`);
      await assertAccessible(page);
      await picture(page, `status-${colorScheme}`);
      await close();
    });
  }

  it('works without scripts', async () => {
    const { page, problems, close } = await open(`${service.url}/w/${form.list.id}`, {
      javaScriptEnabled: false,
    });
    await picture(page, 'plain');
    await page.getByLabel('Email', { exact: true }).fill('x');
    await fill(page, 'plain');
    await page.getByRole('button', { name: 'Join the waitlist' }).click();
    await page.getByText('Enter a valid email address.').waitFor();
    await picture(page, 'plain-invalid');
    await fill(page, 'plain@example.com');
    await page.getByRole('button', { name: 'Join the waitlist' }).click();
    await page.getByRole('heading', { name: 'Check your inbox' }).waitFor();
    await picture(page, 'thanks');
    assert.equal((await form.list.lookup('plain@example.com')).body.status, 'pending');
    assert.deepEqual(
      problems.filter((text) => !/422/.test(text)),
      [],
    );
    await close();
  });

  it('takes a plain form from another site, without scripts', async () => {
    const { page, close } = await open(`${site.url}/plain`, { javaScriptEnabled: false });
    await page.getByRole('textbox').fill('static@example.com');
    await page.getByRole('button').click();
    await fill(page, 'static@example.com');
    await page.getByRole('button', { name: 'Join the waitlist' }).click();
    await page.getByRole('heading', { name: 'Check your inbox' }).waitFor();
    await close();
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
    await picture(page, 'brand');
    await close();
  });
});

/** For whoever wants to look: set DOORLIST_TEST_PICTURES to a directory. */
async function picture(page: Page, name: string): Promise<void> {
  const directory = process.env.DOORLIST_TEST_PICTURES;
  if (directory) await page.screenshot({ path: `${directory}/form-${name}.png`, fullPage: true });
}

async function axe(page: Page): Promise<unknown[]> {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
  });
  const { readFileSync } = await import('node:fs');
  const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await session.send('Runtime.evaluate', { expression: source, contextId: executionContextId });
  const { result } = await session.send('Runtime.evaluate', {
    expression:
      'axe.run().then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])))',
    contextId: executionContextId,
    awaitPromise: true,
  });
  return JSON.parse(result.value as string);
}

/** Somebody's site, with the strictest policy that lets our script run. */
async function openSite(home: string, key: string): Promise<{ url: string; close(): void }> {
  const policy = [...STRICT, `script-src ${home}`, `connect-src ${home}`, `form-action ${home}`].join('; ');
  const page = (body: string) =>
    `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Acme</title>${body}`;
  const script = `<script src="${home}/form.js" defer></script>`;
  const pages: Record<string, string> = {
    '/': page(`${script}<doorlist-form form-key="${key}"></doorlist-form>`),
    '/broken': page(`${script}<doorlist-form form-key="dlf_gone"><p>the plain form</p></doorlist-form>`),
    '/plain': page(
      `<form method="post" action="${home}/form/v1/${key}"><input name="email" type="email"><button>Go</button></form>`,
    ),
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    response.writeHead(pages[pathname] ? 200 : 404, {
      'content-type': 'text/html',
      'content-security-policy': policy,
    });
    response.end(pages[pathname] ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // By another name, so that it is another site and not only another port.
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    url,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
