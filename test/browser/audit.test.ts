import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { checkAt, sizeOn, useDashboard } from '../support/dashboard.ts';
import { forEachEngine, type Service, startService } from '../support/harness.ts';
import { type Browser, setUp } from '../support/operators.ts';

const openDashboard = useDashboard();

forEachEngine((engine) => {
  let service: Service;
  let owner: Browser;
  before(async () => {
    service = await startService(engine, { startAt: Date.now() });
    owner = await setUp(service);
  });
  after(() => service.close());

  const size = sizeOn(engine);
  const check = checkAt(size);

  it('tells the check of a file from an import', async () => {
    const list = await service.waitlist();
    const upload = (query: string) =>
      owner.request('POST', `/admin/v1/waitlists/${list.id}/imports${query}`, {
        rawBody: 'email\nada@example.com\n',
        headers: { 'content-type': 'text/csv' },
      });
    for (const query of ['?dryRun=true', '']) assert.equal((await upload(query)).status, 202);
    const page = await openDashboard(service, '/instance/audit?action=entries.imported', {
      as: owner,
      size,
    });
    const rows = page.getByRole('row');
    await rows.nth(2).waitFor();
    assert.deepEqual(
      [
        await rows.nth(1).getByRole('button').innerText(),
        await rows.nth(2).getByRole('button').innerText(),
      ].map((text) => text.split('\n')[0]),
      ['Imported people', 'Checked an import file'],
    );
    await rows.nth(2).getByRole('button').click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Checked an import file' }).waitFor();
    await check(page, 'the check of a file');
    await page.close();
  });
});
