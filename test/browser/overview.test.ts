import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { checkAt, type DashboardPage, sizeOn, useDashboard } from '../support/dashboard.ts';
import { forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { type Browser, join, setUp } from '../support/operators.ts';
import { clockOf } from '../support/windows.ts';

const DAY_MS = 86_400_000;

/** People who joined around the beginnings of the periods, with how large they are. */
const PEOPLE: readonly [daysAgo: number, size?: string | number][] = [
  [364],
  [356, '1'],
  [89, 1],
  [30, 1],
  ...[29, 7, 6, 1, 0].map((days) => [days, 'many'] as [number, string]),
];

interface Totals {
  totals: { signups: number };
}

const openDashboard = useDashboard();

forEachEngine((engine) => {
  let service: Service;
  let owner: Browser;
  let list: List;
  before(async () => {
    const now = Date.now();
    service = await startService(engine, { startAt: now });
    list = await service.waitlist({ name: 'Acme' });
    await updateWaitlist(service.context, list.id, { metadataKeys: ['size'] });
    for (const [daysAgo, size] of PEOPLE) {
      service.clock.now = now - daysAgo * DAY_MS;
      await list.signup({
        email: `p${daysAgo}@example.com`,
        ...(size === undefined ? {} : { metadata: { size } }),
      });
    }
    owner = await setUp(service);
    await keepUp(service.context);
  });
  after(() => service.close());

  const size = sizeOn(engine);
  const check = checkAt(size);
  const open = (path: string, as = owner) => openDashboard(service, path, { as, size });
  const card = (page: DashboardPage, label: string) =>
    page.getByRole('term').filter({ hasText: label }).locator('xpath=..');

  /** Its clock stands still, as that of the service does: an hour could end meanwhile. */
  const openAt = async (now: number, path: string) => {
    const page = await open('/account');
    await clockOf(page).setFixedTime(now);
    await page.goto(path);
    return page;
  };

  it('shows as many hours, days and weeks as it says, and the same numbers as the API', async () => {
    const page = await openAt(service.clock.now, `/waitlists/${list.id}`);
    for (const [label, signups, intervals] of [
      ['24 hours', 1, 24],
      ['7 days', 3, 7],
      ['30 days', 5, 30],
      ['90 days', 7, 90],
      ['12 months', 8, 52],
    ] as const) {
      await page.getByRole('button', { name: label }).click();
      await page.getByText(`${signups} in ${label}`, { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Show as table' }).click();
      const rows = page.getByRole('figure').getByRole('row');
      await rows.nth(intervals).waitFor();
      assert.equal(await rows.count(), 1 + intervals, label);
      assert.match((await rows.last().textContent()) ?? '', /, so far\d+$/);
      await page.getByRole('button', { name: 'Show as chart' }).click();
    }
    const signupsIn = async (query: string) =>
      (await owner.get<Totals>(`/waitlists/${list.id}/statistics${query}`)).body.totals.signups;
    assert.deepEqual([await signupsIn(''), await signupsIn('?interval=hour')], [5, 1]);
    await page.close();
  });

  it('draws a range with today up to now', async () => {
    const day = (offset: number) => new Date(service.clock.now + offset * DAY_MS).toISOString().slice(0, 10);
    const path = `/waitlists/${list.id}?period=custom&from=${day(0)}&to=${day(1)}`;
    const page = await openAt(service.clock.now, path);
    const hours = new Date(service.clock.now).getUTCHours() + 1;
    await page.getByText('not over yet.').waitFor();
    await check(page, 'a range with today');
    await page.getByRole('button', { name: 'Show as table' }).click();
    const rows = page.getByRole('figure').getByRole('row');
    await rows.nth(hours).waitFor();
    assert.equal(await rows.count(), 1 + hours);
    assert.match((await rows.last().textContent()) ?? '', /, so far10$/);
    await page.getByLabel('First day').fill(day(2));
    await page.getByLabel('Last day').fill(day(3));
    await page.getByText('The first day is in the future.').waitFor();
    await page.close();
  });

  it('counts invites as invites, also those of people who are not on the list', async () => {
    const other = await service.waitlist({ name: 'Guests' });
    await other.signup({ email: 'ada@example.com' });
    const [first] = [await other.invite('guest@example.com'), await other.invite('other@example.com')];
    await service.accept(first.code);
    const page = await open(`/waitlists/${other.id}`);
    await card(page, 'Invited').getByText('2 invites sent in 30 days', { exact: true }).waitFor();
    await card(page, 'Joined').getByText('1 invite accepted in 30 days', { exact: true }).waitFor();
    await card(page, 'Joined').getByText('Counts people who are not on the waitlist, too.').waitFor();
    await check(page, 'an overview with guests');
    await page.close();
  });

  it('has one row for values that a filter cannot tell apart', async () => {
    const page = await open(`/waitlists/${list.id}?period=12m`);
    const values = page.getByRole('list', { name: 'Signups by size' });
    await values.getByText('many').waitFor();
    assert.match(await values.innerText(), /^many\s+5\s+63%\s+1\s+3\s+38%$/);
    await values.getByRole('link', { name: '1', exact: true }).click();
    await page.getByText('3 people').waitFor();
    await page.close();
  });

  it('tells viewers that they see no metadata', async () => {
    const viewer = await join(service, owner, 'viewer', 'viewer@example.com');
    const page = await open(`/waitlists/${list.id}`, viewer);
    await page.getByText('Your role does not show metadata').waitFor();
    assert.equal(await page.getByText('No signup had this').count(), 0);
    await check(page, 'metadata, as a viewer');
    await page.close();
  });

  it('says that metadata and pending people could not be loaded, and tries again', async () => {
    const page = await open('/account');
    let fails = true;
    await page.route(`**/admin/v1/waitlists/${list.id}?*`, (route) => {
      const json = { code: 'internal_error', message: 'something went wrong' };
      return fails ? route.fulfill({ status: 500, json }) : route.continue();
    });
    await page.goto(`/waitlists/${list.id}`);
    const alert = page.getByRole('alert').filter({ hasText: 'The settings of this waitlist' });
    await alert.getByText('Pending people and counted metadata are not shown.').waitFor();
    page.problems.length = 0; // The browser reports the failures that we wanted.
    await check(page, 'an overview without settings');
    fails = false;
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Signups in this period, by metadata.').waitFor();
    assert.equal(await alert.count(), 0);
    await page.close();
  });
});
