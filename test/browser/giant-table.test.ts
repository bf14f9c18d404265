import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser as Chromium } from 'playwright-core';
import { checkPage, type DashboardPage, launchBrowser, openDashboard } from '../support/dashboard.ts';
import { eventually, type Service, startService } from '../support/harness.ts';
import { type Browser, setUp } from '../support/operators.ts';

const COUNT = 10_000_000;
const GRID = '[role="grid"]';

/** Only the browser is tested here, so the people are made up on the way to it. */
describe('a table of 10 million rows', () => {
  let browser: Chromium;
  let service: Service;
  let owner: Browser;
  let page: DashboardPage;
  before(async () => {
    browser = await launchBrowser();
    service = await startService('sqlite', { startAt: Date.now() });
    owner = await setUp(service);
    await owner.post('/waitlists', { id: 'wl_giant', name: 'Giant' });
    page = await openDashboard(browser, service, '/account', { as: owner });
    await page.route('**/admin/v1/stream?*', (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: counters() }),
    );
    await page.route('**/admin/v1/waitlists/wl_giant/entries?*', (route) => {
      const { searchParams } = new URL(route.request().url());
      const at = Number(searchParams.get('at'));
      const limit = Math.min(Number(searchParams.get('limit')), COUNT - at);
      const entries = Array.from({ length: limit }, (_, index) => entry(at + index));
      return route.fulfill({ json: { entries, total: COUNT, nextCursor: null } });
    });
    await page.goto('/waitlists/wl_giant/queue');
    await row(1).waitFor();
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });
  const row = (position: number) =>
    page
      .getByRole('row')
      .filter({ hasText: `person${position}@example.com` })
      .first();
  const scrollTo = (share: number) =>
    page.evaluate(
      `(() => { const grid = document.querySelector('${GRID}'); grid.scrollTop = ${share} * (grid.scrollHeight - grid.clientHeight); })()`,
    );

  it('says how many rows there are', async () => {
    assert.equal(await page.locator(GRID).getAttribute('aria-rowcount'), String(COUNT + 1));
    await checkPage(page, 'the first rows');
  });

  it('shows the middle when the scroll bar is dragged there', async () => {
    await scrollTo(0.5);
    await row(COUNT / 2).waitFor();
  });

  it('moves pixel by pixel with the wheel', async () => {
    await page.locator(GRID).hover();
    const before = await firstIndex(page);
    await page.mouse.wheel(0, 440);
    // Not `waitForFunction`: the page's policy forbids the `eval` that it repeats a condition with.
    assert.equal(
      await eventually(
        () => firstIndex(page),
        (index) => index === before + 10,
      ),
      before + 10,
    );
  });

  it('reaches the last row, and the first again, by keyboard', async () => {
    await page.locator(GRID).focus();
    await page.keyboard.press('End');
    await row(COUNT).waitFor();
    assert.equal(await row(COUNT).getAttribute('aria-rowindex'), String(COUNT + 1));
    await page.keyboard.press('ArrowUp');
    const active = await page.locator(GRID).getAttribute('aria-activedescendant');
    assert.ok(active?.endsWith(`-${COUNT - 2}`), String(active));
    await page.keyboard.press('Home');
    await row(1).waitFor();
  });
});

async function firstIndex(page: DashboardPage): Promise<number> {
  return Number(await page.locator(`${GRID} [data-index]`).first().getAttribute('data-index'));
}

function entry(index: number) {
  return {
    id: `ent_${index}`,
    email: `person${index + 1}@example.com`,
    phone: null,
    metadata: {},
    status: 'waiting',
    position: index + 1,
    referrals: 0,
    referralCode: null,
    referredBy: null,
    createdAt: '2026-11-15T09:30:00.000Z',
    invitedAt: null,
    joinedAt: null,
  };
}

function counters(): string {
  const watched = { waitlistId: 'wl_giant', environment: 'production' };
  const data = {
    ...watched,
    pending: 0,
    waiting: COUNT,
    invited: 0,
    joined: 0,
    removed: 0,
    declined: 0,
    signups: COUNT,
  };
  return `event: counters\ndata: ${JSON.stringify(data)}\n\n`;
}
