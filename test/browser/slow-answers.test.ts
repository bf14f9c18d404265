import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { useDashboardSite } from '../support/dashboard-site.ts';
import { forEachEngine } from '../support/harness.ts';
import { startSending } from '../support/webhooks.ts';

forEachEngine((engine) => {
  /** While the answer of the server is on its way. */
  describe('the dashboard, while an answer is on its way', () => {
    const site = useDashboardSite(
      engine,
      { waitlist: { name: 'Acme' }, person: { email: 'ada@example.com' } },
      startSending,
    );

    /** Holds back what is written there, until it is released. */
    const hold = async (page: Page, address: string | RegExp) => {
      const release = Promise.withResolvers<void>();
      const asked: string[] = [];
      await page.route(address, async (route) => {
        if (route.request().method() === 'GET') return route.fallback();
        asked.push(route.request().method());
        await release.promise;
        return route.continue();
      });
      return { asked, release: release.resolve };
    };

    it('keeps what is typed meanwhile, in settings and in a template', async () => {
      const page = await site.open(`/waitlists/${site.list.id}/settings`);
      const settings = await hold(page, /\/admin\/v1\/waitlists\/wl_[^/]+\?/);
      const name = page.getByLabel('Name', { exact: true });
      await name.fill('Acme A');
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.locator('button[aria-busy=true]').waitFor();
      await name.fill('Acme AB');
      await page.getByLabel('Metadata to count').fill('plan');
      settings.release();
      await page.getByText('Saved your changes').waitFor();
      assert.equal(await name.inputValue(), 'Acme AB');
      assert.equal(await page.getByLabel('Metadata to count').inputValue(), 'plan');
      const { body } = await site.owner.get<{ name: string }>(`/waitlists/${site.list.id}`);
      assert.equal(body.name, 'Acme A');
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('You have unsaved changes').waitFor({ state: 'detached' });

      await page.goto(`/waitlists/${site.list.id}/emails/welcome`);
      const template = await hold(page, '**/mail/templates/welcome?*');
      const text = page.getByLabel('Body');
      await page.getByLabel('Subject').fill('Hello');
      await text.fill('# One');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.locator('button[aria-busy=true]').waitFor();
      await text.fill('# One\n\nTwo');
      template.release();
      await page.getByText('Template saved').waitFor();
      assert.equal(await text.inputValue(), '# One\n\nTwo');
      assert.equal(await page.getByLabel('Subject').inputValue(), 'Hello');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.locator('button[aria-disabled=true]:not([aria-busy])', { hasText: 'Save' }).waitFor();
      await page.close();
    });

    it('keeps a dialog open until it knows the outcome, and leads to the field that was refused', async () => {
      const page = await site.open(`/waitlists/${site.list.id}/api`);
      const keys = await hold(page, '**/keys?*');
      await page.getByRole('button', { name: 'Create key' }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await dialog.locator('button[aria-busy=true]').waitFor();
      await page.keyboard.press('Escape');
      assert.equal(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled(), true);
      keys.release();
      await page.getByRole('dialog', { name: 'Copy your key' }).waitFor();
      await page.getByRole('button', { name: 'Done' }).click();

      await page.goto('/waitlists?create=1');
      await dialog.getByLabel('Name').fill('Acme again');
      await dialog.getByLabel('Id').fill(site.list.id.slice(3));
      await dialog.getByRole('button', { name: 'Create waitlist' }).click();
      await dialog.locator('input:focus[aria-invalid=true]').waitFor();
      await page.close();
    });

    it('shows no numbers of another waitlist, nor of another period', async () => {
      const page = await site.open(`/waitlists/${site.list.id}`);
      const signups = page.getByRole('term').filter({ hasText: 'Signups' }).locator('xpath=..');
      await signups.getByText('1 in 30 days').waitFor();
      const other = await site.service.waitlist({ name: 'Other' });
      const held = Promise.withResolvers<void>();
      await page.route('**/statistics?*', async (route) => {
        await held.promise;
        return route.continue();
      });
      await page.getByRole('button', { name: '7 days' }).click();
      await page.locator('[aria-busy=true] figure').waitFor();
      assert.equal(await signups.getByText('in 7 days').count(), 0);
      await page.goto('/waitlists'); // Links to the other one are within the same page.
      await page.getByRole('link', { name: /Acme/ }).click();
      await page.getByRole('button', { name: /^Waitlist: / }).click();
      await page.getByRole('menuitem', { name: 'Other' }).click();
      await page.waitForURL((url) => url.pathname.endsWith(other.id));
      assert.equal(await page.locator('figure').count(), 0);
      held.resolve();
      await page.close();
    });

    it('does not take somebody back who has left while a file was uploaded', async () => {
      const page = await site.open(`/waitlists/${site.list.id}/transfer`);
      const imports = await hold(page, '**/imports?*');
      const buffer = Buffer.from('{"email":"late@example.com"}\n');
      await page
        .getByLabel('File', { exact: true })
        .setInputFiles({ name: 'people.jsonl', mimeType: 'text/plain', buffer });
      await page.getByRole('button', { name: 'Check file' }).click();
      await page.locator('button[aria-busy=true]').waitFor();
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByLabel('Name', { exact: true }).fill('Not saved yet');
      imports.release();
      await page.getByText('Uploaded people.jsonl').waitFor();
      assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Not saved yet');
      assert.equal(await page.getByText('Leave without saving?').count(), 0);
      await page.getByRole('button', { name: 'Discard' }).click();
      await page.close();
    });

    it('says that checks are from before, if they cannot be loaded again', async () => {
      const page = await site.open('/instance/health');
      await page.getByRole('list', { name: 'Checks' }).waitFor();
      await page.route('**/admin/v1/health', (route) => route.abort());
      await page.getByRole('button', { name: 'Check now' }).click();
      await page.getByText('The checks could not be loaded again').waitFor();
      await page.unroute('**/admin/v1/health');
      await page.getByRole('button', { name: 'Check now' }).click();
      await page.getByText('The checks could not be loaded again').waitFor({ state: 'detached' });
      await page.close();
    });

    it('sends an email again once, however often the button is pressed', async () => {
      await site.list.invite('ada@example.com');
      const { id } = (await site.list.lookup('ada@example.com')).body;
      const page = await site.open(`/waitlists/${site.list.id}/queue?entry=${id}&about=emails`);
      const mails = await hold(page, '**/resend?*');
      const resend = page.getByRole('button', { name: 'Resend invite' });
      await resend.click();
      await page.locator('button[aria-busy=true]').waitFor();
      await resend.click({ force: true });
      mails.release();
      await page.getByText('Recorded again').waitFor();
      assert.deepEqual(mails.asked, ['POST']);
      await page.close();
    });

    it('does once what is sent again because its answer was lost', async () => {
      const path = `/waitlists/${site.list.id}`;
      const page = await site.open(`${path}/api`);
      const keysAt = '**/admin/v1/waitlists/*/keys?*';
      const count = async () => (await site.owner.get<{ keys: unknown[] }>(`${path}/keys`)).body.keys.length;
      const before = await count();
      const sent: (string | undefined)[] = [];
      await page.route(keysAt, async (route) => {
        if (route.request().method() === 'GET') return route.fallback();
        sent.push(route.request().headers()['idempotency-key']);
        await route.fetch();
        return sent.length === 1 ? route.abort() : route.fallback();
      });
      await page.getByRole('button', { name: 'Create key' }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await dialog.getByText('The server cannot be reached').waitFor();
      assert.equal(await count(), before + 1);
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await page
        .getByText(/dl_live_/)
        .first()
        .waitFor();
      assert.equal(await count(), before + 1);
      assert.match(sent[0] ?? '', /^[0-9a-f]{32}$/);
      assert.equal(sent[1], sent[0]);
      await page.close();
    });
  });
});
