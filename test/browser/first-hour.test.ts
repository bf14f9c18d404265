import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sharedNow } from '../../src/db/shared-clock.ts';
import { signLink } from '../../src/waitlist/links/links.ts';
import type { PresentedEntry } from '../../src/wire/entry.ts';
import { checkAt, sizeOn, useDashboard } from '../support/dashboard.ts';
import { eventually, forEachEngine, type Service, startService } from '../support/harness.ts';
import { type Browser, join, setUp } from '../support/operators.ts';
import { PNG } from '../support/pictures.ts';

const openDashboard = useDashboard();
const ID = 'wl_acme';

forEachEngine((engine) => {
  let service: Service;
  let owner: Browser;
  before(async () => {
    service = await startService(engine, { startAt: Date.now() });
    owner = await setUp(service);
    assert.equal((await owner.post('/waitlists', { id: ID, name: 'Acme' })).status, 201);
  });
  after(() => service?.close());

  const size = sizeOn(engine);
  const check = checkAt(size);
  describe(`on a ${size}`, () => {
    const open = (path: string, as = owner) => openDashboard(service, path, { as, size });

    it('leads through the first hour, and ticks off what the server knows', async () => {
      const page = await open(`/waitlists/${ID}`);
      const step = (name: string) => page.getByRole('listitem').filter({ hasText: name });
      await page.getByText('0 of 5 done').waitFor();
      await check(page, 'first steps');

      await page.getByRole('link', { name: 'Set up the form' }).click();
      await page.getByRole('button', { name: 'Turn on' }).click();
      const preview = page.frameLocator('iframe[title="Preview of the form"]');
      await preview.getByRole('button', { name: 'Join the waitlist' }).waitFor();
      await page.getByLabel('Headline').fill('A calmer week');
      await page.getByLabel('Color', { exact: true }).fill('#7c3aed');
      await preview.getByRole('heading', { name: 'A calmer week' }).waitFor();
      const frame = page.frames().find((each) => each.url().endsWith('/mail-frame'));
      const painted = () =>
        frame?.evaluate("getComputedStyle(document.querySelector('button')).backgroundColor") ??
        assert.fail('no preview');
      const violet = 'rgb(124, 58, 237)';
      assert.equal(await eventually(painted, (colour) => colour === violet), violet);
      const choose = (name: string, buffer: Buffer) =>
        page.getByLabel('Logo', { exact: true }).setInputFiles({ name, mimeType: 'image/png', buffer });
      await choose('logo.png', Buffer.from('<svg onload="alert(1)"/>'));
      await page.getByText('Must be a PNG, JPEG or WebP picture.').waitFor();
      page.problems.length = 0;
      await choose('logo.png', PNG);
      await page.getByText('Saved the logo').waitFor();
      await preview.getByRole('img', { name: 'Acme' }).waitFor({ state: 'attached' });
      assert.equal(await page.getByLabel('Headline').inputValue(), 'A calmer week', 'the draft is kept');
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('Saved your changes').waitFor();
      page.problems.length = 0; // The picture is at the public URL, where nobody listens in a test.
      await page.getByRole('tab', { name: 'Install' }).click();
      await page.getByText('form-key="').first().waitFor();
      await page.getByLabel('Allowed origins').waitFor();
      await check(page, 'form, install');

      await page.goto(`/waitlists/${ID}`);
      await page.getByText('2 of 5 done').waitFor();
      await step('Let people sign up').getByRole('img', { name: 'Done' }).waitFor();
      await page.getByRole('link', { name: 'Add person' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('is off for this waitlist').waitFor();
      await dialog.getByLabel('Email').fill('ada');
      await dialog.getByRole('button', { name: 'Add person' }).click();
      await dialog.getByText('Not an email address.').waitFor();
      page.problems.length = 0;
      await dialog.getByLabel('Email').fill('ada@example.com');
      await dialog.getByLabel('Name').fill('Ada');
      await check(page, 'add person');
      await dialog.getByRole('button', { name: 'Add person' }).click();
      await page.getByText('Added ada@example.com, not emailed: this email is off').waitFor();

      await page.goto(`/waitlists/${ID}`);
      await page.getByText('3 of 5 done').waitFor();
      await page.getByRole('link', { name: 'Invite', exact: true }).click();
      await page.getByRole('dialog').waitFor();
      assert.equal(
        (await owner.post(`/waitlists/${ID}/invites`, { email: 'grace@example.com' })).status,
        201,
      );
      await page.goto(`/waitlists/${ID}`);
      await page.getByText('4 of 5 done').waitFor();
      await page.getByRole('button', { name: 'Dismiss' }).click();
      await page.getByRole('heading', { name: 'First steps' }).waitFor({ state: 'detached' });
      await page.reload();
      await page.getByRole('heading', { name: 'Signups' }).waitFor();
      assert.equal(await page.getByRole('heading', { name: 'First steps' }).count(), 0);
      await page.close();
    });

    it('shows support its own steps, and viewers none', async () => {
      await owner.post('/waitlists', { id: 'wl_other', name: 'Other' });
      const support = await open(
        '/waitlists/wl_other',
        await join(service, owner, 'support', 'sam@example.com'),
      );
      await support.getByText('0 of 2 done').waitFor();
      assert.equal(await support.getByRole('button', { name: 'Dismiss' }).count(), 0);
      await support.close();
      const viewer = await open(
        '/waitlists/wl_other',
        await join(service, owner, 'viewer', 'vera@example.com'),
      );
      await viewer.getByRole('heading', { name: 'Sign people up from your backend' }).waitFor();
      assert.equal(await viewer.getByRole('heading', { name: 'First steps' }).count(), 0);
      await viewer.close();
    });

    it('shows people their place as it changes, and lets them copy their link', async () => {
      const queue = await service.context.registry.queue(ID, 'production');
      assert.ok(queue);
      const add = async (body: object) => {
        const { body: added } = await owner.post<{ entry: PresentedEntry }>(`/waitlists/${ID}/entries`, body);
        return added.entry;
      };
      await add({ email: 'early@example.com' });
      await owner.patch(`/waitlists/${ID}/form`, { enabled: true });
      const { id, referralCode } = await add({ email: 'linus@example.com' });
      const at = await sharedNow(service.context);
      const path = `/s/${signLink(queue, 'status', { id, at })}`;
      const page = await openDashboard(service, path, { size });
      const position = page.locator('.position');
      const before = Number(await position.textContent());
      assert.ok(before > 1);
      await page.getByRole('button', { name: 'Copy link' }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      const copied = await page.evaluate('navigator.clipboard.readText()');
      assert.match(String(copied), new RegExp(`/w/${ID}\\?ref=${referralCode}$`));
      await add({ email: 'friend@example.com', referredBy: 'linus@example.com' });
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      await page.locator('.position', { hasText: /^1$/ }).waitFor();
      await page.getByText('1 person joined with your link.').waitFor();
      await owner.post(`/waitlists/${ID}/invites`, { email: 'linus@example.com' });
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      await page.getByRole('heading', { name: 'It’s your turn' }).waitFor();
      await page.close();
    });
  });
});
