import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { checkEverywhere, launchBrowser, openDashboard } from '../support/dashboard.ts';
import { freePort } from '../support/free-port.ts';
import { eventually, type List, type Service, startService } from '../support/harness.ts';
import { type Browser as Operator, OWNER, PASSWORD, setUp } from '../support/operators.ts';

let service: Service;
let list: List;
let browser: Browser;
let page: Page;
let origin: string;
let owner: Operator;

before(async () => {
  const port = await freePort(); // The public URL names it before the service has it.
  origin = `http://localhost:${port}`;
  service = await startService('sqlite', {
    port,
    environment: { DOORLIST_PUBLIC_URL: origin },
    streamTimes: { roundMs: 20 },
  });
  owner = await setUp(service);
  list = await service.waitlist();
  browser = await launchBrowser();
  page = await (await browser.newContext()).newPage();
  await page.goto(`${origin}/healthz`);
});
after(async () => {
  await browser?.close();
  await service?.close();
});

/** Runs a script in the page. It is text, because types of the browser are not those of Node. */
function inPage<T>(script: string, ...values: unknown[]): Promise<T> {
  const given = values.map((value) => JSON.stringify(value) ?? 'undefined').join(', ');
  return page.evaluate<T>(`(${script})(${given})`);
}

/** Calls the admin API as a script of the page would. */
function call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
  return inPage(
    `async (method, path, body) => {
      const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
      const response = await fetch('/admin/v1' + path, { method, ...(body === undefined ? {} : json) });
      return { status: response.status, body: await response.json() };
    }`,
    ...[method, path, body],
  );
}

/** Asks the browser's authenticator, as a script of the page would. */
function ask(method: 'create' | 'get', options: unknown): Promise<object> {
  return inPage(
    `async (method, options) => {
      const parse = method === 'create' ? 'parseCreationOptionsFromJSON' : 'parseRequestOptionsFromJSON';
      const publicKey = PublicKeyCredential[parse](options);
      return (await navigator.credentials[method]({ publicKey })).toJSON();
    }`,
    ...[method, options],
  );
}

/** A passkey device that always says yes. */
async function giveAuthenticator(to: Page) {
  const session = await to.context().newCDPSession(to);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { session, authenticatorId };
}

/** From a page without scripts: the dashboard goes to its sign-in page when a request says that the session is over. */
async function endSession(dashboard: Page): Promise<void> {
  await dashboard.goto('/healthz');
  await dashboard.context().clearCookies();
}

describe('accounts in a browser', () => {
  it('add a passkey and sign in with it alone', async () => {
    const { session, authenticatorId } = await giveAuthenticator(page);
    assert.equal((await call('POST', '/session', { email: OWNER.email, password: PASSWORD })).status, 200);
    const options = await call('POST', '/me/passkeys/options', {});
    assert.equal(options.status, 200);
    const added = await call('POST', '/me/passkeys', {
      name: 'Laptop',
      response: await ask('create', options.body),
    });
    assert.equal(added.status, 201, JSON.stringify(added.body));
    assert.equal((await call('DELETE', '/session')).status, 200);
    assert.equal((await call('GET', '/me')).status, 401);

    const start = await call('POST', '/session/passkey/options');
    const response = await ask('get', start.body);
    const signedIn = await call('POST', '/session/passkey', { response });
    assert.equal(signedIn.status, 200, JSON.stringify(signedIn.body));
    assert.equal((await call('GET', '/me')).status, 200);
    assert.equal((await call('POST', '/session/passkey', { response })).status, 401, 'a second time');

    await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    const again = await call('POST', '/session/passkey/options');
    await assert.rejects(ask('get', again.body), /NotAllowedError/);
  });

  it('add, use and remove a passkey on the pages of the dashboard', async () => {
    const dashboard = await openDashboard(browser, { url: origin }, '/account?tab=security', { as: owner });
    const { session, authenticatorId } = await giveAuthenticator(dashboard);
    const dialog = dashboard.getByRole('dialog');
    await dashboard.getByRole('button', { name: 'Add passkey' }).click();
    await dialog.getByLabel('Name').fill('Phone');
    await checkEverywhere(dashboard, 'the name of a passkey');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dashboard.getByText('Added Phone').waitFor();
    const phone = dashboard.getByRole('listitem').filter({ hasText: 'Phone' });
    await phone.getByText('Never used').waitFor();

    await endSession(dashboard);
    await dashboard.goto('/account?tab=security');
    await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await dashboard.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await dashboard.getByRole('alert').getByText('The passkey was not used').waitFor();
    await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
    await dashboard.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await phone.getByText('Last used').waitFor();
    assert.equal(new URL(dashboard.url()).search, '?tab=security');

    await dashboard.getByRole('button', { name: 'Remove Phone' }).click();
    await dialog.getByRole('button', { name: 'Remove passkey' }).click();
    await phone.waitFor({ state: 'detached' });
    await endSession(dashboard);
    await dashboard.goto('/sign-in');
    await dashboard.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await dashboard.getByRole('alert').waitFor();
    await dashboard.close();
  });

  it('watch a waitlist through EventSource', async () => {
    const seen = inPage<string[]>(
      `(url) => new Promise((resolve, reject) => {
        const source = new EventSource(url);
        const data = [];
        source.addEventListener('counters', (event) => {
          data.push(event.data);
          document.title = data.length + ' events';
          if (data.length < 2) return;
          source.close();
          resolve(data);
        });
        source.onerror = () => reject(new Error('the stream failed'));
      })`,
      `/admin/v1/stream?waitlist=${list.id}`,
    );
    await eventually(
      () => page.title(),
      (title) => title === '1 events',
    );
    await list.signup({ email: 'ada@example.com' });
    const waiting = (await seen).map((data) => (JSON.parse(data) as { waiting: number }).waiting);
    assert.deepEqual(waiting, [0, 1]);
  });
});
