import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { checkEverywhere, useDashboard } from '../support/dashboard.ts';
import { forEachEngine, type Service, startService } from '../support/harness.ts';
import { type Browser, join, setUp } from '../support/operators.ts';

const openDashboard = useDashboard();

forEachEngine((engine) => {
  let service: Service;
  let owner: Browser;
  before(async () => {
    service = await startService(engine);
    owner = await setUp(service);
  });
  after(() => service.close());

  it('shows commands that find this installation, and tells strangers nothing about it', async () => {
    const directory = service.storage.environment.DOORLIST_DATA_DIR ?? '';
    assert.ok(directory.startsWith('/'), directory);
    const command = `DOORLIST_DATA_DIR=${directory} npm run -s doorlist --`;
    const page = await openDashboard(service, '/waitlists', { as: owner });
    await page.getByText(`${command} waitlist create`).waitFor();
    const { id } = await service.waitlist();
    await page.goto(`/waitlists/${id}`);
    await page.getByText(`${command} key create`).waitFor();
    const same = page.getByText('In a terminal with the same DATABASE_URL');
    assert.equal(await same.count(), engine === 'sqlite' ? 0 : 1);
    assert.doesNotMatch(await page.content(), /postgres:\/\//);
    await page.goto(`/waitlists/${id}/transfer`);
    await page.getByText(`${command} import people.csv --waitlist ${id}`).waitFor();
    await page.goto(`/waitlists/${id}/emails`);
    await page.getByText('Set one up').click();
    await page.getByText(`DOORLIST_DATA_DIR=${directory}`).waitFor();
    await page.getByText(/npm start$/).waitFor();
    await checkEverywhere(page, 'how to set up a mail server');

    const stranger = await openDashboard(service, '/forgot-password');
    await stranger.getByLabel('Email').fill('nobody@example.com');
    await stranger.getByRole('button', { name: /link/ }).click();
    await stranger.getByText('npm run -s doorlist -- operator reset').waitFor();
    assert.ok(!(await stranger.content()).includes(directory));
    await stranger.close();
    const support = await join(service, owner, 'support', 'ada@example.com');
    await page.context().clearCookies();
    for (const [name, value] of support.cookies)
      await page.context().addCookies([{ name, value, url: service.url }]);
    await page.goto(`/waitlists/${id}`);
    await page.getByText('$(npm run -s doorlist -- key create').waitFor();
    assert.ok(!(await page.content()).includes(directory));
    await page.close();
  });
});
