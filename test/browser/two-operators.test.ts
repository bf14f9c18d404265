import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { checkEverywhere, useDashboard } from '../support/dashboard.ts';
import { forEachEngine, type Service, startService } from '../support/harness.ts';
import { type Browser, PASSWORD, setUp } from '../support/operators.ts';
import { clockOf } from '../support/windows.ts';

const openDashboard = useDashboard();

// Pages do not know the engine.
forEachEngine((engine) => {
  if (engine !== 'sqlite') return;
  let service: Service;
  let owner: Browser;
  before(async () => {
    service = await startService(engine);
    owner = await setUp(service);
  });
  after(() => service.close());

  it('keeps what somebody else changes in settings that are open here', async () => {
    const { id } = await service.waitlist();
    const page = await openDashboard(service, `/waitlists/${id}/settings`, { as: owner });
    const boost = page.getByLabel('Places per referral');
    await page.getByLabel('Name').fill('Named here');
    await owner.patch(`/waitlists/${id}`, { boost: 42, name: 'Named elsewhere' });
    await page.getByRole('button', { name: 'Close waitlist', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close waitlist' }).click();
    await page.getByRole('button', { name: 'Open waitlist', exact: true }).waitFor();
    assert.equal(await boost.inputValue(), '42', 'what is not edited follows');
    assert.equal(await page.getByLabel('Name').inputValue(), 'Named here');
    assert.equal(await page.getByText('gets a new position').count(), 0);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('definition').filter({ hasText: 'Named elsewhere' }).waitFor();
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await page.getByText('Saved your changes').waitFor();
    const { body } = await owner.get<{ boost: number; name: string }>(`/waitlists/${id}`);
    assert.deepEqual([body.boost, body.name], [42, 'Named here']);

    await owner.patch(`/waitlists/${id}`, { boost: 43 });
    await page.getByRole('button', { name: 'Open waitlist', exact: true }).click();
    await page.getByRole('button', { name: 'Close waitlist', exact: true }).waitFor();
    assert.equal(await boost.inputValue(), '43');
    assert.equal(await page.getByText('You have unsaved changes').count(), 0, 'nothing was edited here');
    await page.close();
  });

  it('saves only what was edited in a plan, an endpoint and alerts', async () => {
    const { id } = await service.waitlist();
    const wave = `/waitlists/${id}/waves/${(await owner.post<{ id: string }>(`/waitlists/${id}/waves`, { name: 'Trickle', keepOpen: 3 })).body.id}`;
    const page = await openDashboard(service, `/waitlists/${id}/waves`, { as: owner });
    const dialog = page.getByRole('dialog');
    const edit = page.getByRole('button', { name: 'Edit', exact: true });
    await clockOf(page).install();
    await page.goto(wave);
    await edit.click();
    await dialog.getByLabel('Name').fill('Renamed here');
    await owner.patch(wave, { keepOpen: 50 });
    await page.clock.fastForward(20_000);
    await page.getByText('Keeps 50 invites open.').waitFor();
    await dialog.getByRole('button', { name: 'Save plan' }).click();
    await page.getByRole('heading', { level: 1, name: 'Renamed here' }).waitFor();
    assert.equal((await owner.get<{ keepOpen: number }>(wave)).body.keepOpen, 50);

    const hooks = `/waitlists/${id}/webhooks`;
    const { body: hook } = await owner.post<{ id: string }>(hooks, { url: 'https://example.com/hook' });
    await page.goto(`${hooks}/${hook.id}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await dialog.getByLabel('Description').fill('For the shop');
    await owner.patch(`${hooks}/${hook.id}`, { rateLimit: 9 });
    await dialog.getByRole('button', { name: 'Save changes' }).click();
    await dialog.getByRole('button', { name: 'Save mine too' }).click();
    await page.getByText('For the shop').waitFor();
    assert.equal((await owner.get<{ rateLimit: number }>(`${hooks}/${hook.id}`)).body.rateLimit, 9);

    await page.goto('/instance/health');
    await page.getByRole('button', { name: 'Set up' }).click();
    await dialog.getByLabel('Webhook URL').fill('https://example.com/alerts');
    await owner.patch('/health/alerts', { emails: true });
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByRole('button', { name: 'Save mine too' }).click();
    await page.getByText('Owners and admins get no email').waitFor();
    await page.close();
  });

  it('keeps what somebody else changes in metadata that is open here', async () => {
    const list = await service.waitlist();
    await list.signup({ email: 'ada@example.com', metadata: { plan: 'free', city: 'Rome', age: 3 } });
    const { body } = await owner.get<{ entries: { id: string }[] }>(`/waitlists/${list.id}/entries`);
    const entry = `/waitlists/${list.id}/entries/${body.entries[0]?.id}`;
    const stored = async () => (await owner.get<{ metadata: unknown }>(entry)).body.metadata;
    const page = await openDashboard(service, `/waitlists/${list.id}/queue?entry=${body.entries[0]?.id}`, {
      as: owner,
    });
    const editor = page.getByRole('dialog', { name: 'Edit metadata' });
    const field = editor.getByLabel('Metadata');
    const save = editor.getByRole('button', { name: 'Save' });
    const shown = async () => JSON.parse(await field.inputValue());
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await field.fill('{ "plan": "pro", "city": "Rome" }');
    await owner.patch(entry, { metadata: { plan: 'free', city: 'Oslo', age: 3, source: 'news' } });
    await save.click();
    await editor
      .getByText('Changes to city and source are included here. Save again to keep both.')
      .waitFor();
    assert.deepEqual(await shown(), { plan: 'pro', city: 'Oslo', source: 'news' });
    assert.deepEqual(await stored(), { plan: 'free', city: 'Oslo', age: 3, source: 'news' });
    await checkEverywhere(page, 'metadata that was changed meanwhile');
    await save.click();
    await editor.waitFor({ state: 'detached' });
    assert.deepEqual(await stored(), { plan: 'pro', city: 'Oslo', source: 'news' });

    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await field.fill('{ "plan": "team", "city": "Oslo", "source": "news" }');
    await owner.patch(entry, { metadata: { plan: 'none' } });
    await save.click();
    await editor
      .getByText('Changes to city and source are included here. Your plan is still here.')
      .waitFor();
    assert.deepEqual(await shown(), { plan: 'team' });
    await editor.getByRole('button', { name: 'Discard my changes' }).click();
    assert.deepEqual(await shown(), { plan: 'none' });
    await editor.getByRole('button', { name: 'Cancel' }).click();
    await page.close();
  });

  it('keeps what was changed elsewhere in a profile that is open here', async () => {
    const page = await openDashboard(service, '/account', { as: owner });
    await clockOf(page).install();
    await page.reload();
    await page.getByLabel('Name').fill('Named here');
    await owner.patch('/me', { email: 'moved@example.com', password: PASSWORD });
    await page.clock.fastForward(20_000);
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    await page.locator('input[value="moved@example.com"]').waitFor();
    assert.equal(await page.getByLabel('Name').inputValue(), 'Named here');
    assert.equal(await page.getByLabel('Current password').count(), 0, 'the email is not edited');

    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved your changes').waitFor();
    await page.getByLabel('Email').fill('again@example.com');
    await page.getByLabel('Current password').fill(PASSWORD);
    await owner.patch('/me', { name: 'Named elsewhere' });
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByLabel('Current password').waitFor({ state: 'detached' });
    const { body } = await owner.get<{ operator: { name: string; email: string } }>('/me');
    assert.deepEqual([body.operator.name, body.operator.email], ['Named elsewhere', 'again@example.com']);
    assert.equal(await page.getByLabel('Name').inputValue(), 'Named elsewhere');
    await page.close();
  });
});
