import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { checkEverywhere, type DashboardPage, useDashboard } from '../support/dashboard.ts';
import { eventually, type List, type Service, startService } from '../support/harness.ts';
import { type Browser, join, setUp } from '../support/operators.ts';

const ADA = 'ada@example.com';
const NOTE = 'Agencies only from March.';

/** Of pages whose data is tested on both engines elsewhere. */
describe('deciding about a person, in the dashboard', () => {
  const openDashboard = useDashboard();
  let service: Service;
  let owner: Browser;
  let list: List;
  before(async () => {
    // Nothing is sent: no server is asked for its emails.
    const environment = { DOORLIST_SMTP_URL: 'smtp://127.0.0.1:9', DOORLIST_MAIL_FROM: 'team@acme.example' };
    service = await startService('sqlite', { startAt: Date.now(), environment });
    owner = await setUp(service);
    list = await service.waitlist({ name: 'Acme' });
    await list.signup({ email: ADA }, { email: 'bob@example.com' });
  });
  after(() => service?.close());

  const openPerson = async (as: Browser, of: List = list, who: string = ADA): Promise<DashboardPage> => {
    const { id } = (await of.lookup(who)).body;
    const page = await openDashboard(service, `/waitlists/${of.id}/queue?entry=${id}`, { as });
    await page.getByRole('button', { name: 'More actions' }).waitFor();
    return page;
  };
  const choose = async (page: DashboardPage, name: RegExp) => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  const becomes = (status: string) =>
    eventually(
      async () => (await list.lookup(ADA)).body.status,
      (now) => now === status,
    );

  it('declines with a note that the history shows, and takes it back', async () => {
    const page = await openPerson(owner);
    await choose(page, /^Decline…$/);
    const dialog = page.getByRole('dialog', { name: `Decline ${ADA}?` });
    await dialog.getByLabel('Note').fill(NOTE);
    await checkEverywhere(page, 'declining a person');
    await dialog.getByRole('button', { name: 'Decline', exact: true }).click();
    await page.getByText(`Declined ${ADA}`).waitFor();
    await becomes('declined');
    await page.getByRole('button', { name: 'Take decline back' }).waitFor();
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('Was declined').waitFor();
    await page.getByText(NOTE).waitFor();
    await checkEverywhere(page, 'a declined person');
    await page.getByRole('button', { name: 'Take decline back' }).click();
    await becomes('waiting');
    await page.close();
  });

  it('approves who was declined, which invites them', async () => {
    const page = await openPerson(owner);
    await choose(page, /^Decline…$/);
    await page.getByRole('dialog').getByRole('button', { name: 'Decline', exact: true }).click();
    await becomes('declined');
    await page.getByRole('button', { name: 'Take decline back' }).waitFor();
    await choose(page, /^Approve…$/);
    await page.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText(`Approved ${ADA}, who is invited`).waitFor();
    await becomes('invited');
    await page.close();
  });

  it('tells the person by email, if that is asked for and they would get it', async () => {
    const mailed = await service.waitlist({ name: 'Mailed' });
    await mailed.signup({ email: ADA }, { phone: '+14155550123' });
    const mails = async () =>
      (await owner.get<{ mails: { kind: string; to: string }[] }>(`/waitlists/${mailed.id}/mails`)).body
        .mails;
    const ask = async (who: string) => {
      const page = await openPerson(owner, mailed, who);
      await choose(page, /^Decline…$/);
      const dialog = page.getByRole('dialog', { name: /^Decline / });
      return { page, dialog, box: dialog.getByRole('checkbox', { name: /^Tell them by email/ }) };
    };

    const off = await ask(ADA);
    await off.dialog.getByText('The email "Declined" is off for this waitlist.').waitFor();
    assert.equal(await off.box.isDisabled(), true);
    await checkEverywhere(off.page, 'an email that is off');
    await off.page.close();

    await owner.patch(`/waitlists/${mailed.id}/mail/settings`, { kinds: ['declined'] });
    const nobody = await ask('+14155550123');
    await nobody.dialog.getByText('There is no email address.').waitFor();
    assert.equal(await nobody.box.isDisabled(), true);
    await nobody.dialog.getByRole('button', { name: 'Decline', exact: true }).click();
    await nobody.page.getByRole('button', { name: 'Take decline back' }).waitFor();
    await nobody.page.close();
    assert.deepEqual(await mails(), []);

    const { page, dialog, box } = await ask(ADA);
    await dialog.getByText('Sends the email “Declined”').waitFor();
    assert.equal(await box.isChecked(), false, 'nobody is told by accident');
    await box.click();
    await checkEverywhere(page, 'an email about a decline');
    await dialog.getByRole('button', { name: 'Decline', exact: true }).click();
    await page.getByText(`Declined ${ADA}. The email is on its way`).waitFor();
    assert.deepEqual(
      (await mails()).map(({ kind, to }) => [kind, to]),
      [['declined', ADA]],
    );
    await page.close();
  });

  it('is dimmed for support once the owner turns it off', async () => {
    const support = await join(service, owner, 'support', 'support@example.com');
    await owner.patch('/instance/roles', { support: { decline: false } });
    const page = await openPerson(support);
    await page.getByRole('button', { name: 'More actions' }).click();
    const item = page.getByRole('menuitem', { name: /^Decline…/ });
    assert.equal(await item.getAttribute('aria-disabled'), 'true');
    await page.close();
  });
});
