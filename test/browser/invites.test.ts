import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import {
  checkEverywhere,
  checkLayout,
  checkOn,
  type DashboardPage,
  sizeOn,
  useDashboard,
} from '../support/dashboard.ts';
import { forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { type Browser, join, setUp } from '../support/operators.ts';

const openDashboard = useDashboard();

forEachEngine((engine) => {
  let service: Service;
  let owner: Browser;
  before(async () => {
    service = await startService(engine, { startAt: Date.now(), streamTimes: { roundMs: 20 } });
    owner = await setUp(service);
  });
  after(() => service.close());

  const open = (path: string, size: DashboardPage['size'] = 'desktop', as = owner) =>
    openDashboard(service, path, { as, size });
  const twelve = async (): Promise<List> => {
    const list = await service.waitlist();
    const emails = Array.from({ length: 12 }, (_, n) => ({
      email: `p${n}@example.com`,
      metadata: { n: n % 2 },
    }));
    await list.signup(...emails);
    return list;
  };

  const size = sizeOn(engine);
  const check = checkOn(engine);
  it(`invites the first 10, and sees one accept on the join page, on a ${size}`, async () => {
    const list = await twelve();
    const page = await open(`/waitlists/${list.id}/invites`, size);
    await page.getByRole('heading', { name: 'No invites yet' }).waitFor();
    await page.getByRole('button', { name: 'Invite people' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('How many').fill('10');
    await dialog.getByText('10 people would be invited').waitFor();
    await dialog.getByText('p0@example.com').waitFor();
    await check(page, 'invite dialog');
    await dialog.getByRole('button', { name: 'Invite 10 people in production' }).click();
    await page.getByText('Inviting 10 people').waitFor();
    await service.runJobs();
    await page.getByText('Invited 10 people').waitFor();
    assert.equal(await page.getByRole('heading', { name: 'No invites yet' }).count(), 0);
    await page.getByText('in production · Not emailed: no mail server').waitFor();
    const copy = page.getByRole('button', { name: 'Copy invite link of p3@example.com' });
    await copy.click();
    const link = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.match(link, /\/join\//);
    await checkLayout(page, 'invites');

    const guest = await openDashboard(service, new URL(link).pathname, { size });
    await guest.getByRole('button').first().click();
    await guest.getByText('p3@example.com').waitFor();
    await guest.close();
    await page.getByRole('row', { name: /p3@example\.com .*Accepted/ }).waitFor();
    await page.goto(`/waitlists/${list.id}/queue?tab=joined`);
    await page.getByRole('gridcell', { name: 'p3@example.com' }).waitFor();
    await page.getByRole('tab', { name: 'Joined 1' }).waitFor();
    await page.getByRole('tab', { name: 'Invited 9' }).waitFor();
    await page.close();
  });

  it('invites a segment from the queue, and only as many as were confirmed', async () => {
    const list = await twelve();
    const page = await open(`/waitlists/${list.id}/queue?where=n%3D1`);
    await page.getByRole('link', { name: 'Invite all that match' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Invite 6 people in production' }).waitFor();
    await page.route('**/stream*', (route) => route.abort());
    await service.context.db.query
      .updateTable('entry')
      .set({ status: 'removed' })
      .where('queue_id', '=', (await list.queue()).id)
      .where('seq', '=', 2)
      .execute();
    await dialog.getByRole('button', { name: 'Invite 6 people in production' }).click();
    await dialog.getByText('5 would be invited now, not 6').waitFor();
    page.problems.length = 0; // The browser reports the 409 that we wanted.
    await dialog.getByRole('button', { name: 'Invite 5 people in production' }).waitFor();
    await check(page, 'segment dialog');
    await page.close();
  });

  // What does not depend on the engine.
  if (engine !== 'sqlite') return;

  it('invites one email, resends and revokes', async () => {
    const list = await twelve();
    const page = await open(`/waitlists/${list.id}/invites?invite=email`);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email').fill('new@example.com');
    await dialog.getByText('Not on the waitlist yet').waitFor();
    await dialog.getByText('Invited, but not emailed: no mail server').waitFor();
    await checkEverywhere(page, 'inviting without a mail server');
    await dialog.getByRole('button', { name: 'Invite 1 person in production' }).click();
    await page.getByText('Invited new@example.com, not emailed: no mail server').waitFor();
    const actions = page.getByRole('button', { name: 'Actions for new@example.com' });
    await actions.click();
    await page.getByRole('menuitem', { name: 'Resend email' }).click();
    await page.getByText('Recorded the invite to new@example.com again, not emailed').waitFor();
    await actions.click();
    await page.getByRole('menuitem', { name: 'Revoke…' }).click();
    await page.getByRole('button', { name: 'Revoke invite' }).click();
    await page.getByRole('row', { name: /new@example\.com .*Revoked/ }).waitFor();
    await page.getByRole('tab', { name: 'Open' }).click();
    await page.getByRole('heading', { name: 'No open invites' }).waitFor();
    assert.match(page.url(), /state=open/);
    await page.close();
  });

  it('cancels invites that are being sent', async () => {
    const list = await twelve();
    const page = await open(`/waitlists/${list.id}/invites?invite=first&first=12`);
    await page.getByRole('button', { name: 'Invite 12 people in production' }).click();
    await page.getByText('Inviting 12 people').waitFor();
    await checkEverywhere(page, 'progress');
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('button', { name: 'Stop inviting' }).click();
    await page.getByText('Stopped after 0 people').waitFor();
    await service.runJobs();
    const { body } = await list.page({ status: 'invited' });
    assert.equal(body.total, 0);
    await page.close();
  });

  it('shows viewers masked emails, and no links or actions', async () => {
    const list = await twelve();
    await list.invite('p1@example.com');
    const viewer = await join(service, owner, 'viewer', 'viewer@example.com');
    const page = await open(`/waitlists/${list.id}/invites?invite=first`, 'desktop', viewer);
    await page.getByText('p…@e….com').waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.equal(await page.getByRole('button', { name: /Copy|Actions|Invite/ }).count(), 0);
    await check(page, 'viewer');
    await page.close();
  });
});
