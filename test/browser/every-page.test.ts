import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { checkEverywhere, type DashboardPage, SIZES, useDashboard } from '../support/dashboard.ts';
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
  `${LIST}/queue/review`,
  `${LIST}/invites`,
  `${LIST}/codes`,
  `${LIST}/waves`,
  `${LIST}/emails`,
  `${LIST}/emails?tab=log`,
  `${LIST}/emails?tab=delivery`,
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
  '/instance/team',
  '/instance/tokens',
  '/instance/keys',
  '/instance/environments',
  '/instance/mailbox',
  '/instance/audit',
  '/instance/health',
];

/** What the layout depends on is there from the start, so that nothing moves. */
const AT_ONCE: Record<string, string> = {
  [LIST]: 'Pending',
  [`${LIST}/emails`]: 'No mail server yet',
  '/instance/mailbox': 'No mail server yet',
};
/** Runs in the page. Keeps what it showed first, and whether an answer took long until then or is still to come. */
const KEEP_FIRST = `{
  const waits = [];
  const { fetch } = window;
  window.fetch = (...request) => {
    const wait = { from: performance.now(), to: undefined };
    waits.push(wait);
    return fetch(...request).finally(() => { wait.to = performance.now(); });
  };
  new MutationObserver((_, observer) => {
    if (!document.querySelector('#content h1')) return;
    observer.disconnect();
    const isSlow = waits.some(({ from, to }) => (to ?? performance.now()) - from > 800);
    window.first = { text: document.body.innerText, isSlow };
  }).observe(document, { childList: true, subtree: true });
}`;

/** The pages themselves are the same on both engines, and the demo is always on SQLite. */
describe('every page of the dashboard, in the demo', () => {
  const dir = path.join(mkdtempSync(path.join(tmpdir(), 'doorlist-pages-')), 'demo');
  const openDashboard = useDashboard();
  let demo: RunningProcess;
  let owner: Browser;
  let page: DashboardPage;

  before(async () => {
    const words = ['demo', '--dir', dir, '--entries', '150'];
    demo = await startProcess({ DOORLIST_LOG_LEVEL: 'error' }, { words });
    const [, email = ''] = /Email +(\S+)/.exec(demo.output()) ?? [];
    const [, password = ''] = /Password +(\S+)/.exec(demo.output()) ?? [];
    owner = browserOf(clientFor(demo.url));
    assert.equal((await owner.signIn(email, password)).status, 200);
    page = await openDashboard(demo, '/waitlists', { as: owner });
    await page.addInitScript(KEEP_FIRST);
    // The demo catches its emails. Pages are looked at with what those of a new installation say.
    await page.route('**/admin/v1/instance', async (route) => {
      const response = await route.fetch();
      const instance = await response.json();
      await route.fulfill({ response, json: { ...instance, emails: { ...instance.emails, smtp: 'none' } } });
    });
  });
  after(async () => {
    await demo?.stop();
    rmSync(path.dirname(dir), { recursive: true });
  });

  for (const at of PAGES) {
    it(`${at} has no accessibility problem in either theme, and fits a phone`, async () => {
      await page.setViewportSize(SIZES.desktop);
      await page.goto(at);
      await page.getByRole('heading', { level: 1 }).waitFor();
      const first = await page.evaluate<{ text: string; isSlow: boolean }>('first');
      // A page does not wait for a slow server.
      assert.ok(first.isSlow || first.text.includes(AT_ONCE[at] ?? ''), `${AT_ONCE[at]} comes late`);
      await page.locator('.animate-pulse').first().waitFor({ state: 'detached' });
      await checkEverywhere(page, at, 'all');
    });
  }
});
