import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { Browser, Page, Request } from 'playwright-core';
import type { TestClock } from './harness.ts';
import { openWindow, type View } from './windows.ts';

const PHONE = { width: 390, height: 844 };
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export type PublicPage = Awaited<ReturnType<typeof openPublicPage>>;

/** A page on a phone that collects everything that went wrong, and what was loaded. */
export async function openPublicPage(
  browser: Browser,
  url: string,
  options: Partial<View> = {},
  prepare: (page: Page) => Promise<void> = async () => {},
) {
  const page = await openWindow(browser, { viewport: PHONE, ...options });
  const requests: { url: string; size: Promise<number> }[] = [];
  const note = (request: Request) => {
    const size = request.sizes().then((all) => all.responseBodySize + all.responseHeadersSize);
    requests.push({ url: request.url(), size });
  };
  page.on('requestfinished', note);
  await prepare(page);
  await page.goto(url);
  const close = async () => {
    page.off('requestfinished', note);
    await page.close();
  };
  return { page, problems: page.problems, requests, close };
}

const VIOLATIONS = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
  nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + failureSummary)))`;
const SIDEWAYS = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** Fails on a violation of accessibility rules and on sideways scrolling. */
export async function assertAccessible(page: Page, what: string = page.url()): Promise<void> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  assert.deepEqual(await page.evaluate(VIOLATIONS), [], what);
  await assertFits(page, what);
}

/** Fails on sideways scrolling. */
export async function assertFits(page: Page, what: string = page.url()): Promise<void> {
  assert.equal(await page.evaluate(SIDEWAYS), 0, `${what}: scrolls sideways`);
}

/** As if the person had taken two seconds to fill in the form: nothing waits, on the page or in the service. */
export async function takeTime(page: Page, clock: TestClock): Promise<void> {
  await page.evaluate('{ const now = Date.now; Date.now = () => now() + 2_000 }');
  clock.advance(2_000);
}

/** For whoever wants to look: set DOORLIST_TEST_PICTURES to a directory. */
export async function picture(page: Page, name: string): Promise<void> {
  const directory = process.env.DOORLIST_TEST_PICTURES;
  if (directory)
    await page.screenshot({ path: `${directory}/${name.replace(/[^\w-]+/g, '-')}.png`, fullPage: true });
}

export interface Site {
  /** By another name than the service, so that it is another site and not only another port. */
  url: string;
  close(): void;
}

/** Somebody's site. `pages` maps paths to what is inside the body; Its language is `?lang=`, or one that we do not have. */
export async function openSite(pages: Record<string, string>, policy: readonly string[]): Promise<Site> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://site');
    const lang = searchParams.get('lang') ?? 'nl';
    response.writeHead(pages[pathname] === undefined ? 404 : 200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
    });
    response.end(`<!doctype html><html lang="${lang}"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>Acme</title><main><h1>Acme</h1>${pages[pathname] ?? ''}</main>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A site that moved: every address leads to the same one elsewhere, on another origin than `openSite`. */
export async function openMovedSite(to: string): Promise<Site> {
  const server = createServer((request, response) => {
    response.writeHead(301, { location: new URL(request.url ?? '/', to).href }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The strictest policy of a site that lets the form of the service run. */
export function strictPolicy(home: string): string[] {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    "base-uri 'none'",
    `script-src ${home}`,
    `connect-src ${home}`,
    `form-action ${home}`,
  ];
}

export function formScript(home: string): string {
  return `<script src="${home}/form.js" defer></script>`;
}
