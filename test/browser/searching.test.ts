import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { signLink } from '../../src/waitlist/links/links.ts';
import { fillQueue } from '../support/crowd.ts';
import { checkAt, type DashboardPage, sizeOn, useDashboard } from '../support/dashboard.ts';
import { eventually, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { type Browser, join, setUp } from '../support/operators.ts';

const openDashboard = useDashboard();

forEachEngine((engine) => {
  let service: Service;
  let owner: Browser;
  let list: List;
  /** More than are found at once, and more than two pages of a search. */
  const CROWD = 260;
  before(async () => {
    service = await startService(engine);
    owner = await setUp(service);
    list = await service.waitlist({ name: 'Acme' });
    await list.signup({ email: 'ada@example.com', metadata: { name: 'Zoë Lovelace' } });
    await fillQueue(service.context, await list.queue(), CROWD);
    await list.signup({ email: 'grace@navy.example', phone: '+14155550111' });
  });
  after(() => service.close());

  const check = checkAt(sizeOn(engine));
  const open = (as = owner, path = `/waitlists/${list.id}/queue`) =>
    openDashboard(service, path, { as, size: sizeOn(engine) });
  const find = async (page: DashboardPage, text: string) => {
    await page.getByRole('searchbox').fill(text);
    await page.keyboard.press('Enter');
  };
  const cell = (page: DashboardPage, text: string) =>
    page.getByRole('gridcell', { name: text, exact: true }).filter({ visible: true });
  const TOTAL = CROWD + 2;
  const whole = (page: DashboardPage) => page.getByText(`Looked at all ${TOTAL} people.`);

  /** Holds back every page of a search until it is let through. */
  const holdPages = async (page: DashboardPage) => {
    const waiting: (() => void)[] = [];
    const texts: (string | null)[] = [];
    await page.route('**/entries/search?*', async (route) => {
      texts.push(new URL(route.request().url()).searchParams.get('q'));
      await new Promise<void>((resolve) => waiting.push(resolve));
      await route.continue().catch(() => {}); // It was given up meanwhile.
    });
    return {
      texts,
      next: async () => {
        const [letThrough] = await eventually(
          async () => waiting.splice(0, 1),
          ({ length }) => length > 0,
        );
        letThrough?.();
      },
    };
  };

  it('finds people by a part of what is stored about them, an exact match first, and says how far it looked', async () => {
    const page = await open();
    await cell(page, 'ada@example.com').waitFor();
    await find(page, 'zoe LOVE');
    await whole(page).waitFor();
    await cell(page, 'ada@example.com').waitFor();
    assert.equal(await page.getByRole('row').count(), 2);
    await check(page, 'a search that is done');
    await find(page, '0111');
    await cell(page, 'grace@navy.example').waitFor();
    await cell(page, 'ada@example.com').waitFor({ state: 'detached' });
    await find(page, 'crowd7@example.com');
    await whole(page).waitFor();
    await cell(page, 'crowd7@example.com').waitFor();
    await find(page, 'nobody like this');
    await page.getByRole('heading', { name: 'No match' }).waitFor();
    await page.getByText('Nobody here has nobody like this.').waitFor();
    await check(page, 'a search that found nobody');
    assert.ok(!page.url().includes('nobody'), 'whom they look for stays out of the address');

    const { id } = (await list.lookup('ada@example.com')).body;
    const token = signLink(await list.queue(), 'status', { id, at: service.clock.now });
    await find(page, `https://doorlist.example/s/${token}`);
    await page.getByText('An id or a link says exactly who it is.').waitFor();
    await cell(page, 'ada@example.com').click();
    await page.getByRole('dialog').getByRole('heading', { name: 'ada@example.com' }).waitFor();
    await page.close();
  });

  it('shows people as they are found, and is stopped, taken up again and ended by another search', async () => {
    const page = await open();
    await cell(page, 'ada@example.com').waitFor();
    const pages = await holdPages(page);
    await find(page, 'example');
    await page.getByText('Looking through names and answers…').waitFor();
    await check(page, 'a search that begins');
    await pages.next();
    await page.getByText(/answers… 50 of 262/).waitFor();
    await cell(page, 'ada@example.com').waitFor();
    await page.getByText('50 people', { exact: true }).waitFor();
    await check(page, 'a search that goes on');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped after 50 of 262 people.').waitFor();
    await check(page, 'a search that was stopped');
    await pages.next(); // Nobody waits for this one.
    await page.getByRole('button', { name: 'Go on' }).click();
    await pages.next();
    await page.getByText(/answers… 100 of 262/).waitFor();
    await find(page, 'navy');
    await eventually(
      async () => pages.texts.at(-1),
      (text) => text === 'navy',
    );
    await pages.next(); // Of the search that was ended.
    await pages.next();
    await whole(page).waitFor();
    await cell(page, 'grace@navy.example').waitFor();
    assert.equal(await cell(page, 'ada@example.com').count(), 0);
    await page.close();
  });

  it('asks whether to go on once many are found, and tries again what failed', async () => {
    const page = await open();
    await cell(page, 'ada@example.com').waitFor();
    let fails = false;
    await page.route('**/entries/search?*', (route) =>
      fails
        ? route.fulfill({ status: 429, json: { code: 'rate_limited', message: 'slow down' } })
        : route.continue(),
    );
    await find(page, 'example');
    await page.getByText('200 people found in the first 200 of 262.').waitFor();
    fails = true;
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('Slow down.').waitFor();
    await page.getByText('Looked at 200 of 262 people.').waitFor();
    page.problems.length = 0; // The browser's own line about the answer.
    await check(page, 'a search that failed');
    fails = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await whole(page).waitFor();
    await page.getByText('262 people', { exact: true }).waitFor();
    await page.close();
  });

  it('is reached from every page, and not by viewers', async () => {
    const page = await open(owner, `/waitlists/${list.id}`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('lovelace');
    await page.getByRole('option', { name: 'Find “lovelace”' }).click();
    await whole(page).waitFor();
    assert.equal(await page.getByRole('searchbox').inputValue(), 'lovelace');
    await page.close();

    const viewer = await join(service, owner, 'viewer', 'viewer@example.com');
    const theirs = await open(viewer);
    await cell(theirs, 'a…@e….com').first().waitFor();
    const { id } = (await list.lookup('ada@example.com')).body;
    await find(theirs, id);
    await theirs.getByText('1 person', { exact: true }).waitFor();
    assert.equal(await theirs.getByText('Looking through').count(), 0);
    await theirs.keyboard.press('Control+k');
    await theirs.getByRole('combobox').fill('queue');
    await theirs.getByRole('option', { name: 'Queue' }).waitFor();
    assert.equal(await theirs.getByRole('option', { name: 'Find' }).count(), 0);
    await theirs.close();
  });
});
