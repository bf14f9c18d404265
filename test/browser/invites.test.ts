import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import {
  checkAt,
  checkEverywhere,
  checkLayout,
  copied,
  type DashboardPage,
  forEachLayout,
  useDashboard,
} from '../support/dashboard.ts';
import { type List, type Service, startService } from '../support/harness.ts';
import { type Browser, join, setUp } from '../support/operators.ts';

const openDashboard = useDashboard();

forEachLayout((engine, size) => {
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

  const check = checkAt(size);
  it(`invites the first 10, and sees one accept on the join page, on a ${size}`, async () => {
    const list = await twelve();
    const page = await open(`/waitlists/${list.id}/invites`, size);
    await page.getByRole('heading', { name: 'No invites yet' }).waitFor();
    await page.getByRole('button', { name: 'Invite people' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('How many').fill('10');
    await dialog.getByText('10 people would be invited').waitFor();
    await dialog.getByText('p0@example.com').waitFor();
    await dialog.getByText('People who accept have nowhere to go').waitFor();
    await check(page, 'invite dialog');
    await dialog.getByRole('button', { name: 'Invite 10 people in production' }).click();
    await page.getByText('Inviting 10 people').waitFor();
    await service.runJobs();
    await page.getByText('Invited 10 people').waitFor();
    assert.equal(await page.getByRole('heading', { name: 'No invites yet' }).count(), 0);
    await page.getByText('in production · Not emailed: no mail server').waitFor();
    const copy = page.getByRole('button', { name: 'Copy invite link of p3@example.com' });
    await copy.click();
    const link = await copied(page, /\/join\//);
    await checkLayout(page, 'invites');

    const guest = await openDashboard(service, new URL(link).pathname, { size });
    await guest.getByRole('button').first().click();
    await guest.getByText('p3@example.com').waitFor();
    await guest.getByText('Ask whoever invited you').waitFor();
    await guest.close();
    await page.getByRole('row', { name: /p3@example\.com .*Accepted/ }).waitFor();
    await page.goto(`/waitlists/${list.id}/queue?tab=joined`);
    await page.getByRole('gridcell', { name: 'p3@example.com' }).waitFor();
    await page.getByRole('tab', { name: 'Joined 1' }).waitFor();
    await page.getByRole('tab', { name: 'Invited 9' }).waitFor();
    await page.close();
  });

  it('warns of invites that lead nowhere, until it is set where they lead', async () => {
    const list = await twelve();
    const page = await open(`/waitlists/${list.id}/invites?invite=first`);
    const warning = page.getByText('People who accept have nowhere to go');
    await warning.waitFor();
    await page.getByRole('link', { name: 'Set where it leads' }).click();
    await page.getByLabel('After accepting an invite').fill('https://app.acme.example/');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved your changes').waitFor();
    await page.goto(`/waitlists/${list.id}/invites?invite=first`);
    await page.getByText('10 people would be invited').waitFor();
    assert.equal(await warning.count(), 0);
    await page.goto(`/waitlists/${list.id}/invites?invite=first&environment=development`);
    await warning.waitFor();
    await owner.patch(`/waitlists/${list.id}/mail/settings`, {
      joinUrl: 'https://app.acme.example/join/{code}',
    });
    await page.reload();
    await page.getByText('Nobody would be invited').waitFor();
    assert.equal(await warning.count(), 0, 'their own page');
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

  // What depends neither on the engine nor on the width.
  if (size !== 'desktop') return;

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
    await page.getByRole('row', { name: /new@example\.com Not on the waitlist/ }).waitFor();
    const opening = page.getByRole('button', { name: /^new@example\.com/ });
    assert.equal(await opening.count(), 0, 'there is nothing to open');
    const actions = page.getByRole('button', { name: 'Actions for new@example.com' });
    await actions.click();
    await page.getByRole('menuitem', { name: 'Resend email' }).click();
    await page.getByText('Recorded the invite to new@example.com again, not emailed').waitFor();
    await actions.click();
    await page.getByRole('menuitem', { name: 'Revoke…' }).click();
    await page.getByRole('button', { name: 'Revoke invite' }).click();
    await page.getByRole('row', { name: /new@example\.com .*Revoked/ }).waitFor();
    await page.getByRole('tab', { name: 'Open' }).click();
    const noneOpen = page.getByRole('heading', { name: 'No open invites' });
    await noneOpen.waitFor();
    assert.match(page.url(), /state=open/);
    await list.invite('p1@example.com');
    await list.invite('p2@example.com');
    await page.getByRole('row', { name: /p2@example\.com/ }).waitFor();
    const counting = (url: URL) => url.pathname.endsWith('/invites/revoke');
    await page.route(counting, (route) => route.abort());
    await page.getByRole('button', { name: 'Revoke all open' }).click();
    await page.getByText('The server cannot be reached').first().waitFor();
    page.problems.length = 0; // The browser reports the request that we stopped.
    await page.unroute(counting);
    await page.getByRole('button', { name: 'Revoke all open' }).click();
    await dialog.getByText('Revoke 2 invites?').waitFor();
    await checkEverywhere(page, 'revoking all');
    await dialog.getByLabel('Type 2 to confirm').fill('2');
    await dialog.getByRole('button', { name: 'Revoke them' }).click();
    await page.getByText('Revoking 2 invites').waitFor();
    await service.runJobs();
    await page.getByText('Revoked 2 invites').waitFor();
    await noneOpen.waitFor();
    assert.equal((await list.lookup('p1@example.com')).body.status, 'waiting');
    await page.close();
  });

  it('says that a person was invited or has joined, and what a field takes', async () => {
    const list = await twelve();
    const { code } = await list.invite('p1@example.com');
    await service.accept(code);
    await list.invite('p0@example.com');
    await list.invite('guest@example.com');
    await owner.patch(`/waitlists/${list.id}`, { returnToQueue: false });
    const invites = `/waitlists/${list.id}/invites`;
    const { body: ended } = await owner.post<{ id: string }>(invites, { email: 'p4@example.com' });
    await owner.delete(`${invites}/${ended.id}`);
    const page = await open(`/waitlists/${list.id}/invites?invite=email`);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('gets a link of their own').waitFor();
    await dialog.getByText('Enter an email to see whether they are on the waitlist.').waitFor();
    await dialog.getByLabel('Email').fill('p0@example.com');
    await dialog.getByText('They would get another invite.').waitFor();
    await dialog.getByRole('status').getByText('Already invited').waitFor();
    await checkEverywhere(page, 'inviting a person who was invited');
    await dialog.getByLabel('Email').fill('p1@example.com');
    await dialog.getByRole('status').getByText('Already joined').waitFor();
    await dialog.getByText('They would get an invite that they do not need.').waitFor();
    await dialog.getByLabel('Email').fill('guest@example.com');
    await dialog.getByRole('status').getByText('Already invited').waitFor();
    await dialog.getByText('They are not on the waitlist.').waitFor();
    await checkEverywhere(page, 'inviting a guest who was invited');
    await dialog.getByLabel('Email').fill('p4@example.com');
    await dialog.getByRole('status').getByText('Invited before').waitFor();
    await dialog.getByText('That invite can no longer be accepted.').waitFor();
    await dialog.getByLabel('Email').fill('p2@example.com');
    await dialog.getByRole('status').getByText('On the waitlist', { exact: true }).waitFor();
    assert.equal(await dialog.getByText('They would get').count(), 0);
    await dialog.getByLabel('Email').fill('');
    await dialog.getByText('Invited, but not emailed').waitFor({ state: 'detached' });

    await dialog.getByRole('tab', { name: 'First in line' }).click();
    const problem = dialog.getByText('Enter a whole number from 1 to 999,999,999.');
    for (const number of ['0', '-1', '10.5', '1e3']) {
      await dialog.getByLabel('How many').fill(number);
      await problem.waitFor();
      await dialog.getByText('Enter how many to see who would be invited.').waitFor();
    }
    await checkLayout(page, 'a number of invites that is none');
    await dialog.getByLabel('How many').fill('3');
    await dialog.getByText('3 people would be invited').waitFor();
    assert.equal(await problem.count(), 0);

    await dialog.getByRole('tab', { name: 'A segment' }).click();
    const day = dialog.getByLabel('Signed up from');
    await dialog
      .getByText(/^Midnight in \S+\.$/)
      .first()
      .waitFor();
    assert.equal(await day.getAttribute('max'), '9999-12-31');
    await day.fill('12026-01-01');
    await dialog.getByText('Enter a year of four digits.').waitFor();
    await dialog.getByText('Enter a condition to see who would be invited.').waitFor();
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
