import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { checkAt, forEachLayout, openNavigation, useDashboard } from '../support/dashboard.ts';
import { type Service, startService } from '../support/harness.ts';
import { type Browser, setUp } from '../support/operators.ts';

const MANY = 30;

const openDashboard = useDashboard();

forEachLayout((engine, size) => {
  let service: Service;
  let owner: Browser;
  before(async () => {
    service = await startService(engine);
    owner = await setUp(service);
    for (let number = 1; number <= MANY; number += 1)
      await owner.post('/waitlists', { id: `wl_shop_${number}`, name: `Shop ${number}` });
  });
  after(() => service.close());

  const check = checkAt(size);
  const open = (path: string) => openDashboard(service, path, { as: owner, size });

  it('lists waitlists as people count, and finds them by name and id', async () => {
    const page = await open('/waitlists');
    const cards = page.getByRole('main').getByRole('listitem');
    await cards.nth(MANY - 1).waitFor(); // Until then, there are placeholders.
    const names = (await cards.allInnerTexts()).map((text) => text.split('\n')[0]);
    assert.deepEqual(
      names,
      Array.from({ length: MANY }, (_, index) => `Shop ${index + 1}`),
    );

    const field = page.getByRole('searchbox', { name: 'Search waitlists by name or id' });
    await field.fill('shop 7');
    await page.getByRole('status').getByText('3 of 30 waitlists').waitFor();
    assert.deepEqual(await cards.getByText(/^Shop/).allInnerTexts(), ['Shop 7', 'Shop 17', 'Shop 27']);
    await check(page, 'waitlists that were found');
    await page.reload();
    assert.equal(await field.inputValue(), 'shop 7', 'the address has it');
    await field.fill('WL_shop_2');
    await page.getByText('11 of 30 waitlists').waitFor();
    await field.fill('nothing');
    await page.getByText('None has “nothing” in its name or id.').waitFor();
    await check(page, 'no waitlist was found');
    await page.getByRole('button', { name: 'Clear search' }).click();
    await cards.nth(MANY - 1).waitFor();
    await field.and(page.locator(':focus')).waitFor();
    await page.close();
  });

  it('switches to any of them by keyboard', async () => {
    const page = await open('/waitlists/wl_shop_1/queue?environment=production');
    await page.getByRole('heading', { name: 'Queue' }).waitFor();
    await openNavigation(page);
    const button = page.getByRole('combobox', { name: 'Waitlist: Shop 1' });
    await button.focus();
    await page.keyboard.press('Enter');
    const field = page.getByRole('combobox', { name: 'Search waitlists' });
    await field.waitFor();
    assert.equal(await page.getByRole('option').count(), MANY, 'all of them can be scrolled to');
    await check(page, 'a switch with many waitlists');
    await page.keyboard.type('nothing');
    await page.getByText('No waitlist found.').waitFor();
    await field.fill('shop_29');
    await page.getByRole('option', { name: 'Shop 29' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/waitlists/wl_shop_29');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await openNavigation(page);
    await page.getByRole('combobox', { name: 'Waitlist: Shop 29' }).click();
    await page.getByRole('link', { name: 'All waitlists' }).click();
    await page.getByRole('heading', { name: 'Waitlists', exact: true }).waitFor();
    await page.close();
  });

  it('says that the search of everything has more of them', async () => {
    const page = await open('/waitlists');
    await page.getByRole('heading', { name: 'Waitlists', exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Search pages/ }).fill('shop');
    await page.getByText('Waitlists: 8 of 30. Type more to find the others.').waitFor();
    assert.match((await page.getByRole('option').nth(1).innerText()) ?? '', /^Shop 2\b/);
    await check(page, 'the first of many waitlists');
    await page.getByRole('combobox', { name: /^Search pages/ }).fill('shop_17');
    await page.getByText('Waitlists', { exact: true }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/waitlists/wl_shop_17');
    await page.close();
  });
});
