import type { BrowserContextOptions, Browser as Chromium, Page } from 'playwright-core';

export interface View extends BrowserContextOptions {
  viewport: { width: number; height: number };
  colorScheme?: 'light' | 'dark';
}

export type Window = Page & {
  /** What the page reported to its console as an error, and what it threw, since the window was opened. */
  problems: string[];
  /** Of the page that is shown. */
  openerPolicy: string;
};

/** With an icon, or Chromium would ask for one and report to the next page that there is none. */
const EMPTY = '<!doctype html><link rel="icon" href="data:,">';

const closed = new WeakMap<Chromium, Map<string, Window[]>>();

/**
 * A window without cookies. A new one takes Chromium as long as five loads of a page, so that
 * those that were closed are used again, with their HTTP cache.
 */
export async function openWindow(browser: Chromium, view: View): Promise<Window> {
  const { viewport, colorScheme = 'light', ...options } = view;
  const idle = idleWindows(browser, JSON.stringify(options));
  const window = idle.pop() ?? (await newWindow(browser, options));
  window.problems.length = 0;
  await window.setViewportSize(viewport);
  await window.emulateMedia({ colorScheme });
  return Object.assign(window, {
    close: async () => {
      await forget(window);
      idle.push(window);
    },
  });
}

function idleWindows(browser: Chromium, kind: string): Window[] {
  const kinds = closed.get(browser) ?? new Map<string, Window[]>();
  closed.set(browser, kinds);
  const idle = kinds.get(kind) ?? [];
  kinds.set(kind, idle);
  return idle;
}

async function newWindow(browser: Chromium, options: BrowserContextOptions): Promise<Window> {
  const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const window = Object.assign(page, { problems: [] as string[], openerPolicy: 'unsafe-none' });
  page.on('console', (message) => {
    if (message.type() === 'error') window.problems.push(message.text());
  });
  page.on('pageerror', (error) => window.problems.push(error.message));
  page.on('response', (response) => {
    if (response.request().isNavigationRequest() && response.frame() === page.mainFrame())
      window.openerPolicy = response.headers()['cross-origin-opener-policy'] ?? 'unsafe-none';
  });
  return window;
}

/** Leaves for an empty page that keeps the process. Another site or opener policy would start a new one. */
async function forget(page: Window): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  const headers = { 'cross-origin-opener-policy': page.openerPolicy };
  await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', headers, body: EMPTY }));
  await page.goto(new URL('/', page.url()).href);
  await page.unrouteAll();
  await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  await page.context().clearCookies();
}
