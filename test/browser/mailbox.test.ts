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

  it('a person shows who shares the mailbox, and leads there', async () => {
    const list = await service.waitlist();
    await list.signup({ email: 'ada@gmail.com' }, { email: 'a.d.a@gmail.com' }, { email: 'ada+1@gmail.com' });
    const { id } = (await list.lookup('ada@gmail.com')).body;
    const page = await openDashboard(service, `/waitlists/${list.id}/queue?entry=${id}`, {
      as: owner,
      size: sizeOn(engine),
    });
    await page.getByRole('heading', { name: 'Same mailbox' }).waitFor();
    await checkAt(sizeOn(engine))(page, 'who shares a mailbox');
    await page.getByRole('button', { name: /^a\.d\.a@gmail\.com/ }).click();
    await page.getByRole('button', { name: /^ada@gmail\.com/ }).waitFor();
    await page.close();
  });
});
