import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { type DashboardPage, useDashboard } from '../support/dashboard.ts';
import { forEachEngine, type Service, startService } from '../support/harness.ts';
import { type Browser, setUp } from '../support/operators.ts';

const openDashboard = useDashboard();

/** Every page with tabs, and what can be typed on them. */
const PAGES: { path: string; fields: Record<string, Record<string, string>> }[] = [
  {
    path: '/waitlists/ID/form',
    fields: {
      Setup: { Headline: 'Almost there' },
      Install: { 'Allowed origins': 'https://example.com' },
      Activity: {},
    },
  },
  {
    path: '/waitlists/ID/emails',
    fields: {
      Templates: {},
      Log: {},
      Delivery: {},
      Settings: { Footer: 'Acme, 1 Main Street' },
      Suppressions: {},
    },
  },
  {
    path: '/waitlists/ID/transfer',
    fields: { Import: {}, Export: { Metadata: 'plan=pro', 'Minimum referrals': '3' } },
  },
  {
    path: '/account',
    fields: {
      Profile: { Name: 'Grace B. Hopper' },
      Security: { 'Current password': 'one of many', 'New password': 'another of many' },
      Sessions: {},
    },
  },
];

// Pages do not know the engine.
forEachEngine((engine) => {
  if (engine !== 'sqlite') return;
  let service: Service;
  let owner: Browser;
  let id: string;
  before(async () => {
    service = await startService(engine);
    owner = await setUp(service);
    id = (await service.waitlist()).id;
    await owner.patch(`/waitlists/${id}/form`, { enabled: true });
  });
  after(() => service.close());

  const open = (path: string) => openDashboard(service, path.replace('ID', id), { as: owner });
  const fieldOf = (page: DashboardPage, label: string): Locator => page.getByLabel(label, { exact: true });
  const asks = (page: DashboardPage) => page.getByRole('heading', { name: 'Leave without saving?' });

  for (const { path, fields } of PAGES) {
    it(`what is typed on a tab of ${path} is still there after a look at the others`, async () => {
      const page = await open(path);
      const tabs = page.getByRole('tab');
      await tabs.first().waitFor();
      assert.deepEqual(await tabs.allInnerTexts(), Object.keys(fields), 'every tab is tried');
      for (const [tab, typed] of Object.entries(fields)) {
        await tabs.filter({ hasText: tab }).click();
        for (const [label, text] of Object.entries(typed)) await fieldOf(page, label).fill(text);
      }
      for (const [tab, typed] of Object.entries(fields)) {
        await tabs.filter({ hasText: tab }).click();
        for (const [label, text] of Object.entries(typed)) {
          await fieldOf(page, label).waitFor();
          assert.equal(await fieldOf(page, label).inputValue(), text, `${label} on ${tab}`);
        }
      }
      assert.equal(await asks(page).count(), 0);
      await page.context().close();
    });
  }

  it('asks before what was typed on a tab out of sight is lost', async () => {
    const page = await open('/waitlists/ID/form');
    await fieldOf(page, 'Headline').fill('Almost there');
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.getByRole('link', { name: 'Queue', exact: true }).click();
    await asks(page).waitFor();
    await page.getByRole('button', { name: 'Keep editing' }).click();
    await page.getByRole('button', { name: 'Environment: production' }).click();
    await page.getByRole('menuitem', { name: 'Development' }).click();
    await asks(page).waitFor();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('button', { name: 'Environment: development' }).waitFor();
    await page.getByRole('tab', { name: 'Setup' }).click();
    assert.equal(await fieldOf(page, 'Headline').inputValue(), '');
    await page.close();
  });

  it('asks before a new password is lost', async () => {
    const page = await open('/account?tab=security');
    await fieldOf(page, 'New password').fill('another of many');
    await page.getByRole('link', { name: 'Health', exact: true }).click();
    await asks(page).waitFor();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('heading', { name: 'Health', exact: true }).waitFor();
    await page.close();
  });

  it('a file that was chosen, and what came of it, stay while another tab is looked at', async () => {
    const page = await open('/waitlists/ID/transfer');
    const buffer = Buffer.from('email\nada@example.com\n');
    await fieldOf(page, 'File').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: 'Check file' }).click();
    await page.getByRole('heading', { name: 'Checking the file' }).waitFor();
    await service.runJobs();
    await page.getByRole('button', { name: /^Import 1 person/ }).waitFor();
    await page.getByRole('tab', { name: 'Export' }).click();
    await page.getByRole('button', { name: 'Export', exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Import' }).click();
    await page.getByRole('button', { name: /^Import 1 person/ }).waitFor();
    await page.getByText('people.csv').first().waitFor();
    await page.close();
  });
});
