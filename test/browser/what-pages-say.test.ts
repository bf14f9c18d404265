import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { signLink } from '../../src/waitlist/links/links.ts';
import { checkAt, checkLayout, sizeOn, useDashboard } from '../support/dashboard.ts';
import { forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { type Browser, setUp } from '../support/operators.ts';

const openDashboard = useDashboard();

forEachEngine((engine) => {
  const size = sizeOn(engine);
  const check = checkAt(size);
  let service: Service;
  let owner: Browser;
  let list: List;
  before(async () => {
    service = await startService(engine, { startAt: Date.now() });
    owner = await setUp(service);
    list = await service.waitlist({ name: 'Acme' });
    await owner.patch(`/waitlists/${list.id}/form`, { enabled: true });
  });
  after(() => service.close());
  const open = (path: string) => openDashboard(service, path, { as: owner, size });

  it('says what became of the rows of an import, of its codes, and of all of it once it is undone', async () => {
    const page = await open(`/waitlists/${list.id}/transfer`);
    const buffer = Buffer.from('email,referral_code\nada@example.com,OLD-1\nada@example.com,\n');
    const file = { name: 'people.csv', mimeType: 'text/csv', buffer };
    await page.getByLabel('File', { exact: true }).setInputFiles(file);
    await page.getByRole('button', { name: 'Check file' }).click();
    await page.getByRole('heading', { name: 'Checking the file' }).waitFor();
    await service.runJobs();
    await page.getByText('On the waitlist already, in the file twice, or marked as removed').waitFor();
    await page.getByRole('button', { name: 'Import 1 person into production' }).click();
    await page.getByRole('progressbar', { name: 'Rows' }).waitFor();
    await service.runJobs();
    await page.getByRole('button', { name: 'Undo import' }).waitFor();

    const queue = await list.queue();
    const { id, referralCode } = (await list.lookup('ada@example.com')).body;
    const queuePage = await open(`/waitlists/${list.id}/queue`);
    const search = queuePage.getByRole('searchbox').first();
    await search.fill(`https://doorlist.example/s/${signLink(queue, 'status', { id, at: Date.now() })}`);
    await search.press('Enter');
    await queuePage.getByText('ada@example.com').first().click();
    const person = queuePage.getByRole('dialog');
    await person.getByText(`/w/${list.id}?ref=${referralCode}`).waitFor();
    await person.getByText('OLD-1').waitFor();
    await check(queuePage, 'a person with an imported code');
    await queuePage.close();

    await page.getByRole('button', { name: 'Undo import' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo import' }).click();
    await page.getByText('Undoing the import.').waitFor();
    await service.runJobs();
    await page.getByText('1 removed again').waitFor();
    await page.getByText('Undone', { exact: true }).first().waitFor();
    assert.equal(await page.getByText('Done', { exact: true }).count(), 1, 'the check before it');
    await checkLayout(page, 'an undone import');
    await page.close();
  });

  it('shows as placeholders of the form what its preview says, in columns of the same width', async () => {
    const page = await open(`/waitlists/${list.id}/form?tab=setup`);
    const preview = page.frameLocator('iframe[title="Preview of the form"]');
    const title = (await preview.getByRole('heading', { level: 1 }).textContent())?.trim();
    await page.getByPlaceholder(title ?? '?', { exact: true }).waitFor();
    assert.equal(await page.getByLabel('Headline').getAttribute('placeholder'), title);
    const text = (await preview.locator('p.text').textContent())?.trim();
    assert.equal(await page.getByLabel('Text', { exact: true }).getAttribute('placeholder'), text);
    const button = (await preview.locator('button').textContent())?.trim();
    assert.equal(await page.getByLabel('Button', { exact: true }).getAttribute('placeholder'), button);
    await page.setViewportSize({ width: 1024, height: 860 });
    const widthOf = (heading: string) =>
      page.evaluate<number>(
        `[...document.querySelectorAll('section')].find((one) => one.querySelector('h2')?.textContent === '${heading}').clientWidth`,
      );
    assert.ok((await widthOf('Texts')) >= (await widthOf('Preview')));
    await checkLayout(page, 'the form');
    await page.close();
  });

  it('shows that code goes on beyond the edge', async () => {
    const page = await open(`/waitlists/${list.id}/form?tab=install`);
    await page.setViewportSize({ width: 390, height: 844 });
    const code = page.getByRole('group', { name: 'Form' });
    await code.waitFor();
    const [goesOn, hint] = await code.evaluate((box) => {
      const { scrollWidth, clientWidth } = box as unknown as { scrollWidth: number; clientWidth: number };
      const { getComputedStyle } = globalThis as unknown as {
        getComputedStyle: (of: unknown) => { backgroundImage: string };
      };
      return [scrollWidth > clientWidth, getComputedStyle(box).backgroundImage] as const;
    });
    assert.equal(goesOn, true);
    assert.match(hint, /linear-gradient/);
    await page.close();
  });

  it('says at an IP address how to get passkeys', async () => {
    const page = await open('/account?tab=security');
    const { hostname, port } = new URL(page.url());
    assert.equal(hostname, '127.0.0.1');
    await page.getByText(`DOORLIST_PUBLIC_URL=http://localhost:${port}`).waitFor();
    await checkLayout(page, 'an account at an IP address');
    await page.close();
  });
});
