import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe } from 'node:test';
import type { BrowserContext, Browser as Chromium } from 'playwright-core';
import type { Engine } from '../../src/db/database.ts';
import { CHOSEN_ENGINES } from './engines.ts';
import { ensureDashboard } from './ensure-dashboard.ts';
import { eventually, forEachEngine, type Service } from './harness.ts';
import type { Browser as Operator } from './operators.ts';
import { picture } from './public-pages.ts';
import { sharedChromium } from './shared-chromium.ts';
import { openWindow, type Window } from './windows.ts';

export const SIZES = {
  desktop: { width: 1280, height: 860 },
  phone: { width: 390, height: 844 },
};
type Size = keyof typeof SIZES;
type Theme = 'light' | 'dark';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export async function launchBrowser(): Promise<Chromium> {
  await ensureDashboard();
  return sharedChromium();
}

/** For the head of a test file: a browser for its tests, and a way to open windows in it. */
export function useDashboard() {
  let browser: Chromium;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser?.close());
  return (service: Pick<Service, 'url'>, path: string, options?: OpenOptions) =>
    openDashboard(browser, service, path, options);
}

interface OpenOptions {
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
  const page = await openWindow(browser, {
    baseURL: url,
    viewport: SIZES[size],
    colorScheme: theme,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  if (as) await signInAs(page.context(), url, as);
  await page.goto(path);
  return Object.assign(page, { size });
}

export type DashboardPage = Window & { size: Size };

async function signInAs(context: BrowserContext, url: string, operator: Operator): Promise<void> {
  await context.addCookies([...operator.cookies].map(([name, value]) => ({ name, value, url })));
}

/** On a phone, the sidebar is behind a button. */
export async function openNavigation(page: DashboardPage): Promise<void> {
  if (page.size === 'phone') await page.getByRole('button', { name: 'Open navigation' }).click();
}

/** What a button has copied, once that is done. */
export async function copied(page: DashboardPage, wanted: RegExp): Promise<string> {
  const text = await eventually(
    () => page.evaluate<string>('navigator.clipboard.readText()'),
    (found) => wanted.test(found),
  );
  assert.match(text, wanted);
  return text;
}

type Rules = 'all' | 'contrast';

/** Runs in the page. An open menu belongs to no landmark: it is at the end of the body. */
const findViolations = (rules: Rules) => `axe.run({
  resultTypes: ['violations'],
  ${rules === 'contrast' ? `runOnly: ['color-contrast'],` : ''}
  rules: { region: { enabled: ${rules === 'all'} && !document.querySelector('[role=menu], [role=listbox]') } },
}).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
  nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + failureSummary)))`;
const SIDEWAYS = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** Fails on a violation of accessibility rules, on sideways scrolling and on errors in the console. */
export async function checkPage(page: DashboardPage, what: string, rules: Rules = 'all'): Promise<void> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  assert.deepEqual(await page.evaluate(findViolations(rules)), [], what);
  await checkLayout(page, what);
}

/** Fails on sideways scrolling and on errors in the console. */
export async function checkLayout(page: DashboardPage, what: string): Promise<void> {
  assert.equal(await page.evaluate(SIDEWAYS), 0, `${what}: scrolls sideways`);
  assert.deepEqual(page.problems, [], what);
}

/** Colors do not depend on the width, so two checks cover both themes and both widths. */
const LOOKS = [
  ['phone', 'dark'],
  ['desktop', 'light'],
] as const;

/**
 * Checks the page as it is now, in both themes and at both widths. The other theme has other colors, and a phone another
 * layout; what the page consists of is the same, which `every-page.test.ts` does not take for granted.
 */
export async function checkEverywhere(
  page: DashboardPage,
  what: string,
  rulesOnPhone: Rules = 'contrast',
): Promise<void> {
  for (const [size, colorScheme] of LOOKS) {
    await page.setViewportSize(SIZES[size]);
    await page.emulateMedia({ colorScheme });
    await checkPage(page, `${what}, ${colorScheme}, ${size}`, size === 'phone' ? rulesOnPhone : 'all');
    await picture(page, `${what} ${colorScheme} ${size}`);
  }
}

/** A page does not know the engine, so journeys that run on both are at another width on each. */
export function sizeOn(engine: Engine): Size {
  return engine === 'sqlite' ? 'desktop' : 'phone';
}

/** For journeys at both widths: the one on a desktop checks every look, the other one that it fits. */
export function checkAt(size: Size): (page: DashboardPage, what: string) => Promise<void> {
  return size === 'desktop' ? checkEverywhere : checkLayout;
}

/**
 * For journeys on which layout decides, through navigation, tables or dialogs: at both widths, also if the run has only
 * chosen SQLite for them.
 */
export function forEachLayout(suite: (engine: Engine, size: Size) => void): void {
  forEachEngine((engine) => suite(engine, sizeOn(engine)));
  if (CHOSEN_ENGINES.join() === 'sqlite') describe('on sqlite, on a phone', () => suite('sqlite', 'phone'));
}
