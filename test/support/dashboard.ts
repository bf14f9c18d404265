import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type BrowserContext, type Browser as Chromium, chromium, type Page } from 'playwright-core';
import type { Engine } from '../../src/db/database.ts';
import { ensureBrowser } from './browser.ts';
import { ensureDashboard } from './ensure-dashboard.ts';
import type { Service } from './harness.ts';
import type { Browser as Operator } from './operators.ts';

export const SIZES = {
  desktop: { width: 1280, height: 860 },
  phone: { width: 390, height: 844 },
};
export type Size = keyof typeof SIZES;
export type Theme = 'light' | 'dark';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** One for a test file. */
export async function launchBrowser(): Promise<Chromium> {
  await ensureDashboard();
  return chromium.launch({
    executablePath: process.env.DOORLIST_TEST_BROWSER || ensureBrowser(),
    args: ['--no-sandbox'],
  });
}

export interface OpenOptions {
  /** Who is signed in. Nobody by default. */
  as?: Operator;
  size?: Size;
  theme?: Theme;
}

/** A browser window on a path of the dashboard. Problems that its console reports fail `checkPage`. */
export async function openDashboard(
  browser: Chromium,
  { url }: Pick<Service, 'url'>,
  path: string,
  { as, size = 'desktop', theme = 'light' }: OpenOptions = {},
): Promise<DashboardPage> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: SIZES[size],
    colorScheme: theme,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(20_000);
  if (as) await signInAs(context, url, as);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(path);
  return Object.assign(page, { problems, size, close: () => context.close() });
}

export type DashboardPage = Page & { problems: string[]; size: Size };

async function signInAs(context: BrowserContext, url: string, operator: Operator): Promise<void> {
  await context.addCookies([...operator.cookies].map(([name, value]) => ({ name, value, url })));
}

/** On a phone, the sidebar is behind a button. */
export async function openNavigation(page: DashboardPage): Promise<void> {
  if (page.size === 'phone') await page.getByRole('button', { name: 'Open navigation' }).click();
}

/** Runs in the page. An open menu belongs to no landmark: it is at the end of the body. */
const FIND_VIOLATIONS = `axe.run({
  rules: { region: { enabled: !document.querySelector('[role=menu], [role=listbox]') } },
}).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
  nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + failureSummary)))`;
const SIDEWAYS = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** Fails on a violation of accessibility rules, on sideways scrolling and on errors in the console. */
export async function checkPage(page: DashboardPage, what: string): Promise<void> {
  await page.evaluate(AXE);
  assert.deepEqual(await page.evaluate(FIND_VIOLATIONS), [], what);
  assert.equal(await page.evaluate(SIDEWAYS), 0, `${what}: scrolls sideways`);
  assert.deepEqual(page.problems, [], what);
}

/** Colors do not depend on the width, so two checks cover both themes and both widths. */
const LOOKS = [
  ['phone', 'dark'],
  ['desktop', 'light'],
] as const;

/** Checks the page as it is now, in both themes and at both widths. */
export async function checkEverywhere(page: DashboardPage, what: string): Promise<void> {
  for (const [size, colorScheme] of LOOKS) {
    await page.setViewportSize(SIZES[size]);
    await page.emulateMedia({ colorScheme });
    await checkPage(page, `${what}, ${colorScheme}, ${size}`);
  }
}

/** Every journey runs once on each engine and once at each width: a page does not know the engine. */
export function sizeOn(engine: Engine): Size {
  return engine === 'sqlite' ? 'desktop' : 'phone';
}
