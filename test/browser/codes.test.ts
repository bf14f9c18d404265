import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { checkAt, checkLayout, sizeOn, useDashboard } from '../support/dashboard.ts';
import { forEachEngine, type Service, startService } from '../support/harness.ts';
import { type Browser, join, setUp } from '../support/operators.ts';
import { unique } from '../support/storage.ts';

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

  it(`creates a code, sees who came with it, edits and deletes it, on a ${size}`, async () => {
    const list = await service.waitlist();
    const text = unique('FRIENDS-').slice(0, 24);
    const page = await openDashboard(service, `/waitlists/${list.id}/codes`, { as: owner, size });
    await page.getByRole('heading', { name: 'No codes yet' }).waitFor();
    await check(page, 'no codes');
    await page.getByRole('button', { name: 'Create code' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Code').fill('no');
    await dialog.getByRole('button', { name: 'Create code' }).click();
    await dialog.getByText('Must be 4 to 30 letters').waitFor();
    page.problems.length = 0; // That it was refused.
    await dialog.getByLabel('Code').fill(text);
    await dialog.getByLabel('Limit').fill('2');
    await dialog.getByLabel('Tag').fill('podcast');
    await dialog.getByLabel('Last day').fill('2099-12-31');
    await check(page, 'the form of a code');
    await dialog.getByRole('button', { name: 'Create code' }).click();
    await dialog.getByText('Nobody yet').waitFor();
    await dialog.getByText(`/join/${text}`).waitFor();
    const accepted = await service.accept(text, { body: { email: 'grace.brewster@example.com' } });
    assert.equal(accepted.status, 200, accepted.text);
    await dialog.getByText('grace.brewster@example.com').waitFor();
    await dialog.getByText('1 of 2 used').waitFor();
    await check(page, 'a code and its people');
    await dialog.getByRole('button', { name: /grace.brewster/ }).click();
    await dialog.getByRole('heading', { name: 'grace.brewster@example.com' }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.getByText('Who came with it').first().waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    const actions = page.getByRole('button', { name: `Actions for ${text}` });
    await actions.click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    assert.equal(await dialog.getByLabel('Last day').inputValue(), '2099-12-31');
    await dialog.getByLabel('Limit').fill('1');
    await dialog.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('row', { name: /1 of 1/ }).waitFor();
    await checkLayout(page, 'codes');
    await actions.click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await dialog.getByRole('button', { name: 'Delete code' }).click();
    await page.getByRole('heading', { name: 'No codes yet' }).waitFor();
    await page.close();
  });

  it('creates a code that puts people further ahead, and shows who came with it and why they are there', async () => {
    const list = await service.waitlist();
    await list.signup({ email: 'ada@example.com' }, { email: 'grace@example.com' });
    const text = unique('AHEAD-').slice(0, 24);
    const page = await openDashboard(service, `/waitlists/${list.id}/codes`, { as: owner, size });
    await page.getByRole('button', { name: 'Create code' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Code').fill(text);
    await dialog.getByRole('combobox', { name: 'What it does' }).click();
    await page.getByRole('option', { name: 'Puts people further ahead in line' }).click();
    await dialog.getByLabel('Places').fill('40');
    await dialog.getByLabel('Limit').fill('3');
    await check(page, 'the form of a code that puts people further ahead');
    await dialog.getByRole('button', { name: 'Create code' }).click();
    await dialog.getByText('counts as having joined 40 places earlier', { exact: false }).waitFor();
    await list.signup({ email: 'kim@example.com', code: text });
    await dialog.getByRole('button', { name: /kim@example/ }).click();
    await dialog.getByText(`code ${text}: 40 places earlier`, { exact: false }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.getByText('1 of 3 used').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('row', { name: new RegExp(text) }).waitFor();
    await check(page, 'codes that do different things');
    await page.close();
  });

  it('shows a form what somebody else changed meanwhile, and viewers neither codes nor buttons', async () => {
    const list = await service.waitlist();
    const codes = `/waitlists/${list.id}/codes`;
    const { body: code } = await owner.post<{ id: string; code: string }>(codes, { limit: 5, tag: 'fair' });
    const page = await openDashboard(service, codes, { as: owner });
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: `Actions for ${code.code}` }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    await dialog.getByLabel('Limit').fill('7');
    await owner.patch(`${codes}/${code.id}`, { limit: 9 });
    await dialog.getByRole('button', { name: 'Save changes' }).click();
    await dialog.getByText('Somebody else', { exact: false }).first().waitFor();
    page.problems.length = 0; // That it was refused.
    await page.close();
    const viewer = await join(service, owner, 'viewer', `${unique('v')}@example.com`);
    const seen = await openDashboard(service, codes, { as: viewer });
    await seen.getByRole('row', { name: /Hidden code.*0 of 9/ }).waitFor();
    assert.equal(await seen.getByRole('button', { name: 'Create code' }).count(), 0);
    assert.equal(await seen.getByText(code.code).count(), 0);
    await seen.close();
  });
});
