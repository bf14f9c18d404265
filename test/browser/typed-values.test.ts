import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useDashboardSite } from '../support/dashboard-site.ts';
import { forEachEngine } from '../support/harness.ts';

forEachEngine((engine) => {
  /** What people type, in any script, becomes exactly that or is refused. */
  describe('what is typed into the dashboard', () => {
    const site = useDashboardSite(engine, {
      waitlist: { name: '🚀 Rocket' },
      person: { email: 'ada@example.com', metadata: { plan: 'free' } },
    });

    it('is no reason to lift a limit, if it is not a number', async () => {
      const sending = `/waitlists/${site.list.id}/mail/sending`;
      const page = await site.open(`/waitlists/${site.list.id}/emails?tab=delivery`);
      await page.getByRole('button', { name: 'Change limits' }).click();
      const dialog = page.getByRole('dialog');
      const bounces = dialog.getByLabel('Hard bounces (%)');
      await bounces.fill('');
      await bounces.pressSequentially('2e');
      await dialog.getByLabel('Spam complaints (%)').fill('0.25');
      await dialog.getByRole('button', { name: 'Save' }).click();
      assert.equal(await bounces.evaluate((field: HTMLInputElement) => field.validity.badInput), true);
      await bounces.fill('2.5');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Limits saved').waitFor();
      const { body } = await site.owner.get<{ bouncePercent: number; complaintPercent: number }>(sending);
      assert.deepEqual([body.bouncePercent, body.complaintPercent], [2.5, 0.25]);
      await page.close();
    });

    it('is not rounded nor shortened in metadata, but refused by name', async () => {
      const { id } = (await site.list.lookup('ada@example.com')).body;
      const entry = `/waitlists/${site.list.id}/entries/${id}`;
      const page = await site.open(`/waitlists/${site.list.id}/queue?entry=${id}`);
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Edit metadata' });
      const field = dialog.getByLabel('Metadata');
      const save = dialog.getByRole('button', { name: 'Save' });
      await field.fill('{ "plan": "pro", "account": 12345678901234567890 }');
      await save.click();
      await dialog
        .getByRole('alert')
        .getByText(/account/)
        .waitFor();
      await field.fill('{ "plan": "pro", "plan": "team" }');
      await save.click();
      await dialog.getByRole('alert').getByText('Metadata.plan: duplicate key.').waitFor();
      const { body } = await site.owner.get<{ metadata: unknown }>(entry);
      assert.deepEqual(body.metadata, { plan: 'free' });
      await field.fill('{ "plan": "pro", "account": 1234567890 }');
      await save.click();
      await dialog.waitFor({ state: 'detached' });

      page.problems.length = 0; // The browser reports what was refused.
      await page.goto(`/waitlists/${site.list.id}/queue?add=person`);
      await page.getByLabel('Email', { exact: true }).fill('bob@example.com');
      await page.getByLabel('Name', { exact: true }).fill('Bob');
      await page.getByLabel('Metadata', { exact: true }).fill('{ "account": 12345678901234567890 }');
      await page.getByRole('dialog').getByRole('button', { name: 'Add person' }).click();
      await page
        .getByRole('dialog')
        .getByRole('alert')
        .getByText(/account/)
        .waitFor();
      await page.getByLabel('Metadata', { exact: true }).fill('{ "plan": "pro" }');
      await page.getByRole('dialog').getByRole('button', { name: 'Add person' }).click();
      await page.getByText('Added bob@example.com').waitFor();
      assert.deepEqual((await site.list.lookup('bob@example.com')).body.metadata, {
        name: 'Bob',
        plan: 'pro',
      });
      await page.close();
    });

    it('opens the search and moves between pages on a keyboard with another script', async () => {
      const page = await site.open(`/waitlists/${site.list.id}`);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      const press = (key: string, code: string, more: object = {}) =>
        page.evaluate(
          (init) => document.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, ...init })),
          { key, code, ...more },
        );
      await press('ن', 'KeyK', { ctrlKey: true });
      await page.getByRole('dialog', { name: 'Search' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name: 'Search' }).waitFor({ state: 'detached' });
      await press('ل', 'KeyG');
      await press('ض', 'KeyQ');
      await page.getByRole('heading', { name: 'Queue' }).waitFor();
      await press('؟', 'Slash', { shiftKey: true });
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      await page.close();
    });

    it('is shown by its first character, also if that is an emoji', async () => {
      const page = await site.open(`/waitlists/${site.list.id}`);
      const shown = page
        .getByRole('button', { name: 'Waitlist: 🚀 Rocket' })
        .locator('[aria-hidden]')
        .first();
      assert.equal(await shown.innerText(), '🚀');
      await page.close();
    });

    it('runs in the direction of its script', async () => {
      const page = await site.open(`/waitlists/${site.list.id}/emails/welcome`);
      for (const label of ['Subject', 'Body']) {
        await page.getByLabel(label, { exact: true }).fill('مرحبا');
        const direction = await page
          .getByLabel(label, { exact: true })
          .evaluate((field) => getComputedStyle(field).direction);
        assert.equal(direction, 'rtl', label);
      }
      await page.getByRole('button', { name: 'Plain text' }).click();
      await page.getByText('Subject: مرحبا').waitFor();
      await page.close();
    });
  });
});
