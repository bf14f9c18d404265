import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { checkEverywhere, type DashboardPage, useDashboard } from '../support/dashboard.ts';
import { eventually, type List, type Service, startService } from '../support/harness.ts';
import { type Browser, join, setUp } from '../support/operators.ts';

/** Of pages whose data is tested on both engines elsewhere. */
describe('reviewing who waits, in the dashboard', () => {
  const openDashboard = useDashboard();
  let service: Service;
  let owner: Browser;
  let support: Browser;
  before(async () => {
    // Nothing is sent: no server is asked for its emails.
    const environment = { DOORLIST_SMTP_URL: 'smtp://127.0.0.1:9', DOORLIST_MAIL_FROM: 'team@acme.example' };
    service = await startService('sqlite', { startAt: Date.now(), environment });
    owner = await setUp(service);
    support = await join(service, owner, 'support', 'support@example.com');
  });
  after(() => service?.close());

  const listOf = async (...names: string[]): Promise<List> => {
    const list = await service.waitlist({ name: 'Acme' });
    const metadata = { company: 'Analytical Engines', why: 'We count a lot.' };
    await list.signup(...names.map((name) => ({ email: `${name}@example.com`, metadata })));
    return list;
  };
  const openReview = (list: List, as: Browser, search = '') =>
    openDashboard(service, `/waitlists/${list.id}/queue/review${search}`, { as });
  const shows = (page: DashboardPage, name: string) =>
    page.getByRole('heading', { name: `${name}@example.com`, exact: true }).waitFor();
  const statuses = async (list: List) =>
    Object.fromEntries((await list.walk()).map(({ email, status }) => [email?.split('@')[0], status]));
  const becomes = (list: List, wanted: Record<string, string>) =>
    eventually(
      () => statuses(list),
      (now) => Object.entries(wanted).every(([name, status]) => now[name] === status),
    );

  it('takes approve, decline and later by keyboard, with a note, and goes back', async () => {
    const list = await listOf('ada', 'bob', 'cid', 'dan');
    const page = await openReview(list, support);
    await shows(page, 'ada');
    await page.getByText('1 of 4', { exact: true }).waitFor();
    await page.getByText('We count a lot.').waitFor();
    await page.keyboard.press('n');
    await page.keyboard.type('already a client');
    assert.deepEqual(await statuses(list), {
      ada: 'waiting',
      bob: 'waiting',
      cid: 'waiting',
      dan: 'waiting',
    });
    await checkEverywhere(page, 'a person to review');
    await page.keyboard.press('Escape');
    await page.keyboard.press('a');
    await shows(page, 'bob');
    await page.keyboard.press('d');
    await shows(page, 'cid');
    await page.keyboard.press('b');
    await shows(page, 'bob');
    await page.getByRole('button', { name: 'Take decline back' }).waitFor();
    await checkEverywhere(page, 'a person who was declined in the review');
    await page.keyboard.press('u');
    await page.getByRole('button', { name: 'Decline', exact: true }).click();
    await shows(page, 'cid');
    await page.keyboard.press('l');
    await shows(page, 'dan');
    await page.getByRole('button', { name: 'Later' }).click();
    await page.getByText('1 person approved, 1 person declined, 2 people left for later.').waitFor();
    await checkEverywhere(page, 'the end of a review');
    await becomes(list, { ada: 'invited', bob: 'declined', cid: 'waiting', dan: 'waiting' });
    await page.getByRole('button', { name: 'Start again' }).click();
    await shows(page, 'cid');
    await page.getByText('1 of 2', { exact: true }).waitFor();
    const { id } = (await list.lookup('ada@example.com')).body;
    const { body } = await owner.get<{ events: { kind: string; note: string | null }[] }>(
      `/waitlists/${list.id}/entries/${id}/history`,
    );
    assert.equal(body.events.find(({ kind }) => kind === 'entry.approved')?.note, 'already a client');
    await page.close();
  });

  it('brings a person back whose decline is undone', async () => {
    const list = await listOf('ada', 'bob');
    const page = await openReview(list, support);
    await shows(page, 'ada');
    await page.keyboard.press('d');
    await shows(page, 'bob');
    await page.getByRole('button', { name: 'Undo' }).click();
    await shows(page, 'ada');
    await becomes(list, { ada: 'waiting', bob: 'waiting' });
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    await page.close();
  });

  it('leaves alone who is decided by somebody else meanwhile, and keys that are meant for other pages', async () => {
    const list = await listOf('ada', 'bob');
    const page = await openReview(list, support);
    await shows(page, 'ada');
    const { id } = (await list.lookup('ada@example.com')).body;
    assert.equal((await owner.post(`/waitlists/${list.id}/entries/${id}/decline`, {})).status, 200);
    await page.getByRole('button', { name: 'Take decline back' }).waitFor();
    await page.keyboard.press('a');
    await page.keyboard.press('l');
    await shows(page, 'bob');
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.getByRole('heading', { name: 'Account' }).waitFor();
    assert.deepEqual(await statuses(list), { ada: 'declined', bob: 'waiting' });
    await page.close();
  });

  it('is of those who match a filter, and says so when there is nobody', async () => {
    const list = await listOf('ada');
    await list.signup({ email: 'eve@example.com', metadata: { plan: 'pro' } });
    const page = await openDashboard(service, `/waitlists/${list.id}/queue?where=plan%3Dpro`, {
      as: support,
    });
    await page.getByRole('link', { name: 'Review' }).click();
    await shows(page, 'eve');
    await page.getByText('1 of 1', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove the filter plan is pro' }).waitFor();
    await page.keyboard.press('a');
    await page.getByText('1 person approved.').waitFor();
    await page.getByRole('button', { name: 'Look for new signups' }).click();
    await page.getByText('Nobody to review').waitFor();
    await checkEverywhere(page, 'nobody to review');
    await page.close();
  });

  it('decides about everybody who matches a filter, and takes it back', async () => {
    const list = await listOf('ada', 'bob');
    await list.signup({ email: 'eve@example.com', metadata: { plan: 'free' } });
    const queue = `/waitlists/${list.id}/queue`;
    const filter = 'where=company%3DAnalytical%20Engines';
    const page = await openDashboard(service, `${queue}?${filter}`, { as: support });
    await page.getByRole('button', { name: 'Decide about all that match' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 people would be declined').waitFor();
    await dialog.getByLabel('Note').fill('Not this year');
    await checkEverywhere(page, 'a decision about everybody who matches');
    await list.signup({ email: 'cid@example.com', metadata: { company: 'Analytical Engines' } });
    await dialog.getByRole('button', { name: 'Decline (2 people)' }).click();
    await dialog.getByText(/3 would be declined now, not 2/).waitFor();
    page.problems.length = 0; // The browser reports the 409.
    await dialog.getByRole('button', { name: 'Decline (3 people)' }).click();
    await page.getByText('3 people are being declined').waitFor();
    await service.runJobs();
    await page.getByText('Decided about 3 people').waitFor();
    await checkEverywhere(page, 'a decision that is done');
    await becomes(list, { ada: 'declined', bob: 'declined', cid: 'declined', eve: 'waiting' });
    await page.getByRole('tab', { name: /^Declined/ }).click();
    await page.getByRole('button', { name: 'Decide about all that match' }).click();
    await page.getByRole('button', { name: 'Take declines back (3 people)' }).click();
    await page.getByText('3 people are being put back').waitFor();
    await service.runJobs();
    await becomes(list, { ada: 'waiting', bob: 'waiting', cid: 'waiting' });
    await page.close();
  });

  it('tells those who are declined by email, if that is asked for', async () => {
    const list = await listOf('ada', 'bob', 'cid');
    await owner.patch(`/waitlists/${list.id}/mail/settings`, { kinds: ['declined'] });
    const mailed = async () =>
      (await owner.get<{ mails: { to: string }[] }>(`/waitlists/${list.id}/mails`)).body.mails.map(
        ({ to }) => to,
      );
    const page = await openReview(list, support);
    await shows(page, 'ada');
    await page.getByRole('checkbox', { name: 'Email them if declined' }).click();
    await checkEverywhere(page, 'a person to review who can be told');
    await page.keyboard.press('d');
    await page.getByText('Declined ada@example.com. The email is on its way').waitFor();
    await shows(page, 'bob');
    await page.keyboard.press('d');
    await shows(page, 'cid');
    assert.deepEqual(await mailed(), ['ada@example.com']);
    const filter = 'where=company%3DAnalytical%20Engines';
    await page.goto(`/waitlists/${list.id}/queue?${filter}`);
    await page.getByRole('button', { name: 'Decide about all that match' }).click();
    await page.getByRole('checkbox', { name: /^Tell them by email/ }).click();
    await page.getByRole('button', { name: 'Decline (1 person)' }).click();
    await page.getByText('1 person is being declined').waitFor();
    await service.runJobs();
    assert.deepEqual((await mailed()).sort(), ['ada@example.com', 'cid@example.com']);
    await page.close();
  });

  it('lists declined people among all of them', async () => {
    const list = await listOf('ada', 'bob');
    const { id } = (await list.lookup('ada@example.com')).body;
    await owner.post(`/waitlists/${list.id}/entries/${id}/decline`, {});
    const page = await openDashboard(service, `/waitlists/${list.id}/queue?tab=all`, { as: support });
    await page.getByText('2 people', { exact: true }).waitFor();
    await page.getByRole('gridcell', { name: 'ada@example.com', exact: true }).waitFor();
    await page.close();
  });

  it('makes rules, after trying them on those who wait, and deletes them', async () => {
    const list = await listOf('ada');
    await list.signup({ email: 'eve@acme.com' }, { email: 'kim@acme.com' });
    const page = await openDashboard(service, `/waitlists/${list.id}/settings`, { as: owner });
    await page.getByText('No rules yet').waitFor();
    await page.getByRole('button', { name: 'Add a rule' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a rule' });
    await dialog.getByLabel('Domain of the email').fill('not a domain');
    await dialog.getByRole('button', { name: 'Add rule' }).click();
    await dialog.getByText(/Must be a domain such as acme.com/).waitFor();
    page.problems.length = 0; // The browser reports the 400.
    await dialog.getByLabel('Domain of the email').fill('acme.com');
    await dialog.getByRole('button', { name: 'Try it on those who wait' }).click();
    await dialog.getByText('2 people would have been invited').waitFor();
    await dialog.getByText('Of 3 who wait').waitFor();
    await checkEverywhere(page, 'a rule that is tried');
    assert.equal((await list.lookup('eve@acme.com')).body.status, 'waiting');
    await dialog.getByRole('button', { name: 'Add rule' }).click();
    await page.getByText('Email at acme.com').waitFor();
    await page.getByText('Added the rule').waitFor();
    await checkEverywhere(page, 'the rules of a waitlist');
    await list.signup({ email: 'lin@acme.com' });
    assert.equal((await list.lookup('lin@acme.com')).body.status, 'invited');
    await page.getByRole('button', { name: 'Delete rule' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete rule' }).click();
    await page.getByText('No rules yet').waitFor();
    await page.close();
  });

  it('is dimmed for support once the owner turns it off, keys included', async () => {
    const list = await listOf('ada');
    await owner.patch('/instance/roles', { support: { decline: false } });
    const page = await openReview(list, support);
    await shows(page, 'ada');
    const approve = page.getByRole('button', { name: /^Approve/ });
    assert.equal(await approve.getAttribute('aria-disabled'), 'true');
    await page.keyboard.press('d');
    await page.keyboard.press('l');
    await page.getByText('1 person left for later.').waitFor();
    assert.deepEqual(await statuses(list), { ada: 'waiting' });
    await owner.patch('/instance/roles', { support: { decline: true } });
    await page.close();
  });
});
