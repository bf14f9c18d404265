import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser as Chromium } from 'playwright-core';
import {
  checkEverywhere,
  type DashboardPage,
  launchBrowser,
  openDashboard,
  SIZES,
} from '../support/dashboard.ts';
import { clientFor } from '../support/harness.ts';
import { type Browser, browserOf } from '../support/operators.ts';
import { type RunningProcess, startProcess } from '../support/process.ts';

const LIST = '/waitlists/wl_orbit';
const PAGES = [
  '/waitlists',
  LIST,
  `${LIST}?environment=development`,
  `${LIST}/queue`,
  `${LIST}/queue?tab=joined`,
  `${LIST}/invites`,
  `${LIST}/emails`,
  `${LIST}/emails?tab=log`,
  `${LIST}/emails?tab=settings`,
  `${LIST}/emails?tab=suppressions`,
  `${LIST}/emails/welcome`,
  `${LIST}/webhooks`,
  `${LIST}/form`,
  `${LIST}/form?tab=install`,
  `${LIST}/form?tab=activity`,
  `${LIST}/api`,
  `${LIST}/transfer`,
  `${LIST}/transfer?tab=export`,
  `${LIST}/settings`,
  '/account',
  '/account?tab=security',
  '/account?tab=sessions',
  '/instance/people',
  '/instance/tokens',
  '/instance/keys',
  '/instance/environments',
  '/instance/mailbox',
  '/instance/audit',
  '/instance/health',
];

/** The pages themselves are the same on both engines, and the demo is always on SQLite. */
describe('every page of the dashboard, in the demo', () => {
  const dir = path.join(mkdtempSync(path.join(tmpdir(), 'doorlist-pages-')), 'demo');
  let browser: Chromium;
  let demo: RunningProcess;
  let owner: Browser;
  let page: DashboardPage;

  before(async () => {
    browser = await launchBrowser();
    const words = ['demo', '--dir', dir, '--entries', '150'];
    demo = await startProcess({ DOORLIST_LOG_LEVEL: 'error' }, { words });
    const [, email = ''] = /Email +(\S+)/.exec(demo.output()) ?? [];
    const [, password = ''] = /Password +(\S+)/.exec(demo.output()) ?? [];
    owner = browserOf(clientFor(demo.url));
    assert.equal((await owner.signIn(email, password)).status, 200);
    page = await openDashboard(browser, demo, '/waitlists', { as: owner });
  });
  after(async () => {
    await browser?.close();
    await demo?.stop();
    rmSync(path.dirname(dir), { recursive: true });
  });

  for (const at of PAGES) {
    it(`${at} has no accessibility problem in either theme, and fits a phone`, async () => {
      await page.setViewportSize(SIZES.desktop);
      await page.goto(at);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('.animate-pulse').first().waitFor({ state: 'detached' });
      await checkEverywhere(page, at);
    });
  }
});
