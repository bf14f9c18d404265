import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { generateSync } from 'otplib';
import {
  checkAt,
  checkEverywhere,
  checkLayout,
  type DashboardPage,
  forEachLayout,
  openNavigation,
  useDashboard,
} from '../support/dashboard.ts';
import { type Service, startService } from '../support/harness.ts';
import {
  type Browser,
  browserOf,
  join,
  OWNER,
  PASSWORD,
  setUp,
  tokenForSetup,
} from '../support/operators.ts';
import { clockOf } from '../support/windows.ts';

const openDashboard = useDashboard();

forEachLayout((engine, size) => {
  let service: Service;
  const check = checkAt(size);
  let owner: Browser;
  before(async () => {
    service = await startService(engine, { startAt: Date.now(), streamTimes: { roundMs: 20, checkMs: 20 } });
    owner = browserOf(service);
  });
  after(() => service.close());

  it('leads from the first visit over the set-up link into the dashboard', async () => {
    const page = await openDashboard(service, '/', { size });
    await page.getByRole('heading', { name: 'Set up Doorlist' }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/setup');
    await page.getByText('operator setup-link').waitFor();
    await check(page, 'where the link is');

    await page.goto(`/setup/${await tokenForSetup(service)}`);
    await page.locator('input[name=name]:focus').waitFor();
    await check(page, 'set-up link');
    await page.getByRole('button', { name: 'Show password' }).click();
    assert.equal(await page.getByLabel('Password').getAttribute('type'), 'text');
    await page.getByRole('button', { name: 'Hide password' }).click();
    await page.getByLabel('Name').fill(OWNER.name);
    await page.getByLabel('Email').fill(OWNER.email);
    await page.getByLabel('Password').fill('password1234');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page
      .getByRole('alert')
      .getByText(/common/)
      .waitFor();
    assert.equal(await page.getByLabel('Email').inputValue(), OWNER.email);
    assert.equal(await page.getByLabel('Password').inputValue(), 'password1234');
    assert.equal(await page.getByLabel('Password').getAttribute('aria-invalid'), 'true');
    await page.locator('input[name=password]:focus').waitFor();
    page.problems.length = 0;
    await check(page, 'what is wrong');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Create your first waitlist' }).waitFor();
    for (const { name, value } of await page.context().cookies()) owner.cookies.set(name, value);
    await page.close();
  });

  describe(`on a ${size}`, () => {
    const open = (path: string) => openDashboard(service, path, { as: owner, size });

    it('signs in after a wrong attempt, and returns to where the person wanted to go', async () => {
      const page = await openDashboard(service, '/instance/team', { size });
      await page.getByLabel('Email').fill(OWNER.email);
      await page.getByLabel('Password').fill('not the right one');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page
        .getByRole('alert')
        .getByText(/incorrect|wrong|match/i)
        .waitFor();
      page.problems.length = 0; // The browser reports the 401 that we wanted.
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('heading', { name: 'Team' }).waitFor();
      assert.equal(new URL(page.url()).pathname, '/instance/team');
      await checkLayout(page, 'people');
      await page.close();
    });

    it('creates a waitlist and shows its signups live', async () => {
      const page = await open('/waitlists');
      const name = `Acme ${size}`;
      await page.getByRole('button', { name: 'Create waitlist' }).first().click();
      await page.getByLabel('Name').fill(name);
      await page.getByRole('dialog').getByRole('button', { name: 'Create waitlist' }).click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      const id = `wl_acme-${size}`;
      assert.equal(new URL(page.url()).pathname, `/waitlists/${id}`);
      const { key } = await service.key();
      await service.request('POST', '/sdk/v1/waitlist/signup', {
        key,
        body: { waitlistId: id, entries: [{ email: 'ada@example.com' }, { email: 'grace@example.com' }] },
      });
      await stat(page, 'Waiting', '2').waitFor();

      assert.equal((await owner.patch('/instance', { defaultTimeZone: 'Asia/Kolkata' })).status, 200);
      await clockOf(page).setFixedTime(service.clock.now); // That of the service stands still, too: an hour could end.
      for (const period of ['24h', '7d']) {
        await page.goto(`/waitlists/${id}?period=${period}`);
        await page.getByText('Times in Asia/Kolkata. Dotted: not over yet.').waitFor();
        await page.getByRole('button', { name: 'Show as table' }).click();
        const now = page.getByRole('row', { name: /so far/ });
        const options = { weekday: 'short', timeZone: 'Asia/Kolkata' } as const;
        const today = new Intl.DateTimeFormat('en', options).format(service.context.clock());
        assert.match((await now.textContent()) ?? '', new RegExp(`^${today}.*, so far20$`));
      }
      const activity = page.getByRole('list', { name: 'Activity' });
      assert.match((await activity.textContent()) ?? '', /^Signed up2.*Invites sent0Invites accepted0$/);
      await owner.patch('/instance', { defaultTimeZone: 'UTC' });
      await page.close();
    });

    it('tells environments apart', async () => {
      const page = await open(`/waitlists/wl_acme-${size}`);
      await stat(page, 'Waiting', '2').waitFor();
      await openNavigation(page);
      await page.getByRole('button', { name: 'Environment: production' }).click();
      await page.getByRole('menuitem', { name: 'Development' }).click();
      await page.getByText('development data').waitFor();
      assert.equal(new URL(page.url()).search, '?environment=development');
      await stat(page, 'Waiting', '0').waitFor();
      await checkLayout(page, 'development');
      await page.getByRole('button', { name: 'Switch to production' }).click();
      await stat(page, 'Waiting', '2').waitFor();
      assert.equal(new URL(page.url()).search, '');
      await page.goBack();
      await page.getByText('development data').waitFor();
      await page.close();
    });

    it('invites a person, shows the link once, and removes them after a typed confirmation', async () => {
      const page = await open('/instance/team');
      const email = `${size}@example.com`;
      await page.getByRole('button', { name: 'Invite', exact: true }).click();
      await page.getByRole('dialog').getByText('there is no mail server to email it').waitFor();
      await page.getByRole('textbox', { name: 'Email' }).fill(OWNER.email);
      await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
      await page
        .getByRole('dialog')
        .getByText(/already/)
        .waitFor();
      await page.getByRole('textbox', { name: 'Email' }).fill(email);
      await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
      await page.getByRole('heading', { name: `Invited ${email}` }).waitFor();
      page.problems.length = 0; // The browser reports the 409.
      await page.getByText('They are not emailed: there is no mail server.').waitFor();
      const link = (await page.getByRole('dialog').getByRole('code').textContent()) ?? '';
      assert.match(link, /\/password\//);
      await page.getByRole('button', { name: 'Copy link' }).click();
      await page.getByRole('status').getByText('Copied').waitFor();
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), link);
      await page.getByRole('button', { name: 'Done' }).click();

      await page.getByRole('button', { name: `Actions for ${email}` }).click();
      await page.getByRole('menuitem', { name: 'Remove' }).click();
      const remove = page.getByRole('dialog').getByRole('button', { name: 'Remove' });
      assert.equal(await remove.isDisabled(), true);
      await page.getByLabel(/to confirm/).fill(email);
      await remove.click();
      await page.getByText(`Removed ${email}`).waitFor();
      await page.mouse.move(0, 0);
      await check(page, 'a toast');
      await page.getByRole('cell', { name: email }).waitFor({ state: 'detached' });
      await page.close();
    });

    it('asks what happens to the tokens of a person who gets a lower role or is removed', async () => {
      const email = `maker-${size}@example.com`;
      const maker = await join(service, owner, 'admin', email);
      const made = await maker.post<{ id: string; token: string }>('/tokens', {
        name: `Of ${email}`,
        role: 'admin',
      });
      const token = async () =>
        (
          await owner.get<{ tokens: { id: string; role: string; revokedAt: unknown; createdBy: string }[] }>(
            '/tokens',
          )
        ).body.tokens.find(({ id }) => id === made.body.id);
      const page = await open('/instance/team');
      const choose = async (name: string, option: string) => {
        await page.getByRole('combobox', { name }).click();
        await page.getByRole('option', { name: option }).click();
      };
      await page.getByRole('button', { name: `Actions for ${email}` }).click();
      await page.getByRole('menuitem', { name: 'Change role' }).click();
      await choose('Role', 'Support');
      await page.getByText('Revoke them').waitFor();
      await choose('Their admin tokens with a higher role', 'Lower them to support');
      await check(page, 'a lower role');
      await page.getByRole('button', { name: 'Change role' }).click();
      await page.getByText(/is now support/).waitFor();
      assert.deepEqual([(await token())?.role, (await token())?.revokedAt], ['support', null]);
      await page.getByRole('button', { name: `Actions for ${email}` }).click();
      await page.getByRole('menuitem', { name: 'Remove' }).click();
      await choose('Their admin tokens', 'Keep them as mine');
      await page.getByLabel(/to confirm/).fill(email);
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByText(`Removed ${email}`).waitFor();
      const { operator } = (await owner.get<{ operator: { id: string } }>('/me')).body;
      assert.deepEqual(
        [(await token())?.revokedAt, (await token())?.createdBy],
        [null, `operator:${operator.id}`],
      );
      await page.close();
    });

    it('creates a token, shows it once, and revokes it', async () => {
      const page = await open('/instance/tokens');
      await page.getByRole('button', { name: 'Create token' }).first().click();
      await page.getByLabel('Name').fill(`Script ${size}`);
      await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click();
      await page.getByRole('heading', { name: 'Copy your token' }).waitFor();
      const token = (await page.getByRole('dialog').getByRole('code').first().textContent()) ?? '';
      const me = await service.request('GET', '/admin/v1/me', {
        headers: { authorization: `Bearer ${token}` },
      });
      assert.equal(me.status, 200, me.text);
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('button', { name: `Revoke Script ${size}` }).click();
      await page.getByRole('button', { name: 'Revoke token' }).click();
      await page.getByText(`Revoked Script ${size}`).waitFor();
      await page.close();
    });

    it('opens an audit record at an address of its own, and closes it with the back button', async () => {
      const page = await open('/instance/audit');
      await page.getByRole('button', { name: 'Invited an operator' }).first().click();
      await page.getByRole('dialog').getByText('Grace', { exact: false }).first().waitFor();
      const address = page.url();
      assert.match(address, /\?record=\d+$/);
      await check(page, 'audit record');
      await page.goBack();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.goForward();
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).focus();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.goto(address);
      await page.getByRole('dialog').getByRole('button', { name: 'Same action' }).click();
      await page.getByRole('combobox', { name: 'Action' }).getByText('Invited an operator').waitFor();
      assert.match(page.url(), /\?action=/);
      await page.close();
    });

    it('shows a record until its drawer has left', async () => {
      const page = await open('/instance/audit');
      await page.getByRole('button', { name: 'Signed in' }).first().click();
      await page.getByRole('dialog', { name: 'Signed in' }).waitFor();
      await page.evaluate(`{
        const drawer = document.querySelector('[role=dialog]');
        window.names = new Set();
        new MutationObserver(() => drawer.isConnected && window.names.add(drawer.querySelector('h2').textContent))
          .observe(document.body, { childList: true, subtree: true, characterData: true, attributes: true });
      }`);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      assert.deepEqual(await page.evaluate('[...window.names]'), ['Signed in']);
      await page.close();
    });

    it('jumps anywhere by keyboard', async () => {
      const page = await open('/waitlists');
      await page.getByRole('heading', { name: 'Waitlists' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('audit');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Audit' }).waitFor();
      await page.keyboard.press('?');
      await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('g');
      await page.keyboard.press('w');
      await page.getByRole('heading', { name: 'Waitlists' }).waitFor();
      await page.close();
    });

    it('signs in who chose a password, and lets them change their name and email', async () => {
      const email = `new-${size}@example.com`;
      const invited = await owner.post<{ link: { url: string } }>('/operators', { email, role: 'admin' });
      const page = await openDashboard(service, new URL(invited.body.link.url).pathname, { size });
      await page.getByLabel('Name').fill('New Person');
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Accept invitation' }).click();
      await page.getByRole('heading', { name: 'Waitlists' }).waitFor();
      await page.goto('/instance/people');
      await page.getByRole('heading', { name: 'Team' }).waitFor();
      assert.equal(new URL(page.url()).pathname, '/instance/team');

      await page.goto('/account');
      await page.getByLabel('Name').fill('Renamed Person');
      await page.getByLabel('Email').fill(OWNER.email);
      await page.getByLabel('Current password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('already exists').waitFor();
      page.problems.length = 0;
      await page.getByLabel('Email').fill(`renamed-${size}@example.com`);
      await check(page, 'the own profile');
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('Saved your changes').waitFor();
      await page.close();
      const again = browserOf(service);
      assert.equal((await again.signIn(email, PASSWORD)).status, 401);
      assert.equal((await again.signIn(`renamed-${size}@example.com`, PASSWORD)).status, 200);
      const me = await again.get<{ operator: { name: string } }>('/me');
      assert.equal(me.body.operator.name, 'Renamed Person');
      const mails = await owner.get<{ mails: { kind: string; to: string }[] }>('/mails?limit=200');
      assert.ok(mails.body.mails.some(({ kind, to }) => kind === 'email-changed' && to === email));
      for (const body of [{}, { email: 'x@example.com' }, { email: 'no address', password: PASSWORD }])
        assert.equal((await again.patch('/me', body)).status, 400, JSON.stringify(body));
      const wrong = await again.patch('/me', { email: 'x@example.com', password: 'wrong' });
      assert.equal(wrong.status, 403);
    });

    it('leaves for the sign-in page when the session is ended elsewhere', async () => {
      const other = browserOf(service);
      await other.signIn(OWNER.email, PASSWORD);
      const page = await openDashboard(service, `/waitlists/wl_acme-${size}`, { as: other, size });
      await stat(page, 'Waiting', '2').waitFor();
      await owner.delete('/me/sessions');
      await page.getByText('Your session has ended').waitFor();
      const { searchParams } = new URL(page.url());
      assert.equal(searchParams.get('next'), `/waitlists/wl_acme-${size}`);
      await page.close();
    });

    it('keeps a draft when the session ends: signs in on the same page, also with a code', async () => {
      const email = `writer-${size}@example.com`;
      const writer = await join(service, owner, 'admin', email);
      const path = `/waitlists/wl_acme-${size}/settings`;
      const page = await openDashboard(service, path, { as: writer, size });
      const dialog = page.getByRole('dialog', { name: 'Sign in again' });
      await page.getByLabel('Name', { exact: true }).fill('A better name');
      const save = page.getByRole('button', { name: 'Save changes' });
      // As an event: updates of the page can find out first that the session has ended, and then the dialog covers the button.
      const saveWithoutSession = async () => {
        assert.equal((await writer.delete('/session')).status, 200);
        await save.dispatchEvent('click');
      };
      await saveWithoutSession();
      await dialog.waitFor();
      await dialog.getByLabel('Password').fill('not the right one');
      await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
      await dialog.getByText('The email or password is incorrect.').waitFor();
      await dialog.getByLabel('Password').fill(PASSWORD);
      await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'A better name');
      page.problems.length = 0;
      await save.click();
      await page.getByText('Saved your changes').waitFor();

      for (const { name, value } of await page.context().cookies()) writer.cookies.set(name, value);
      const codeOf = (secret: string) =>
        generateSync({ secret, epoch: Math.floor(service.context.clock() / 1_000) });
      const { body } = await writer.post<{ secret: string }>('/me/two-factor', { password: PASSWORD });
      const confirmed = await writer.post('/me/two-factor/confirm', { code: codeOf(body.secret) });
      assert.equal(confirmed.status, 200, confirmed.text);
      await page.getByLabel('Name', { exact: true }).fill('Acme');
      await saveWithoutSession();
      await dialog.getByLabel('Password').fill(PASSWORD);
      await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
      const codes = page.getByRole('dialog', { name: 'Enter your code' });
      service.clock.advance(30_000); // A code works once.
      await codes.getByLabel('Code').fill(codeOf(body.secret));
      await codes.getByRole('button', { name: 'Sign in', exact: true }).click();
      await codes.waitFor({ state: 'detached' });
      await save.click();
      await page.getByText('Saved your changes').waitFor();
      page.problems.length = 0;

      await page.goto('/waitlists?create=1');
      const create = page.getByRole('dialog', { name: 'Create a waitlist' });
      await create.getByLabel('Name').fill('Half a name');
      await page.mouse.click(4, 4);
      const question = page.getByRole('dialog', { name: 'Discard what you typed?' });
      await question.getByRole('button', { name: 'Keep editing' }).click();
      assert.equal(await create.getByLabel('Name').inputValue(), 'Half a name');
      await page.keyboard.press('Escape');
      await question.getByRole('button', { name: 'Discard' }).click();
      await create.waitFor({ state: 'detached' });
      await page.close();
    });
  });
});

describe('every page', () => {
  let service: Service;
  let owner: Browser;
  before(async () => {
    service = await startService('sqlite', { startAt: Date.now() });
    owner = await setUp(service);
    await owner.post('/operators', { email: 'ada@example.com', name: 'Ada', role: 'viewer' });
    await owner.post('/tokens', { name: 'Terraform', role: 'admin' });
    await owner.post('/waitlists', { id: 'wl_acme', name: 'Acme' });
  });
  after(() => service.close());

  // The others are checked with the data of the demo, in every-page.test.ts.
  const pages: [path: string, heading: string][] = [
    ['/waitlists?create=1', 'Create a waitlist'],
    ['/waitlists/wl_acme', 'Overview'],
  ];
  for (const [path, heading] of pages) {
    it(`is accessible and fits, in both themes and widths: ${path}`, async () => {
      const page = await openDashboard(service, path, { as: owner });
      await page.getByRole('heading', { name: heading }).waitFor();
      await page.locator('.animate-pulse').first().waitFor({ state: 'detached' });
      await checkEverywhere(page, path);
      await page.close();
    });
  }
  it('fits at every width between a phone and a desktop', async () => {
    for (const path of ['/instance/team', '/instance/tokens']) {
      const page = await openDashboard(service, path, { as: owner });
      await page.getByRole('table').waitFor();
      for (const width of [640, 768, 820, 1024]) {
        await page.setViewportSize({ width, height: 860 });
        await checkLayout(page, `${path} at ${width}`);
      }
      await page.close();
    }
  });

  it('says so if there is none at an address', async () => {
    for (const path of ['/nothing/here', '/waitlists/wl_acme/nothing']) {
      const page = await openDashboard(service, path, { as: owner });
      await page.getByRole('heading', { name: 'There is nothing behind this door' }).waitFor();
      page.problems.length = 0; // The browser reports the 404.
      await checkEverywhere(page, path);
      await page.close();
    }
  });

  it('is accessible without a session', async () => {
    for (const path of ['/sign-in', '/forgot-password']) {
      const page = await openDashboard(service, path);
      await page.getByLabel('Email').waitFor();
      await checkEverywhere(page, path);
      await page.close();
    }
  });

  it('does not say that a link was sent without a mail server', async () => {
    const page = await openDashboard(service, '/forgot-password');
    await page.getByLabel('Email').fill('nobody@example.com');
    await page.getByRole('button', { name: 'Request link' }).click();
    await page.getByRole('heading', { name: 'No email was sent' }).waitFor();
    await page.locator('h1:focus').waitFor();
    assert.equal(await page.getByText('on its way').count(), 0);
    await checkEverywhere(page, 'a password link without a mail server');
    await page.close();
  });

  it('creates a waitlist whose id was typed with its prefix', async () => {
    const page = await openDashboard(service, '/waitlists?create=1', { as: owner });
    await page.getByLabel('Name').fill('Long');
    await page.getByLabel('Id', { exact: true }).fill('');
    await page.getByLabel('Id', { exact: true }).pressSequentially('wl_long');
    await page.getByRole('button', { name: 'Create waitlist' }).click();
    await page.waitForURL('**/waitlists/wl_long');
    await page.close();
  });
});

function stat(page: DashboardPage, label: string, value: string) {
  return page
    .getByRole('term')
    .filter({ hasText: label })
    .locator('xpath=..')
    .getByText(value, { exact: true });
}
