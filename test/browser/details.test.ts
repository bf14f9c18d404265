import assert from 'node:assert/strict';
import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { checkPage, SIZES, useDashboard } from '../support/dashboard.ts';
import type { List, Service } from '../support/harness.ts';
import { type Browser, setUp } from '../support/operators.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { endpointFor, inState, startSending } from '../support/webhooks.ts';

/** Of pages whose data is tested on both engines elsewhere. */
describe('details of the dashboard', () => {
  const openDashboard = useDashboard();
  let service: Service;
  let receiver: Receiver;
  let owner: Browser;
  let list: List;
  let endpoint: string;
  before(async () => {
    service = await startSending('sqlite', { startAt: Date.now() });
    receiver = await startReceiver();
    owner = await setUp(service);
    list = await service.waitlist({ name: 'Acme' });
    const headers = { Authorization: 'Bearer 4f1d2c' };
    ({ id: endpoint } = await endpointFor(service.context, await list.queue(), `${receiver.url}/crm`, {
      headers,
    }));
    await list.signup({ email: 'ada@example.com' });
    await list.invite('ada@example.com');
    await inState(service.context, endpoint, 'delivered', 2);
  });
  after(async () => {
    await service?.close();
    await receiver?.close();
  });

  const open = (path: string, size: keyof typeof SIZES = 'desktop') =>
    openDashboard(service, path, { as: owner, size });

  it('shows every page of the installation in a low window, and the time of a record on a phone', async () => {
    const page = await open(`/waitlists/${list.id}`);
    await page.setViewportSize({ width: 1280, height: 832 });
    const link = await page.getByRole('link', { name: 'Health' }).boundingBox();
    const account = await page.getByRole('button', { name: /owner/i }).boundingBox();
    assert.ok(link && account && link.y + link.height <= account.y, 'the account covers no link');
    await page.setViewportSize(SIZES.phone);
    await page.goto('/instance/audit');
    await page
      .getByRole('row')
      .nth(1)
      .getByText(/ago|now/)
      .waitFor();
    await page.close();
  });

  it('shows its frame before its scripts run, says if they do not come, and asks for few files', async () => {
    const page = await open('/instance/team');
    const scripts = /\/assets\/(app|index)-.*\.js$/;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(scripts, (route) => held.then(() => route.abort()));
    await page.goto(`/waitlists/${list.id}`, { waitUntil: 'commit' });
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    await page.getByText('Doorlist').filter({ visible: true }).waitFor();
    release();
    await page.getByText('The dashboard could not be loaded').waitFor();
    assert.equal(await page.getByRole('status', { name: 'Loading' }).isVisible(), false);
    page.problems.length = 0; // The browser reports the scripts that we took away.
    await checkPage(page, 'the dashboard without its scripts');
    await page.unroute(scripts);
    // With the chart, which is loaded last: what came by a certain time would depend on the machine.
    for (const [path, last] of [
      ['', 'figure canvas'],
      ['/queue', 'h1'],
    ] as const) {
      const requests: string[] = [];
      const count = (request: { url: () => string }) => requests.push(new URL(request.url()).pathname);
      page.on('request', count);
      await page.goto(`/waitlists/${list.id}${path}`);
      await page.waitForLoadState('load');
      await page.locator(last).first().waitFor();
      await page.locator('.animate-pulse').first().waitFor({ state: 'detached' });
      page.off('request', count);
      assert.ok(requests.length <= 20, requests.join('\n'));
    }
    await page.close();
  });

  it('offers to reload a page whose scripts are gone', async () => {
    const page = await open('/instance/team');
    await page.route('**/assets/health-page-*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'Health' }).click();
    await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
    page.problems.length = 0; // The browser reports the script that we took away.
    await checkPage(page, 'a page that is not loaded');
    await page.unroute('**/assets/health-page-*.js');
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { name: 'Checks', exact: true }).waitFor();
    await page.close();
  });

  it('says that a waitlist does not exist, that a request failed, and that the server is gone', async () => {
    const page = await open('/waitlists/wl_nobody/queue');
    await page.getByText('There is no waitlist wl_nobody.').waitFor();
    page.problems.length = 0; // The browser reports the 404 that we wanted.
    await checkPage(page, 'an unknown waitlist');

    const asked = { people: 0, tokens: 0 };
    await page.route('**/admin/v1/operators*', (route) => {
      asked.people += 1;
      const json = { code: 'internal_error', message: 'something went wrong' };
      return asked.people > 3 ? route.continue() : route.fulfill({ status: 500, json });
    });
    await page.route('**/admin/v1/tokens*', (route) => {
      asked.tokens += 1;
      return route.fulfill({ status: 403, json: { code: 'forbidden', message: 'you need another role' } });
    });
    const people = page.getByRole('link', { name: 'Team', exact: true });
    await people.click();
    await page.getByRole('alert').getByText('Something went wrong.').waitFor();
    assert.equal(await page.locator('.animate-pulse').count(), 0);
    assert.equal(asked.people, 3);
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.getByRole('alert').getByText('You need another role.').waitFor();
    assert.equal(asked.tokens, 1);
    await people.click();
    await page.getByRole('cell', { name: /grace@example/ }).waitFor();

    const audit = '**/admin/v1/audit?*';
    await page.route(audit, async (route) => {
      if (route.request().url().includes('cursor='))
        return route.fulfill({
          status: 400,
          json: { code: 'invalid_request', message: 'cursor: is unknown' },
        });
      const response = await route.fetch();
      return route.fulfill({ response, json: { ...(await response.json()), nextCursor: 'next' } });
    });
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByRole('alert').getByText('Cursor: is unknown.').waitFor();
    await page.unroute(audit);

    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Environments' }).hover();
    await page.getByText('You are offline').waitFor();
    await page.context().setOffline(false);
    await page.route('**/admin/v1/environments*', (route) => route.abort());
    await page.getByRole('link', { name: 'Environments' }).click();
    await page.getByRole('alert').getByText('The server cannot be reached').waitFor();
    page.problems.length = 0; // The browser reports each of them.
    await checkPage(page, 'a server that is gone');
    await page.unroute('**/admin/v1/environments*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('cell', { name: 'production' }).waitFor();

    const me = '**/admin/v1/me';
    await page.route(me, (route) => route.abort());
    await page.reload();
    await page.getByRole('heading', { name: 'This page could not be shown' }).waitFor();
    await page.unroute(me);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('cell', { name: 'production' }).waitFor();
    await page.close();
  });

  it('keeps the focus of somebody who saves by keyboard, while it works, fails and is done', async () => {
    const page = await open(`/waitlists/${list.id}/settings`);
    const boost = page.getByLabel('Places per referral');
    const held = Promise.withResolvers<void>();
    await page.route(`**/waitlists/${list.id}?*`, async (route) => {
      if (route.request().method() === 'PATCH') await held.promise;
      return route.continue();
    });
    const name = page.getByLabel('Name', { exact: true });
    const before = await name.inputValue();
    await name.fill(' ');
    await page.getByRole('button', { name: 'Save changes' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('button:focus[aria-busy=true]', { hasText: 'Save changes' }).waitFor();
    await page.keyboard.press('Enter');
    held.resolve();
    await page.locator('input:focus[aria-invalid=true]').waitFor();
    await name.fill(before);
    await boost.fill('7');
    for (const button of ['Save changes', 'Discard']) {
      await page.getByRole('button', { name: button }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('You have unsaved changes').waitFor({ state: 'detached' });
      await boost.and(page.locator(':focus')).waitFor();
      await boost.fill('8');
    }
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.goto(`/waitlists/${list.id}/emails/accepted`);
    await page.getByLabel('Subject').fill('Saved by keyboard');
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await save.focus();
    await page.keyboard.press('Enter');
    await page.getByText('Template saved').waitFor();
    await page.locator('button:focus[aria-disabled=true]', { hasText: 'Save' }).waitFor();
    await page.goto(`/waitlists/${list.id}/form?tab=setup`);
    await page.getByRole('button', { name: 'Add field' }).click();
    await page.getByRole('button', { name: 'Remove field 1' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('button:focus', { hasText: 'Add field' }).waitFor();
    await page.close();
  });

  it('tells the words of a proxy from those of the server', async () => {
    const page = await open('/instance/environments');
    const says = async (answer: { status: number; body?: string }, words: string) => {
      await page.route('**/admin/v1/environments*', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<h1>nginx</h1>', ...answer }),
      );
      await page.reload();
      await page.getByRole('main').getByText(words).waitFor();
      await page.unroute('**/admin/v1/environments*');
    };
    await says({ status: 502 }, 'A proxy cannot reach Doorlist (502): try again in a moment.');
    await says({ status: 413 }, 'This is larger than a proxy in front of Doorlist allows (413).');
    const other = 'Something in front of Doorlist answered instead, such as a proxy or a sign-in page';
    await says({ status: 403 }, `${other} (403).`);
    await says({ status: 200 }, `${other}.`);
    await page.close();
  });

  it('leads from a person to their emails and deliveries', async () => {
    const page = await open(`/waitlists/${list.id}/queue?tab=all&search=ada@example.com`);
    const showTab = async (name: string) => {
      await page.getByRole('row').filter({ hasText: 'ada@example.com' }).click();
      await page.getByRole('tab', { name }).click();
    };
    await showTab('Emails');
    await page.getByRole('dialog').getByRole('link', { name: 'Invite', exact: true }).click();
    await page.waitForURL(/emails\?.*mail=evt_/);
    await page.getByRole('dialog').getByText('ada@example.com').first().waitFor();
    await page.goto(`/waitlists/${list.id}/queue?tab=all&search=ada@example.com`);
    await showTab('Webhooks');
    await page.getByText(`${receiver.url}/crm`).first().waitFor();
    await page.getByRole('link', { name: 'invite.sent' }).click();
    await page.waitForURL(new RegExp(`webhooks/${endpoint}\\?.*delivery=evt_`));
    await page.getByRole('dialog').getByRole('heading', { name: 'Attempts' }).waitFor();
    await checkPage(page, 'a delivery');
    await page.close();
  });

  it('removes the headers of an endpoint', async () => {
    const page = await open(`/waitlists/${list.id}/webhooks/${endpoint}`);
    await page.getByText('Authorization', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Sends Authorization now.').waitFor();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await checkPage(page, 'the form of an endpoint with headers');
    await dialog.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Authorization', { exact: true }).waitFor({ state: 'detached' });
    await page.close();
  });

  it('previews an email in another language, and as a person', async () => {
    const page = await open(`/waitlists/${list.id}/emails/invite?language=de`);
    const mail = page.frameLocator('iframe[src="/mail-frame"]');
    await mail.getByText('Einladung annehmen', { exact: true }).waitFor();
    const person = page.getByLabel('As this person');
    await person.fill('nobody@example.com');
    await person.press('Enter');
    await page.getByText(/no entry with this email/).waitFor();
    await page.getByText('As it was before the problem.').waitFor();
    page.problems.length = 0; // The browser reports the 404 that we wanted.
    await person.fill('ada@example.com');
    await person.press('Enter');
    await page.getByText('With their values.').waitFor();
    await page.getByText(/no entry with this email/).waitFor({ state: 'detached' });
    await checkPage(page, 'the preview');

    await page.getByRole('button', { name: 'Send test' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('with the values of ada@example.com, in German').waitFor();
    await dialog.getByRole('button', { name: 'Send test' }).click();
    await page.getByRole('button', { name: 'Show email' }).click();
    await mail.getByText('Einladung annehmen', { exact: true }).waitFor();
    await page.close();
  });

  it('says why a file cannot be imported, and only of that file', async () => {
    const people = path.join(mkdtempSync(path.join(tmpdir(), 'files-')), 'people.csv');
    writeFileSync(people, 'email\nada@example.com\n');
    utimesSync(people, 1, 1); // A browser tells seconds apart.
    const page = await open(`/waitlists/${list.id}/transfer`);
    const choose = (file: string | { name: string; mimeType: string; buffer: Buffer }) =>
      page.getByLabel('File').setInputFiles(file);
    const check = page.getByRole('button', { name: 'Check file' });
    await choose({
      name: 'one.json',
      mimeType: 'application/json',
      buffer: Buffer.from('{"email":"a@b.co"}'),
    });
    const refused = page.getByText('The file must be a JSON array of objects.');
    await refused.waitFor();
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
    await check.click();
    await refused.nth(1).waitFor();
    await choose(people);
    await page.getByText('ada@example.com').waitFor();
    assert.equal(await refused.count(), 0);
    writeFileSync(people, 'email\nada@example.com\ngrace@example.com\n');
    await check.click();
    const changed = page.getByText('The file was changed or moved after you chose it: choose it again.');
    await changed.waitFor();
    await choose(people);
    await page.getByText('ada@example.com · grace@example.com').waitFor();
    assert.equal(await changed.count(), 0);
    await choose({ name: 'header.csv', mimeType: 'text/csv', buffer: Buffer.from('email,plan\n') });
    await page.getByText('This file has no rows below its header.').waitFor();
    assert.equal(await page.getByText('Empty in the first rows').count(), 0);
    await choose({ name: 'half.csv', mimeType: 'text/csv', buffer: Buffer.from('email,plan\na@b.co,\n') });
    await page.getByText('Empty in the first rows').waitFor();
    page.problems.length = 0; // The browser reports the refusals.
    await page.close();
  });

  it('imports columns as chosen', async () => {
    const page = await open(`/waitlists/${list.id}/transfer`);
    await page.getByLabel('File', { exact: true }).setInputFiles({
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('Who;Note\nmary@example.com;kept private\n'),
    });
    const choose = async (column: string, field: string) => {
      await page.getByRole('combobox', { name: `Import ${column} as` }).click();
      await page.getByRole('option', { name: field, exact: true }).click();
    };
    await choose('Who', 'Email');
    await choose('Note', 'Skip');
    await checkPage(page, 'columns');
    await page.getByRole('button', { name: 'Check file' }).click();
    await page.getByRole('heading', { name: 'Checking the file' }).waitFor();
    await service.runJobs();
    await page.getByRole('button', { name: 'Import 1 person into production' }).click();
    await page.getByRole('progressbar', { name: 'Rows' }).waitFor();
    await service.runJobs();
    await page.getByText('Added', { exact: true }).waitFor();
    assert.deepEqual((await list.lookup('mary@example.com')).body.metadata, null);
    await page.close();
  });
});
