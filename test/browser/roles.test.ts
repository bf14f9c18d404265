import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { checkEverywhere, type DashboardPage, useDashboard } from '../support/dashboard.ts';
import { eventually, type List, type Service, startService } from '../support/harness.ts';
import { type Browser, join, setUp } from '../support/operators.ts';

const ADA = 'ada@example.com';

/** Of pages whose data is tested on both engines elsewhere. */
describe('what support may do, in the dashboard', () => {
  const openDashboard = useDashboard();
  let service: Service;
  let owner: Browser;
  let admin: Browser;
  let support: Browser;
  let list: List;
  before(async () => {
    service = await startService('sqlite', { startAt: Date.now() });
    owner = await setUp(service);
    admin = await join(service, owner, 'admin', 'admin@example.com');
    support = await join(service, owner, 'support', 'support@example.com');
    list = await service.waitlist({ name: 'Acme' });
    await list.signup(
      { email: ADA, metadata: { plan: 'pro' } },
      { email: 'bob@example.com' },
      { email: 'eve@example.com' },
    );
  });
  after(() => service?.close());

  const entryId = async (email: string) => {
    const path = `/waitlists/${list.id}/entries?search=${encodeURIComponent(email)}`;
    const { body } = await owner.get<{ entries: { id: string }[] }>(path);
    return body.entries[0]?.id ?? assert.fail('nobody was found');
  };
  const openPerson = async (as: Browser, email = ADA): Promise<DashboardPage> => {
    const page = await openDashboard(service, `/waitlists/${list.id}/queue?entry=${await entryId(email)}`, {
      as,
    });
    await page.getByRole('button', { name: 'More actions' }).waitFor();
    return page;
  };
  const turn = (changes: object) => owner.patch('/instance/roles', { support: changes });

  it('is chosen by the owner under Team, and seen by admins', async () => {
    const page = await openDashboard(service, '/instance/team', { as: owner });
    const move = page.getByRole('switch', { name: /^Move/ });
    await move.click();
    await page.getByText('Move is off for support').waitFor();
    assert.equal(await move.isChecked(), false);
    await checkEverywhere(page, 'the team');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Move is on for support').waitFor();
    await page.close();
    const seen = await openDashboard(service, '/instance/team', { as: admin });
    await seen.getByText('Only owners can change this.').waitFor();
    assert.equal(await seen.getByRole('switch', { name: /^Move/ }).isDisabled(), true);
    await seen.close();
  });

  it('dims what is for admins alone, and says so', async () => {
    const page = await openPerson(support);
    await page.getByRole('button', { name: 'More actions' }).click();
    const item = (name: RegExp) => page.getByRole('menuitem', { name });
    await item(/^Move…$/).waitFor();
    for (const [name, why] of [
      [/^Export as JSON/, 'Only admins can export people.'],
      [/^Erase for good/, 'Only admins can erase people.'],
    ] as const) {
      assert.equal(await item(name).getAttribute('aria-disabled'), 'true');
      assert.ok((await item(name).innerText()).includes(why), why);
    }
    await checkEverywhere(page, 'the menu of support');
    await page.close();
  });

  it('dims what the owner has turned off, and says so', async () => {
    await turn({ move: false, remove: false, repair: false });
    const page = await openPerson(support);
    const edit = page.getByRole('button', { name: 'Edit: The owner has turned this off for support.' });
    assert.equal(await edit.getAttribute('aria-disabled'), 'true');
    await edit.hover();
    await page.getByText('The owner has turned this off for support.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    for (const name of [/^Move…/, /^Remove…/]) {
      const item = page.getByRole('menuitem', { name });
      assert.equal(await item.getAttribute('aria-disabled'), 'true');
      assert.match(await item.innerText(), /The owner has turned this off for support\./);
    }
    await checkEverywhere(page, 'the menu of support without duties');
    await page.close();
    await turn({ move: true, remove: true, repair: true });
  });

  it('moves and removes people', async () => {
    const page = await openPerson(support, 'eve@example.com');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Move…', exact: true }).click();
    await page.getByLabel('New position').fill('1');
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByText('Moved to position 1').waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Removed eve@example.com').waitFor();
    await page.close();
  });

  it('asks for erasures, which an admin confirms or refuses', async () => {
    const asking = await openPerson(support);
    await asking.getByRole('button', { name: 'More actions' }).click();
    await asking.getByRole('menuitem', { name: 'Ask an admin to erase…' }).click();
    await asking.getByLabel('Reason').fill('Asked for it by phone.');
    await checkEverywhere(asking, 'asking for an erasure');
    await asking.getByRole('button', { name: 'Ask', exact: true }).click();
    await asking.getByText(`Asked to erase ${ADA}`).waitFor();
    await asking.getByText('Erasure requested').waitFor();
    assert.equal(
      await asking
        .getByRole('button', { name: 'Erase…: Only admins can decide this.' })
        .getAttribute('aria-disabled'),
      'true',
    );
    await checkEverywhere(asking, 'a person whose erasure support asked for');
    await asking.close();

    const page = await openDashboard(service, `/waitlists/${list.id}/queue`, { as: admin });
    await page.getByText('1 erasure requested').waitFor();
    await checkEverywhere(page, 'a queue with an erasure to decide');
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByText(/Asked for it by phone/).waitFor();
    await page.getByRole('button', { name: 'Refuse…' }).click();
    await page.getByRole('button', { name: 'Refuse', exact: true }).click();
    await page.getByText('Refused the request').waitFor();
    await page.getByText('Erasure requested').waitFor({ state: 'detached' });
    await page.close();

    for (const email of [ADA, 'bob@example.com'])
      await support.post(`/waitlists/${list.id}/entries/${await entryId(email)}/erasure-request`, {});
    const again = await openDashboard(service, `/waitlists/${list.id}/queue`, { as: admin });
    await again.getByText('2 erasures requested').waitFor();
    await again.getByRole('button', { name: 'Review' }).click();
    await checkEverywhere(again, 'the list of erasures');
    await again.getByRole('button', { name: `Open ${ADA}` }).click();
    await again.getByRole('button', { name: 'Erase…' }).click();
    await again.getByRole('textbox').last().fill(ADA);
    await again.getByRole('button', { name: 'Erase for good' }).click();
    await again.getByText('Erased this person').waitFor();
    const { body } = await owner.get<{ open: number }>(`/waitlists/${list.id}/erasure-requests`);
    assert.equal(body.open, 1);
    await eventually(
      () => again.getByText('1 erasure requested').count(),
      (count) => count === 1,
    );
    await again.close();
  });
});
