import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { createWave } from '../../src/waitlist/waves/change-waves.ts';
import { crowdEmail, fillQueue } from '../support/crowd.ts';
import { checkAt, checkLayout, sizeOn, useDashboard } from '../support/dashboard.ts';
import { forEachEngine, type Service, startService } from '../support/harness.ts';
import { type Browser, join, setUp } from '../support/operators.ts';

const openDashboard = useDashboard();

interface Wave {
  id: string;
  quotas: unknown[];
  schedule: unknown;
}

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

  it(`plans a wave, sees what it will do, pauses, resumes and stops it, on a ${size}`, async () => {
    const list = await service.waitlist();
    await fillQueue(service.context, await list.queue(), 20);
    const page = await openDashboard(service, `/waitlists/${list.id}/waves`, { as: owner, size });
    await page.getByRole('heading', { name: 'No waves yet' }).waitFor();
    await page.getByRole('button', { name: 'Plan a wave' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Invites each time').fill('5');
    await dialog.getByText('What it would do').waitFor();
    await dialog.getByText('Up to 5').first().waitFor();
    await dialog.getByText('Invites are not emailed: no mail server').waitFor();
    await dialog.getByRole('button', { name: 'Create wave' }).click();
    await dialog.getByText('Must be 1 to 100 characters').waitFor();
    page.problems.length = 0; // That it was refused.
    await dialog.getByLabel('Name').fill('Weekday mornings');
    await dialog.getByLabel('Until this many have joined').fill('12');
    await dialog.getByRole('combobox', { name: 'Who' }).click();
    await page.getByRole('option', { name: 'Divided by quotas' }).click();
    await dialog.getByLabel('Metadata key 1').fill('plan');
    await dialog.getByLabel('Value 1').fill('pro');
    await dialog.getByText('30% for everyone else.').waitFor();
    await check(page, 'the form of a wave');
    await dialog.getByRole('button', { name: 'Create wave' }).click();
    await page.getByRole('heading', { level: 1, name: 'Weekday mornings' }).waitFor();
    await page
      .getByText('Up to 5 each weekday at 09:00, UTC. 70%: plan is pro; 30%: everyone else.')
      .waitFor();
    await page.getByText('Unknown').first().waitFor();
    await page.getByText('Invites are not emailed: no mail server').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    assert.equal(await dialog.getByLabel('Until this many have joined').inputValue(), '12');
    assert.equal(await dialog.getByLabel('Value 1').inputValue(), 'pro');
    await dialog.getByLabel('Invites each time').fill('7');
    await dialog.getByLabel('Percent 1').fill('60');
    await check(page, 'the editor of a wave');
    await dialog.getByRole('button', { name: 'Save plan' }).click();
    await page
      .getByText('Up to 7 each weekday at 09:00, UTC. 60%: plan is pro; 40%: everyone else.')
      .waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Nothing until it is resumed.').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Stop the wave' }).click();
    await page.getByText('This wave is over.').waitFor();
    await page.getByRole('link', { name: 'Waves' }).last().click();
    await page.getByRole('row', { name: /Weekday mornings .*Stopped/ }).waitFor();
    await checkLayout(page, 'waves');
    await page.close();
  });

  it('edits whom a wave invites, and keeps conditions that it has no fields for', async () => {
    const list = await service.waitlist();
    const waves = `/waitlists/${list.id}/waves`;
    const segment = { where: ['plan=pro', 'team=7'] };
    const create = async (who: object) =>
      (await owner.post<Wave>(waves, { name: 'Pro first', keepOpen: 2, ...who })).body;
    const narrow = await create({ segment });
    const mornings = { repeat: 'daily', date: '2099-01-01', time: '09:00', timeZone: 'UTC' };
    const later = { keepOpen: null, schedule: mornings };
    const divided = await create({ ...later, quotas: [{ percent: 50, segment }] });
    const page = await openDashboard(service, `${waves}/${narrow.id}`, { as: owner });
    const dialog = page.getByRole('dialog');
    const save = dialog.getByRole('button', { name: 'Save plan' });
    await page.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('Value').last().fill('8');
    await save.click();
    await page.getByText('Only people who match: plan is pro · team is 8.').waitFor();
    await page.goto(`${service.url}${waves}/${divided.id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByRole('combobox', { name: 'Who' }).getByText('50%: plan is pro · team is 7').waitFor();
    await dialog.getByLabel('Name').fill('Half for them');
    await save.click();
    await page.getByRole('heading', { level: 1, name: 'Half for them' }).waitFor();
    await page.getByText('Everyone every day from 2099-01-01 at 09:00, UTC.').waitFor();
    const { quotas, schedule } = (await owner.get<Wave>(`${waves}/${divided.id}`)).body;
    assert.deepEqual([quotas, schedule], [divided.quotas, mornings]);
    await page.close();
  });

  it('says why nobody is invited: enough are open, no places or nobody left', async () => {
    const list = await service.waitlist();
    const { context } = service;
    const queue = await list.queue();
    const daily = { repeat: 'daily', time: '09:00', timeZone: 'Asia/Tokyo' } as const;
    const { id: trickle } = await createWave(context, queue, { name: 'Trickle', keepOpen: 1 });
    const { id: mornings } = await createWave(context, queue, { name: 'Mornings', schedule: daily });
    const page = await openDashboard(service, `/waitlists/${list.id}/waves`, { as: owner, size });
    const show = (id: string) => page.goto(`/waitlists/${list.id}/waves/${id}`);
    await page.getByText('Keeps 1 invite open', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Plan a wave' }).click();
    await page.getByRole('dialog').getByText('Nobody left').waitFor();
    await page.getByLabel('Until this many have joined').fill('1');
    await page.getByRole('dialog').getByText('Nobody left').waitFor();
    await page.getByRole('dialog').getByRole('tab', { name: 'Keep invites open' }).click();
    await page.getByRole('dialog').getByText('Nobody is left to invite right now.').waitFor();
    await show(trickle);
    await page.getByText('Keeps 1 invite open.').waitFor();
    await page.getByText('Nobody is left to invite right now.').waitFor();
    await check(page, 'a wave without people');
    await show(mornings);
    await page.getByRole('row', { name: /9:00\sAM Nobody left –/ }).waitFor();
    await page.getByText('Times in Asia/Tokyo.').waitFor();
    await check(page, 'a plan without people');

    await list.invite('guest@example.com');
    await list.signup({ email: 'ada@example.com' });
    await show(trickle);
    await page.getByText('Enough invites are open.').waitFor();
    await page.goto(`/waitlists/${list.id}/waves`);
    await page.getByRole('button', { name: 'Plan a wave' }).click();
    await page.getByLabel('Until this many have joined').fill('1');
    await page.getByRole('dialog').getByText('No places left').waitFor();
    await page.getByRole('dialog').getByRole('tab', { name: 'Keep invites open' }).click();
    await page.getByRole('dialog').getByText('No places left: those who joined').waitFor();
    await page.getByLabel('Open invites').fill('1');
    await page.getByRole('dialog').getByText('Enough invites are open.').waitFor();
    const full = { name: 'Full', schedule: daily, untilJoined: 1 };
    await show((await createWave(context, queue, full)).id);
    await page.getByRole('row', { name: /No places left –/ }).waitFor();
    const filled = { name: 'Filled', keepOpen: 2, untilJoined: 1 };
    await show((await createWave(context, queue, filled)).id);
    await page.getByText('No places left: those who joined').waitFor();
    await page.close();
  });

  it('names the conditions of a wave as the queue does', async () => {
    const list = await service.waitlist();
    const { id } = (
      await owner.post<Wave>(`/waitlists/${list.id}/waves`, {
        ...{ name: 'Pro first', keepOpen: 2 },
        segment: { where: ['plan=pro'], minReferrals: 1, joinedAfter: '2026-11-01T04:00:00.000Z' },
      })
    ).body;
    const page = await openDashboard(service, `/waitlists/${list.id}/waves/${id}`, { as: owner, size });
    await page
      .getByText(
        /^Keeps 2 invites open\. Only people who match: plan is pro · 1 or more referrals · Signed up from Nov 1, 2026.*\.$/,
      )
      .waitFor();
    await checkLayout(page, 'a wave for a segment');
    await page.close();
  });

  it('says that a wave is damaged, which can be stopped, and neither edited nor resumed', async () => {
    const list = await service.waitlist();
    const queue = await list.queue();
    await fillQueue(service.context, queue, 2);
    const { id } = await createWave(service.context, queue, { name: 'Broken', keepOpen: 1 });
    const { query } = service.context.db;
    await query
      .updateTable('wave')
      .set({ plan: Buffer.from('damaged') })
      .where('queue_id', '=', queue.id)
      .execute();
    await keepUp(service.context);
    const page = await openDashboard(service, `/waitlists/${list.id}/waves`, { as: owner, size });
    await page.getByText('Damaged plan').first().waitFor();
    await page.getByText('Broken').first().click();
    await page.waitForURL(`**/${id}*`);
    await page.getByText('The plan of this wave is damaged').waitFor();
    await check(page, 'a damaged wave');
    for (const name of ['Edit', 'Resume'])
      assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('button', { name: 'Stop the wave' }).click();
    await page.getByText('Stopped', { exact: true }).first().waitFor();
    await page.close();
  });

  it('shows history and why a wave paused itself, and viewers cannot change it', async () => {
    const list = await service.waitlist();
    const queue = await list.queue();
    const { context } = service;
    await list.signup(...[1, 2, 3].map((n) => ({ email: crowdEmail(n) })));
    const { id } = await createWave(context, queue, { name: 'Trickle', keepOpen: 2 });
    await keepUp(context);
    await context.db.query
      .updateTable('wave')
      .set({ state: 'paused', pause_reason: '5 of the last 8 invites could not be delivered' })
      .where('queue_id', '=', queue.id)
      .execute();
    const page = await openDashboard(service, `/waitlists/${list.id}/waves/${id}`, { as: owner });
    await page.getByText('5 of the last 8 invites could not be delivered.').waitFor();
    await page.getByRole('row', { name: /Done 2 0 0 0/ }).waitFor();
    await check(page, 'a wave that paused itself');
    await page.close();
    const viewer = await join(service, owner, 'viewer', 'viewer@example.com');
    const seen = await openDashboard(service, `/waitlists/${list.id}/waves/${id}`, { as: viewer });
    await seen.getByRole('heading', { level: 1, name: 'Trickle' }).waitFor();
    await seen.getByRole('row', { name: /Done 2 0 0 0/ }).waitFor();
    assert.equal(await seen.getByRole('button', { name: 'Resume' }).count(), 0);
    await seen.close();
    const hidden = await createWave(context, queue, {
      ...{ name: 'Launch', keepOpen: 2 },
      segment: { pairs: [{ key: 'plan', value: 'pro' }] },
    });
    const all = await openDashboard(service, `/waitlists/${list.id}/waves`, { as: viewer });
    await all.getByRole('row', { name: /Launch.*–/ }).waitFor();
    await all.close();
    const one = await openDashboard(service, `/waitlists/${list.id}/waves/${hidden.id}`, { as: viewer });
    await one.getByText('your role does not show how many it invites').waitFor();
    await check(one, 'a wave with hidden numbers');
    await one.close();
  });
});
