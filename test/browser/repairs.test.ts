import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { checkEverywhere, type DashboardPage, useDashboard } from '../support/dashboard.ts';
import { type List, type Service, startService } from '../support/harness.ts';
import { type Browser, join, setUp } from '../support/operators.ts';

/** Of pages whose data is tested on both engines elsewhere. */
describe('what is stored about a person, in the dashboard', () => {
  const openDashboard = useDashboard();
  let service: Service;
  let support: Browser;
  let list: List;
  before(async () => {
    service = await startService('sqlite', { startAt: Date.now() });
    const owner = await setUp(service);
    support = await join(service, owner, 'support', 'support@example.com');
    list = await service.waitlist({ name: 'Acme' });
    await list.signup(
      { email: 'grace@example.com' },
      { email: 'adda@example.com' },
      { email: 'bob@example.com' },
    );
  });
  after(() => service?.close());

  const ask = async (email: string, item: string): Promise<DashboardPage> => {
    const { id } = (await list.lookup(email)).body;
    const page = await openDashboard(service, `/waitlists/${list.id}/queue?entry=${id}`, { as: support });
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: item }).click();
    return page;
  };
  const save = (page: DashboardPage) => page.getByRole('button', { name: 'Save', exact: true }).click();

  it('gets another email and phone, with what is wrong at its field', async () => {
    const page = await ask('adda@example.com', 'Change email or phone…');
    const dialog = page.getByRole('dialog', { name: 'Change email or phone' });
    await dialog.getByLabel('Email', { exact: true }).fill('bob@example.com');
    await dialog.getByLabel('Phone').fill('+14155550123');
    await dialog.getByText('They must confirm the new email').waitFor();
    await save(page);
    await dialog.getByText(/^Already belongs to ent_\w+, which is waiting/).waitFor();
    page.problems.length = 0; // The browser reports the 409.
    await checkEverywhere(page, 'an email that somebody else has');
    await dialog.getByLabel('Email', { exact: true }).fill('ada@example.com');
    await save(page);
    await page.getByText('Saved how to reach this person').waitFor();
    const { email, phone } = (await list.lookup('ada@example.com')).body;
    assert.deepEqual([email, phone], ['ada@example.com', '+14155550123']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { name: 'adda@example.com' }).waitFor();
    assert.equal((await list.lookup('adda@example.com')).body.phone, null);
    await page.close();
  });

  it('gets another referrer, or none', async () => {
    const page = await ask('bob@example.com', 'Change the referrer…');
    const dialog = page.getByRole('dialog', { name: 'Change the referrer' });
    await dialog.getByLabel('Referred by').fill('nobody@example.com');
    await save(page);
    await dialog.getByText(/nobody on the waitlist has this email/i).waitFor();
    page.problems.length = 0; // The browser reports the 400.
    await checkEverywhere(page, 'a referrer who is not on the waitlist');
    await dialog.getByLabel('Referred by').fill('grace@example.com');
    await save(page);
    await page.getByText('Saved the referrer', { exact: true }).waitFor();
    assert.equal((await list.lookup('grace@example.com')).body.referrals, 1);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Saved the referrer', { exact: true }).waitFor({ state: 'hidden' });
    await page.close();
  });

  it('is confirmed anew if wanted', async () => {
    const page = await ask('grace@example.com', 'Change email or phone…');
    const dialog = page.getByRole('dialog', { name: 'Change email or phone' });
    await dialog.getByLabel('Email', { exact: true }).fill('grace@example.org');
    await dialog.getByText('They must confirm the new email').click();
    await checkEverywhere(page, 'an email to confirm');
    await save(page);
    await page.getByText('Saved how to reach this person').waitFor();
    assert.equal((await list.lookup('grace@example.org')).body.status, 'pending');
    await page.close();
  });

  it('is merged with another entry, after a preview', async () => {
    await list.signup({ email: 'mia@example.com', phone: '+14155550177' }, { email: 'mia@example.org' });
    const page = await ask('mia@example.org', 'Merge with another entry…');
    const dialog = page.getByRole('dialog', { name: 'Merge with another entry' });
    const other = dialog.getByLabel('The other entry');
    const preview = () => dialog.getByRole('button', { name: 'Preview' }).click();
    await other.fill('nobody@example.com');
    await preview();
    await dialog.getByText('Nobody on this waitlist has this.').waitFor();
    await other.fill('mia@example.org');
    await preview();
    await dialog.getByText('That is this entry itself.').waitFor();
    await other.fill('mia@example.com');
    await preview();
    await dialog.getByText('+14155550177').waitFor();
    await checkEverywhere(page, 'a merge');
    await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
    await page.getByText('Merged mia@example.com into this entry').waitFor();
    assert.equal((await list.lookup('mia@example.org')).body.phone, '+14155550177');
    assert.equal((await list.lookup('mia@example.com')).status, 404);
    await page.close();
  });
});
