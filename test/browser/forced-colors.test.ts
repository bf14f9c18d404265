import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { checkLayout, type DashboardPage } from '../support/dashboard.ts';
import { useDashboardSite } from '../support/dashboard-site.ts';

/** With the colors and the size of text that people set in their system. Pages do not know the engine. */
describe('the dashboard in the colors and sizes of the system', () => {
  const site = useDashboardSite('sqlite', {
    waitlist: { name: 'Acme' },
    person: { email: 'ada@example.com' },
  });
  const inForcedColors = (page: DashboardPage) => page.emulateMedia({ forcedColors: 'active' });
  const styleOf = (place: Locator, pseudo?: string) =>
    place.evaluate((element, of) => {
      const { backgroundColor, outlineStyle } = getComputedStyle(element, of);
      return { backgroundColor, hasEdge: outlineStyle !== 'none' };
    }, pseudo);

  it('shows the edges of fields, buttons and menus, and what is chosen', async () => {
    const page = await site.open(`/waitlists/${site.list.id}/settings`);
    await inForcedColors(page);
    const field = page.getByLabel('Name', { exact: true });
    await field.waitFor();
    assert.equal((await styleOf(field)).hasEdge, true, 'a text field');
    assert.equal(
      (await styleOf(page.getByRole('button', { name: 'Close waitlist' }))).hasEdge,
      true,
      'a button',
    );
    const confirm = page.getByRole('switch', { name: 'Confirm email addresses' });
    const off = (await styleOf(confirm)).backgroundColor;
    await confirm.click();
    assert.notEqual((await styleOf(confirm)).backgroundColor, off, 'a switch');
    await page.getByRole('button', { name: 'Discard' }).click();
    const [here, elsewhere] = ['Settings', 'Queue'].map((name) =>
      page.getByRole('link', { name, exact: true }),
    );
    assert.notEqual(
      (await styleOf(here as Locator)).backgroundColor,
      (await styleOf(elsewhere as Locator)).backgroundColor,
      'the page in the navigation',
    );
    await page.getByRole('button', { name: /owner/i }).click();
    assert.equal((await styleOf(page.getByRole('menu'))).hasEdge, true, 'a menu');
    await page.keyboard.press('ArrowDown');
    const [first, second] = [0, 1].map((index) => page.getByRole('menuitem').nth(index));
    assert.notEqual(
      (await styleOf(first as Locator)).backgroundColor,
      (await styleOf(second as Locator)).backgroundColor,
      'an item of a menu',
    );
    await page.keyboard.press('Escape');
    await page.goto(`/waitlists/${site.list.id}/emails`);
    await page.getByRole('tab', { name: 'Templates' }).waitFor();
    assert.notEqual(
      (await styleOf(page.getByRole('tab', { name: 'Templates' }), '::after')).backgroundColor,
      (await styleOf(page.getByRole('tab', { name: 'Log' }), '::after')).backgroundColor,
      'a tab',
    );
    await page.emulateMedia({ forcedColors: 'none' });
    await page.close();
  });

  it('grows with the text size of the browser, and still fits', async () => {
    const page = await site.open(`/waitlists/${site.list.id}/settings`);
    const session = await page.context().newCDPSession(page);
    await session.send('Page.setFontSizes', { fontSizes: { standard: 32 } });
    const label = page.getByText('Places per referral');
    await label.waitFor();
    assert.equal(await label.evaluate((element) => getComputedStyle(element).fontSize), '26px');
    for (const path of ['', '/queue', '/invites', '/emails', '/form', '/settings']) {
      await page.goto(`/waitlists/${site.list.id}${path}`);
      await page.locator('h1').waitFor();
      await page.locator('.animate-pulse').first().waitFor({ state: 'detached' });
      await checkLayout(page, `${path} with large text`);
    }
    await page.setViewportSize({ width: 390, height: 700 });
    await page.goto(`/waitlists/${site.list.id}/invites?invite=first`);
    const dialog = page.getByRole('dialog', { name: 'Invite people' });
    const button = dialog.getByRole('button', { name: /^Invite 1 person in production/ });
    await button.scrollIntoViewIfNeeded();
    const [outer, inner] = [await dialog.boundingBox(), await button.boundingBox()];
    assert.ok(outer && inner && inner.x >= outer.x, 'the button is inside of its dialog');
    await session.send('Page.setFontSizes', { fontSizes: { standard: 16 } });
    await page.close();
  });
});
