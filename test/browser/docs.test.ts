import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, ConsoleMessage, Page, Request } from 'playwright-core';
import { CONTENTS } from '../../src/http/guides/contents.ts';
import { operationsOf } from '../support/documented.ts';
import { assertAccessible } from '../support/public-pages.ts';
import { type ReferenceApp, startReferenceApp } from '../support/reference-app.ts';
import { sharedChromium } from '../support/shared-chromium.ts';
import { openWindow, type View } from '../support/windows.ts';

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 900 };

const findFaintText = readFileSync(path.join(import.meta.dirname, 'faint-text.js'), 'utf8');

let reference: ReferenceApp;
let browser: Browser;

before(async () => {
  reference = await startReferenceApp();
  browser = await sharedChromium();
});
after(async () => {
  await browser?.close();
  await reference?.close();
});

/** Opens the page, runs the check, and fails on anything in the console and any request to elsewhere. */
async function visit(view: View, check: (page: Page) => Promise<void>, path = '/docs'): Promise<void> {
  const page = await openWindow(browser, view);
  const complaints: string[] = [];
  const hear = (message: ConsoleMessage) => complaints.push(message.text());
  const watch = (request: Request) => {
    const url = request.url();
    if (!url.startsWith(`${reference.url}/`) && !url.startsWith('data:')) complaints.push(url);
  };
  page.on('console', hear).on('request', watch);
  await page.goto(reference.url + path);
  await check(page);
  assert.deepEqual([...complaints, ...page.problems], []);
  page.off('console', hear).off('request', watch);
  await page.close();
}

describe('/docs in a browser', () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const viewport of [PHONE, DESKTOP]) {
      it(`never scrolls sideways: ${viewport.width} px, ${colorScheme}`, () =>
        visit({ viewport, colorScheme }, async (page) => {
          await page.evaluate(
            `for (const folded of document.querySelectorAll('details')) folded.open = true`,
          );
          const width = await page.evaluate('document.documentElement.scrollWidth');
          assert.equal(width, viewport.width);
        }));
    }
  }

  it('follows the color scheme of the system', async () => {
    const colours: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await visit({ viewport: DESKTOP, colorScheme }, async (page) => {
        colours.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
      });
    }
    assert.deepEqual(colours, ['rgb(255, 255, 255)', 'rgb(16, 21, 20)']);
  });

  for (const javaScriptEnabled of [true, false]) {
    it(`links to every operation ${javaScriptEnabled ? 'with' : 'without'} scripts`, () =>
      visit({ viewport: DESKTOP, javaScriptEnabled }, async (page) => {
        for (const { operation } of operationsOf(reference.document)) {
          await page.click(`nav a[href="#${operation.operationId}"]`);
          const box = await page.locator(`#${operation.operationId} h3`).boundingBox();
          assert.ok(box && box.y >= 0 && box.y < DESKTOP.height / 2, `${operation.operationId} at ${box?.y}`);
        }
      }));
  }

  it('keeps the contents in a menu on a phone', () =>
    visit({ viewport: PHONE }, async (page) => {
      const link = page.locator('nav a[href="#acceptInvite"]');
      assert.equal(await link.isVisible(), false);
      await page.click('.bar button');
      assert.equal(await link.isVisible(), true);
      await link.click();
      assert.equal(await link.isVisible(), false);
      const title = await page.locator('#acceptInvite h3').boundingBox();
      const bar = await page.locator('.bar').boundingBox();
      assert.ok(title && bar && title.y > bar.height && title.y < PHONE.height / 2);
    }));

  it('can be used with the keyboard alone', () =>
    visit({ viewport: PHONE }, async (page) => {
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to content');
      await page.focus('.bar button');
      await page.keyboard.press('Enter');
      assert.equal(await page.locator('nav').isVisible(), true);
      await page.keyboard.press('Escape');
      assert.equal(await page.locator('nav').isVisible(), false);
      const unnamed = await page.evaluate(
        `[...document.querySelectorAll('pre')].filter((pre) => pre.tabIndex !== 0 || !pre.ariaLabel).length`,
      );
      assert.equal(unnamed, 0, 'code that scrolls must be reachable and named');
    }));

  it('has text with enough contrast', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await visit({ viewport: DESKTOP, colorScheme }, async (page) => {
        const faint = await page.evaluate(findFaintText);
        assert.deepEqual(faint, [], colorScheme);
      });
    }
  });
});

describe('the documentation in a browser', () => {
  const pages = CONTENTS.flatMap((group) => group.pages.map(({ slug }) => `/docs/${slug}`));

  it('never scrolls sideways, and has text with enough contrast', async () => {
    for (const { viewport, colorScheme } of [
      { viewport: PHONE, colorScheme: 'dark' },
      { viewport: DESKTOP, colorScheme: 'light' },
    ] as const) {
      await visit({ viewport, colorScheme }, async (page) => {
        for (const path of [...pages, '/docs/search', '/docs/search?q=invite']) {
          await page.goto(reference.url + path);
          const width = await page.evaluate('document.documentElement.scrollWidth');
          assert.equal(width, viewport.width, `${path} at ${viewport.width}`);
          assert.deepEqual(await page.evaluate(findFaintText), [], `${path}, ${colorScheme}`);
        }
      });
    }
  });

  it('is accessible', () =>
    visit({ viewport: DESKTOP }, async (page) => {
      for (const path of ['/docs/emails', '/docs/search?q=invite']) {
        await page.goto(reference.url + path);
        await assertAccessible(page, path);
      }
    }));

  it('copies code, shows pictures, and leads from page to page with the keyboard', () =>
    visit(
      { viewport: PHONE, permissions: ['clipboard-read', 'clipboard-write'] },
      async (page) => {
        await page.keyboard.press('Tab');
        assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to content');
        assert.equal(await page.locator('nav').isVisible(), false);
        await page.focus('.bar button');
        await page.keyboard.press('Enter');
        await page.focus('nav a[href="/docs/dashboard"]');
        await page.keyboard.press('Enter');
        await page.waitForURL('**/docs/dashboard');
        const picture = page.locator('.guide img').first();
        await picture.scrollIntoViewIfNeeded();
        await page.waitForFunction(`document.querySelector('.guide img').naturalWidth > 0`);
        await page.goto(`${reference.url}/docs/queue`);
        await page.locator('.copy').nth(1).click();
        await page.getByRole('button', { name: 'Copied' }).waitFor();
        const copied = await page.evaluate('navigator.clipboard.readText()');
        assert.match(String(copied), /waitlist update wl_acme --boost 10/);
      },
      '/docs/quick-start',
    ));

  it('finds pages without scripts', () =>
    visit(
      { viewport: DESKTOP, javaScriptEnabled: false },
      async (page) => {
        await page.fill('nav input[name=q]', 'rotating the secret');
        await page.keyboard.press('Enter');
        await page.click('.results a >> nth=0');
        assert.equal(page.url(), `${reference.url}/docs/webhooks#rotating-the-secret`);
        assert.ok(await page.locator('h2#rotating-the-secret').isVisible());
      },
      '/docs/concepts',
    ));
});
