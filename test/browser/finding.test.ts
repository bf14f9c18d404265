import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { checkAt, type DashboardPage, sizeOn, useDashboard } from '../support/dashboard.ts';
import { forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { type Browser, join, setUp } from '../support/operators.ts';
import { clockOf } from '../support/windows.ts';

const DAY_MS = 86_400_000;

const openDashboard = useDashboard();

forEachEngine((engine) => {
  let service: Service;
  let owner: Browser;
  let list: List;
  before(async () => {
    service = await startService(engine, { startAt: Date.now() - DAY_MS, streamTimes: { roundMs: 20 } });
    list = await service.waitlist({ name: 'Acme' });
    await updateWaitlist(service.context, list.id, { metadataKeys: ['source'] });
    await list.signup(
      { email: 'ada@example.com', metadata: { source: 'news', constructor: 'Ada & Co' } },
      { email: 'grace@example.com', metadata: { source: 'ads' }, referredBy: 'ada@example.com' },
    );
    service.clock.advance(DAY_MS);
    owner = await setUp(service); // Sessions end after a day.
    await list.signup({ email: 'today@example.com', metadata: { source: 'news' } });
    await keepUp(service.context);
  });
  after(() => service.close());

  const check = checkAt(sizeOn(engine));
  const open = (path: string, as = owner) => openDashboard(service, path, { as });
  const cell = (page: DashboardPage, text: string) => page.getByRole('gridcell', { name: text, exact: true });
  const palette = async (page: DashboardPage, text: string) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill(text);
  };

  it('takes what is typed while the search is loading and opening', async () => {
    const page = await open(`/waitlists/${list.id}`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    let arrive = () => {};
    const slow = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    await page.route('**/assets/palette-*.js', async (route) => {
      await slow;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Search' }).waitFor({ state: 'attached' });
    await page.keyboard.type('dark ');
    arrive();
    await page.keyboard.type('theme');
    await page.getByRole('option', { name: 'Switch to the dark theme' }).waitFor();
    assert.equal(await page.getByRole('combobox').inputValue(), 'dark theme');
    await page.close();
  });

  it('finds people in all waitlists, and runs actions, as far as the role may', async () => {
    const other = await service.waitlist({ name: 'Beta' });
    await other.signup({ email: 'ada@example.com' });
    const admin = await join(service, owner, 'admin', 'admin@example.com');
    const page = await open(`/waitlists/${list.id}`, admin);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('link', { name: 'Health' }).click();
    await page.getByRole('heading', { name: 'Health' }).waitFor();
    await page.getByRole('button', { name: 'Waitlist: Acme' }).waitFor();
    await page.getByRole('link', { name: 'Queue', exact: true }).waitFor();

    await palette(page, 'ADA@example.com');
    await page.getByRole('option', { name: 'ada@example.com Acme · production' }).waitFor();
    await check(page, 'palette');
    await page.getByRole('option', { name: 'ada@example.com Beta · production' }).click();
    await page.getByRole('dialog').getByRole('heading', { name: 'ada@example.com' }).waitFor();
    assert.match(page.url(), new RegExp(`${other.id}/queue`));
    await page.keyboard.press('Escape');
    await palette(page, 'nobody@example.com');
    await page.getByText('On no waitlist.').waitFor();
    await page.getByRole('combobox').fill('dark theme');
    await page.keyboard.press('Enter');
    await page.locator('html[data-theme=dark]').waitFor();
    await palette(page, 'invite people');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('heading', { name: 'Invite people' }).waitFor();
    await page.keyboard.press('Escape');
    await palette(page, 'sign out');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.close();

    const viewer = await join(service, owner, 'viewer', 'viewer@example.com');
    const theirs = await open(`/waitlists/${list.id}/queue`, viewer);
    await theirs.getByRole('grid').waitFor();
    await palette(theirs, 'people');
    await theirs.getByRole('option', { name: 'Queue' }).waitFor();
    assert.equal(await theirs.getByRole('option', { name: /(Invite|Export) people/ }).count(), 0);
    await theirs.close();
    const overview = await open(`/waitlists/${list.id}`, viewer);
    await overview.getByText('Your role does not show metadata, nor how many signups had a value.').waitFor();
    assert.equal(await overview.getByRole('heading', { name: 'source' }).count(), 0);
    await check(overview, 'the overview, as a viewer');
    await overview.close();
  });

  it('keeps chosen columns and named segments, and finds an invite', async () => {
    const page = await open(`/waitlists/${list.id}/queue`);
    await cell(page, 'ada@example.com').waitFor();
    await page.getByRole('combobox', { name: 'Columns' }).click();
    for (const name of ['source', 'constructor']) await page.getByRole('option', { name }).click();
    await page.keyboard.press('Escape');
    await cell(page, 'Ada & Co').waitFor();
    await page.reload();
    await cell(page, 'Ada & Co').waitFor();
    assert.equal(await cell(page, 'news').count(), 2);

    await page.goto(`/waitlists/${list.id}/queue?where=source%3Dnews`);
    await page.getByText('2 people').waitFor();
    await page.getByRole('button', { name: 'Segments' }).click();
    await page.getByRole('menuitem', { name: 'Save this filter' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Readers');
    await dialog.getByRole('button', { name: 'Save segment' }).click();
    await page.getByRole('button', { name: 'Readers' }).waitFor();
    await check(page, 'segment');
    await page.goto(`/waitlists/${list.id}/queue`);
    await cell(page, 'grace@example.com').waitFor();
    await page.getByRole('button', { name: 'Segments' }).click();
    await page.getByRole('menuitem', { name: 'Readers' }).click();
    await page.getByText('2 people').waitFor();
    const order = page.getByRole('combobox', { name: 'Order' });
    await page.goto(`${page.url()}&tab=all`);
    await page.getByText('2 people').waitFor();
    assert.equal(await order.count(), 0, 'those who match are shown as they joined');
    await page.goto(`/waitlists/${list.id}/queue?tab=all`);
    await order.waitFor();

    await page.goto(`/waitlists/${list.id}/invites?invite=segment`);
    await page.getByRole('combobox', { name: 'Saved segment' }).click();
    await page.getByRole('option', { name: 'Readers' }).click();
    await page.getByText('2 people would be invited').waitFor();
    await page.getByRole('button', { name: 'Invite 2 people in production' }).click();
    await page.getByText('Inviting 2 people').waitFor();
    await service.runJobs();
    await page.getByRole('cell', { name: 'today@example.com', exact: true }).waitFor();
    await page.getByRole('searchbox').fill('ada@example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: 'today@example.com', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('cell', { name: 'ada@example.com', exact: true }).waitFor();
    await page.getByText('Newest first').waitFor();
    await page.getByRole('button', { name: 'Environment: production' }).click();
    await page.getByRole('menuitem', { name: 'Development' }).click();
    await page.getByRole('heading', { name: 'No invites yet' }).waitFor();
    await page.goBack();
    await page.getByRole('cell', { name: 'ada@example.com', exact: true }).waitFor();
    assert.equal(await page.getByRole('searchbox').inputValue(), 'ada@example.com');

    await page.goto(`/waitlists/${list.id}/queue?tab=all`);
    await page.getByRole('button', { name: 'Segments' }).click();
    await page.getByRole('menuitem', { name: 'Rename or delete' }).click();
    await page.getByLabel('Name of Readers').fill('Newsletter');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    await page.getByRole('button', { name: 'Delete Newsletter' }).click();
    await page.getByText('None left.').waitFor();
    await page.close();
  });

  it('compares a period, shows a range, and leads from numbers to people', async () => {
    const page = await open('/account');
    await clockOf(page).setFixedTime(service.clock.now); // That of the service stands still, too: a day could end.
    await page.goto(`/waitlists/${list.id}`);
    await page.getByRole('button', { name: 'Compare periods' }).click();
    const compared = page.getByRole('region', { name: 'Compared with before' });
    await compared.getByText('0 before').first().waitFor();
    assert.match(await compared.innerText(), /was created on .*, so that period is not whole/);
    assert.match(await compared.innerText(), /The last day is not over/);
    await check(page, 'comparison');

    await page.getByRole('button', { name: 'Custom' }).click();
    const yesterday = new Date(service.clock.now - DAY_MS).toISOString().slice(0, 10);
    await page.getByLabel('First day').fill(yesterday);
    await page.getByLabel('Last day').fill('2020-01-01');
    await page.getByText('The last day is before the first.').waitFor();
    await page.getByLabel('Last day').fill(yesterday);
    await page.getByText('2 in this period').waitFor();
    await page.goto(`/waitlists/${list.id}?period=7d`);

    await page.getByRole('button', { name: 'Show as table' }).click();
    const rows = page.getByRole('row').filter({ hasText: 'so far' });
    await rows.getByRole('link').click();
    await cell(page, 'today@example.com').waitFor();
    await page.getByText('1 person').waitFor();
    await page.goBack();

    await page.getByRole('img', { name: /^Signups over time/ }).waitFor();
    const plot = page.locator('.u-over');
    const box = await plot.boundingBox();
    assert.ok(box);
    await plot.click({ position: { x: box.width - 2, y: 20 } });
    await page.getByText('1 person').waitFor();
    await page.goBack();

    await page.getByRole('link', { name: 'ads' }).click();
    await cell(page, 'grace@example.com').waitFor();
    await page.getByText('1 person').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: /^1 person referred by ada@example.com/ }).click();
    await page.getByRole('button', { name: 'Remove the filter Referred by ada@example.com' }).waitFor();
    await cell(page, 'grace@example.com').waitFor();
    await page.close();
  });

  it('reads a day in a link in the time zone of the installation, and names it', async () => {
    await owner.patch('/instance', { defaultTimeZone: 'Pacific/Kiritimati' });
    const page = await open('/account');
    const asked = page.waitForRequest(/entries\?.*joinedAfter/);
    await page.goto(`/waitlists/${list.id}/queue?tab=all&joinedAfter=2025-03-01`);
    assert.equal(
      new URL((await asked).url()).searchParams.get('joinedAfter'),
      '2025-02-28T10:00:00.000Z', // 14 hours ahead of UTC.
    );
    const name = 'Remove the filter Signed up from Mar 1, 2025, Pacific/Kiritimati';
    await page.getByRole('button', { name }).waitFor();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const dialog = page.getByRole('dialog');
    assert.equal(await dialog.getByLabel('Signed up from').inputValue(), '2025-03-01');
    await dialog.getByText('Midnight in Pacific/Kiritimati.').first().waitFor();
    await page.goto(`/waitlists/${list.id}/transfer?tab=export`);
    const exported = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByText('Midnight in Pacific/Kiritimati.').first().waitFor();
    await page.getByLabel('Signed up from').fill('2025-03-01');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    assert.match((await exported).postData() ?? '', /2025-02-28T10:00:00/);
    await page.close();
  });
});
