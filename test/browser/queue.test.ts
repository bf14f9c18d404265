import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { fillQueue } from '../support/crowd.ts';
import {
  checkAt,
  checkEverywhere,
  checkLayout,
  type DashboardPage,
  sizeOn,
  useDashboard,
} from '../support/dashboard.ts';
import { forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { type Browser, join, setUp } from '../support/operators.ts';
import { until } from '../support/webhooks.ts';

const MARKUP = '<img src=x onerror="document.title=1">';

const openDashboard = useDashboard();

forEachEngine('notifications', (engine) => {
  let service: Service;
  let owner: Browser;
  let viewer: Browser;
  let list: List;
  let crowd: List;
  before(async () => {
    service = await startService(engine, { startAt: Date.now(), streamTimes: { roundMs: 20 } });
    owner = await setUp(service);
    viewer = await join(service, owner, 'viewer', 'viewer@example.com');
    list = await service.waitlist({ name: 'Acme' });
    crowd = await service.waitlist({ name: 'Crowd' });
    await fillQueue(service.context, await crowd.queue(), 1_000);
  });
  after(() => service.close());

  const open = (path: string, as: Browser, size: DashboardPage['size'] = 'desktop') =>
    openDashboard(service, path, { as, size });
  const cell = (page: DashboardPage, text: string) => page.getByRole('gridcell', { name: text, exact: true });

  const size = sizeOn(engine);
  const check = checkAt(size);
  describe(`on a ${size}`, () => {
    it('shows the first signup as it happens, and opens it by keyboard', async () => {
      const first = await service.waitlist();
      const page = await open(`/waitlists/${first.id}/queue`, owner, size);
      await page.getByRole('heading', { name: 'Nobody has signed up yet' }).waitFor();
      await check(page, 'empty queue');
      await first.signup({ email: 'ada@example.com', metadata: { plan: 'pro' } });
      await cell(page, 'ada@example.com').waitFor();
      await first.signup({ email: 'grace@example.com' });
      await cell(page, 'grace@example.com').waitFor();
      await page.getByRole('tab', { name: 'Waiting 2' }).waitFor();
      await page.getByRole('tab', { name: 'All 2' }).waitFor();

      await page.getByRole('grid').focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      const drawer = page.getByRole('dialog');
      await drawer.getByRole('heading', { name: 'grace@example.com' }).waitFor();
      assert.match(page.url(), /entry=ent_/);
      await check(page, 'drawer');
      await page.goBack();
      await drawer.waitFor({ state: 'detached' });
      await page.close();
    });

    it('finds a part and a whole value, and filters by a segment', async () => {
      const people = await service.waitlist();
      await people.signup(
        { email: 'ada@example.com', metadata: { plan: 'pro' } },
        { email: 'grace@example.com', metadata: { plan: 'free' } },
        { phone: '+4915112345678', metadata: { plan: 'pro' } },
      );
      const page = await open(`/waitlists/${people.id}/queue`, owner, size);
      const search = page.getByRole('searchbox');
      await search.fill('ada');
      await search.press('Enter');
      await page.getByText('1 person', { exact: true }).waitFor();
      await cell(page, 'ada@example.com').waitFor();
      await search.fill('+49 151 12345678');
      await search.press('Enter');
      await cell(page, '+4915112345678').waitFor();
      await page.getByText('1 person', { exact: true }).waitFor();

      await search.fill('');
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Apply filter' }).click();
      await dialog.getByText('Fill in at least one condition.').waitFor();
      await dialog.getByLabel('Key').fill('plan');
      await dialog.getByLabel('Value').fill('pro');
      await dialog.getByRole('button', { name: 'Apply filter' }).click();
      await page.getByText('2 people').waitFor();
      assert.equal(await cell(page, 'grace@example.com').count(), 0);
      assert.match(page.url(), /where=plan%3Dpro/);
      await check(page, 'segment');
      await page.reload();
      await page.getByText('2 people').waitFor();
      await page.getByRole('button', { name: 'Remove the filter plan is pro' }).click();
      await cell(page, 'grace@example.com').waitFor();
      await page.close();
    });
  });

  it('jumps to any row, keeps it in place while others sign up, and loads only what it shows', async () => {
    const page = await open(`/waitlists/${crowd.id}/queue?tab=all`, owner);
    const asked: string[] = [];
    page.on('request', (request) => {
      const at = new URL(request.url()).searchParams.get('at');
      if (at !== null) asked.push(at);
    });
    await cell(page, 'crowd999@example.com').waitFor();
    await page.getByLabel('Go to row').fill('501');
    await page.getByRole('button', { name: 'Go', exact: true }).click();
    const row = cell(page, 'crowd499@example.com');
    await row.waitFor();
    const before = await row.boundingBox();
    await crowd.signup({ email: 'late@example.com' });
    await page.getByRole('button', { name: '1 new' }).waitFor();
    assert.deepEqual(await row.boundingBox(), before);
    await page.getByRole('button', { name: '1 new' }).click();
    await cell(page, 'late@example.com').waitFor();
    assert.ok(
      asked.every((at) => ['400', '500', '900', '1000'].includes(at)),
      `asked for ${asked}`,
    );
    await checkLayout(page, 'all entries');
    await page.close();
  });

  it('says that the rest of a list could not be loaded, asks once, and tries again', async () => {
    const page = await open(`/waitlists/${crowd.id}/queue?joinedAfter=1980-01-01`, owner);
    let asked = 0;
    const rest = /\/entries\?.*cursor=/;
    await page.route(rest, (route) => {
      asked += 1;
      return route.fulfill({ status: 400, json: { code: 'invalid_request', message: 'cursor: is unknown' } });
    });
    await cell(page, 'crowd0@example.com').waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    await page.getByRole('alert').getByText('The rest could not be loaded').waitFor();
    assert.equal(asked, 1);
    page.problems.length = 0; // The browser reports the 400 that we wanted.
    await check(page, 'a list that was loaded in part');
    await page.unroute(rest);
    await page.getByRole('button', { name: 'Try again' }).click();
    await cell(page, 'crowd100@example.com').waitFor();
    await page.close();
  });

  it('saves everyone who matches as CSV', async () => {
    const page = await open(`/waitlists/${list.id}/queue?where=plan%3Dgold`, owner);
    await list.signup({ email: 'gold@example.com', metadata: { plan: 'gold' } });
    await cell(page, 'gold@example.com').waitFor();
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    await page.getByText('Exporting 1 person', { exact: true }).waitFor();
    const file = await (await saving).path();
    const lines = (await readFile(file, 'utf8')).trim().split('\r\n');
    assert.equal(lines.length, 2);
    assert.match(lines[1] ?? '', /gold@example\.com/);
    await page.close();
  });

  // What does not depend on the engine.
  if (engine !== 'sqlite') return;

  it('shows who joined after the page was loaded, and before it could follow what happens', async () => {
    await list.signup({ email: 'bronze@example.com' });
    const page = await open('/instance/team', owner);
    const stream = /\/admin\/v1\/stream/;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(stream, (route) => held.then(() => route.continue()));
    await page.goto(`/waitlists/${list.id}/queue?where=plan%3Dsilver`);
    await page.getByText('Nobody matches').first().waitFor();
    await list.signup({ email: 'silver@example.com', metadata: { plan: 'silver' } });
    release();
    await cell(page, 'silver@example.com').waitFor();
    await page.close();
  });

  it('shows what people typed as text, however strange or long', async () => {
    const name = 'N'.repeat(10_000);
    await list.signup({
      email: 'hostile@example.com',
      metadata: { [MARKUP]: MARKUP, name, greeting: 'مرحبا بالعالم 👩‍🚀', nested: { a: [1, { b: MARKUP }] } },
    });
    const page = await open(`/waitlists/${list.id}/queue?column=name`, owner);
    await cell(page, 'hostile@example.com').click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText(MARKUP, { exact: true }).first().waitFor();
    await checkEverywhere(page, 'hostile metadata');
    assert.equal(await page.locator('img[src="x"]').count(), 0);
    assert.equal(await page.title(), 'Queue · Doorlist');

    await drawer.getByRole('button', { name: 'Edit' }).click();
    const json = page.getByRole('textbox', { name: 'Metadata' });
    await json.fill('{ "plan": }');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/is not JSON/).waitFor();
    await json.fill(JSON.stringify({ plan: MARKUP }));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved metadata').waitFor();
    const { body } = await list.lookup('hostile@example.com');
    assert.deepEqual(body.metadata, { plan: MARKUP });
    await page.close();
  });

  it('keeps whom it looks for out of the address', async () => {
    await list.signup({ email: 'looked-for@example.com' });
    const page = await open(`/waitlists/${list.id}/queue?tab=all`, owner);
    const box = page.getByRole('searchbox', { name: /Find people/ });
    await box.fill('looked-for@example.com');
    await box.press('Enter');
    await page.getByText('1 person', { exact: true }).waitFor();
    const address = () => new URL(page.url()).search;
    assert.equal(address(), '?tab=all');
    await page.reload();
    await cell(page, 'looked-for@example.com').click();
    await page.getByRole('dialog').waitFor();
    assert.match(address(), /^\?tab=all&entry=ent_\w+$/);
    await page.goBack();
    assert.equal(await box.inputValue(), 'looked-for@example.com');
    await page.goto(`/waitlists/${list.id}/queue?search=looked-for@example.com`);
    await page.waitForURL((url) => url.search === '');
    await page.getByText('1 person', { exact: true }).waitFor();
    await page.close();
  });

  it('removes a person, undoes it, and puts them back later; the history tells of a move', async () => {
    await list.signup({ email: 'ahead@example.com' }, { email: 'again@example.com' });
    const { id } = (await list.lookup('again@example.com')).body;
    await owner.patch(`/waitlists/${list.id}/entries/${id}`, { position: 1 });
    const page = await open(`/waitlists/${list.id}/queue?entry=${id}`, owner);
    await page.getByText(/^#1\sof [\d,]+ waiting$/).waitFor();
    await page.getByText(/^Joined as number [\d,]+, moved [\d,]+ places? earlier by an operator$/).waitFor();
    // A toast of the first time may still be there at the second.
    const becomes = (status: string) =>
      until(`it is ${status}`, async () => (await list.lookup('again@example.com')).body.status === status);
    const choose = async (action: string) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await choose('Remove…');
    await page.getByText('You can put them back for 30 days').waitFor();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Removed again@example.com').waitFor();
    await becomes('removed');
    const edit = page.getByRole('dialog').getByRole('button', { name: 'Edit' });
    await edit.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Put again@example.com back').waitFor();
    await page.getByText('Removed again@example.com').waitFor({ state: 'detached' });
    await becomes('waiting');
    await edit.waitFor();
    await choose('Remove…');
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await becomes('removed');
    await choose('Put back');
    await becomes('waiting');
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('Was moved').waitFor();
    await page.getByText(/^From \d+ to 1, by /).waitFor();
    await page.close();
  });

  it('erases a person only after their email is typed', async () => {
    await list.signup({ email: 'forget@example.com' });
    const { id } = (await list.lookup('forget@example.com')).body;
    const page = await open(`/waitlists/${list.id}/queue?search=forget%40example.com`, owner);
    await cell(page, 'forget@example.com').click();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Erase for good…' }).click();
    const erase = page.getByRole('button', { name: 'Erase for good' });
    assert.equal(await erase.isDisabled(), true);
    await page.getByText('in production').waitFor();
    await page.getByLabel(/to confirm/).fill('forget@example.com');
    await erase.click();
    await page.getByText('Erased this person').waitFor();
    assert.equal((await list.lookup('forget@example.com')).status, 404);
    await page.goto(`/waitlists/${list.id}/queue?entry=${id}`);
    const erased = page.getByRole('dialog', { name: 'Erased person' });
    await erased.getByText('Erased, with everything else about this person.').waitFor();
    assert.equal(await erased.getByRole('button', { name: 'Edit' }).count(), 0);
    await page.close();
  });

  it('says that a person is damaged, who was not erased', async () => {
    const damaged = await service.waitlist({ name: 'Damaged' });
    await damaged.signup({ email: 'damaged@example.com' });
    const { id } = (await damaged.lookup('damaged@example.com')).body;
    await service.context.db.query
      .updateTable('entry')
      .set({ person: Buffer.from('damaged') })
      .where('queue_id', '=', (await damaged.queue()).id)
      .execute();
    const page = await open(`/waitlists/${damaged.id}/queue?entry=${id}`, owner);
    const drawer = page.getByRole('dialog', { name: 'Damaged entry' });
    await drawer.getByText('is damaged and cannot be decrypted').waitFor();
    assert.equal(await drawer.getByRole('button', { name: 'Edit' }).count(), 0);
    await checkEverywhere(page, 'a damaged entry');
    await page.close();
  });

  it('masks people for viewers and offers them nothing they may not do', async () => {
    const page = await open(`/waitlists/${crowd.id}/queue`, viewer);
    await cell(page, 'c…@e….com').first().click();
    await page.getByText('Your role does not show metadata.').waitFor();
    const text = await page.locator('body').innerText();
    assert.equal(text.includes('crowd0@example.com'), false);
    assert.deepEqual(await page.getByRole('tab', { name: /History|Emails|Webhooks/ }).count(), 0);
    assert.equal(await page.getByRole('button', { name: /Invite|More actions|Edit/ }).count(), 0);
    await checkEverywhere(page, 'viewer');
    await page.keyboard.press('Escape');
    const csv = page.getByRole('button', { name: 'CSV: Only admins can export people.' });
    assert.equal(await csv.isDisabled(), true);
    await csv.focus();
    assert.equal(await page.locator('span[tabindex="0"]').count(), 0);
    assert.equal(await page.getByRole('link', { name: 'Invite people' }).count(), 0);
    await page.getByRole('searchbox', { name: 'Find a person by id' }).waitFor();
    await page.goto(`/waitlists/${crowd.id}/queue?environment=development`);
    await page.getByRole('heading', { name: 'Nobody in development yet' }).waitFor();
    assert.equal(await page.getByText('server key').count(), 0, 'they cannot create one');
    await page.close();
  });
});
