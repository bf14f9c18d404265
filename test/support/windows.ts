import type { BrowserContextOptions, Browser as Chromium, Clock, Page } from 'playwright-core';

export interface View extends BrowserContextOptions {
  viewport: { width: number; height: number };
  colorScheme?: 'light' | 'dark';
}

export type Window = Page & {
  /** What the page reported to its console as an error, and what it threw, since the window was opened. */
  problems: string[];
  /** Of the page that is shown. */
  openerPolicy: string;
  /** `goto` with a whole URL. */
  load: Page['goto'];
};

type GotoOptions = Parameters<Page['goto']>[1];

/** With an icon, or Chromium would ask for one and report to the next page that there is none. */
const EMPTY = '<!doctype html><link rel="icon" href="data:,">';

/** The page itself went elsewhere meanwhile, such as to the sign-in page at the end of a session. */
const OVERTAKEN = /ERR_ABORTED|interrupted by another navigation/;

/** More would keep the memory of pages that the next files may not need. */
const IDLE_MAX = 2;

/** The windows that were closed, and can be used again for the same kind of view. */
const idle: { kind: string; window: Window }[] = [];

/**
 * A window without cookies. A new one takes Chromium as long as five loads of a page, so that
 * those that were closed are used again, with their HTTP cache.
 */
export async function openWindow(browser: Chromium, view: View): Promise<Window> {
  const { viewport, colorScheme = 'light', baseURL, ...options } = view;
  const kind = JSON.stringify(options);
  const known = idle.findLastIndex((closed) => closed.kind === kind);
  const window = known < 0 ? await newWindow(browser, options) : (idle.splice(known, 1)[0]?.window as Window);
  window.problems.length = 0;
  await window.setViewportSize(viewport);
  await window.emulateMedia({ colorScheme });
  return Object.assign(window, {
    goto: (url: string, how?: GotoOptions) => window.load(baseURL ? new URL(url, baseURL).href : url, how),
    close: async () => {
      await forget(window);
      idle.push({ kind, window });
    },
  });
}

/** To set the time of a page. Its window keeps that clock, and so is not used again. */
export function clockOf(page: Page): Clock {
  Object.assign(page, { close: () => page.context().close() });
  return page.clock;
}

/** At the end of a test file. */
export async function closeWindows(browser: Chromium): Promise<void> {
  idle.splice(0, idle.length - IDLE_MAX);
  const kept = new Set(idle.map(({ window }) => window.context()));
  await Promise.all(browser.contexts().map((context) => kept.has(context) || context.close()));
}

async function newWindow(browser: Chromium, options: BrowserContextOptions): Promise<Window> {
  const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const goto = page.goto.bind(page);
  const window = Object.assign(page, {
    problems: [] as string[],
    openerPolicy: 'unsafe-none',
    load: async (url: string, how?: GotoOptions) =>
      goto(url, how).catch((error: Error) => {
        if (OVERTAKEN.test(error.message)) return goto(url, how);
        throw error;
      }),
  });
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
  await page.load(new URL('/', page.url()).href);
  await page.unrouteAll();
  await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  await page.context().clearCookies();
}
