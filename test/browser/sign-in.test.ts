import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { generateSync } from 'otplib';
import { checkAt, type DashboardPage, forEachLayout, useDashboard } from '../support/dashboard.ts';
import { type Service, startService } from '../support/harness.ts';
import { type Browser, OWNER, PASSWORD, setUp } from '../support/operators.ts';

/** A code works once, so the next one is that of the next step. */
const STEP_MS = 30_000;

const openDashboard = useDashboard();

forEachLayout((engine, size) => {
  const check = checkAt(size);
  let service: Service;
  let owner: Browser;
  let secret: string;
  let recoveryCodes: string[];
  before(async () => {
    service = await startService(engine, { startAt: Date.now() });
    owner = await setUp(service);
  });
  after(() => service.close());

  const nextCode = () => {
    service.clock.advance(STEP_MS);
    return generateSync({ secret, epoch: Math.floor(service.clock.now / 1_000) });
  };
  const askedForCode = async (): Promise<DashboardPage> => {
    const page = await openDashboard(service, '/account?tab=security', { size });
    await page.getByLabel('Email').fill(OWNER.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
    page.problems.length = 0; // The browser reports the 401 that asks for it.
    return page;
  };
  const enter = async (page: DashboardPage, code: string) => {
    await page.getByLabel('Code').fill(code);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  const twoFactorIs = (page: DashboardPage, state: 'On' | 'Off') =>
    page.getByRole('heading', { name: `Two-factor authentication ${state}` }).waitFor();

  describe(`two-factor authentication on a ${size}`, () => {
    it('is turned on with a code of the app, and shows recovery codes once', async () => {
      const page = await openDashboard(service, '/account?tab=security', { as: owner, size });
      await twoFactorIs(page, 'Off');
      await page.getByRole('button', { name: 'Turn on' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Password').fill(PASSWORD);
      await dialog.getByRole('button', { name: 'Continue' }).click();
      await dialog.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
      await dialog.locator('input:focus[autocomplete="one-time-code"]').waitFor();
      await check(page, 'the secret');
      secret = (await dialog.getByRole('code').textContent()) ?? '';
      await dialog.getByLabel('Code').fill('000000');
      await dialog.getByRole('button', { name: 'Turn on' }).click();
      await dialog.getByRole('alert').or(dialog.locator('[aria-invalid=true]')).first().waitFor();
      page.problems.length = 0; // The browser reports the 400 that we wanted.
      await dialog.getByLabel('Code').fill(nextCode());
      await dialog.getByRole('button', { name: 'Turn on' }).click();
      await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor();
      recoveryCodes = await dialog.getByRole('listitem').allTextContents();
      assert.ok(recoveryCodes.length >= 2);
      await check(page, 'recovery codes');
      await dialog.getByRole('button', { name: 'I have saved them' }).click();
      await twoFactorIs(page, 'On');
      await page.close();
    });

    it('asks for a code of the app, and takes each only once', async () => {
      const page = await askedForCode();
      await page.locator('input:focus[autocomplete="one-time-code"]').waitFor();
      await check(page, 'the code');
      await enter(page, '000000');
      await page.getByRole('alert').getByText('This code is incorrect').waitFor();
      const code = nextCode();
      await enter(page, code);
      await twoFactorIs(page, 'On');
      await page.close();

      const again = await askedForCode();
      await enter(again, code);
      await again.getByRole('alert').waitFor();
      await again.close();
    });

    it('takes each recovery code once, and can be turned off', async () => {
      const [first = '', second = ''] = recoveryCodes;
      const page = await askedForCode();
      await enter(page, first);
      await twoFactorIs(page, 'On');
      await page.close();

      const again = await askedForCode();
      await enter(again, first);
      await again.getByRole('alert').waitFor();
      await enter(again, second);
      await twoFactorIs(again, 'On');
      await again.getByRole('button', { name: 'Turn off' }).click();
      const dialog = again.getByRole('dialog');
      await dialog.getByLabel('Password').fill(PASSWORD);
      await dialog.getByLabel('Code').fill(nextCode());
      await dialog.getByRole('button', { name: 'Turn off' }).click();
      await twoFactorIs(again, 'Off');
      await again.close();
    });
  });
});
