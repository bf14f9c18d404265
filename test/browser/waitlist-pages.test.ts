import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { SOURCE_SIGNUPS_MAX } from '../../src/waitlist/forms/limits.ts';
import {
  checkAt,
  checkLayout,
  type DashboardPage,
  openNavigation,
  sizeOn,
  useDashboard,
} from '../support/dashboard.ts';
import { openForm, SITE } from '../support/forms.ts';
import { eventually, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { type Browser, join, setUp } from '../support/operators.ts';

const openDashboard = useDashboard();

const HOSTILE = '<img src=x onerror=alert(1)>';

/** A dialog takes the focus a moment after it is shown. That could close what was opened in it before. */
const focusedDialog = (page: DashboardPage) => page.locator('[role=dialog]:focus-within');

forEachEngine((engine) => {
  let service: Service;
  let owner: Browser;
  before(async () => {
    service = await startService(engine, { startAt: Date.now() });
    owner = await setUp(service);
  });
  after(() => service?.close());

  const size = sizeOn(engine);
  /** Pages with the same content are checked in every-page.test.ts. */
  const check = checkAt(size);
  describe(`on a ${size}`, () => {
    let list: List;
    before(async () => {
      list = await service.waitlist({ name: `Acme ${HOSTILE}` });
    });
    const open = (path: string) => openDashboard(service, path, { as: owner, size });

    it('creates a key, tries it, rotates it and revokes it', async () => {
      const page = await open(`/waitlists/${list.id}/api`);
      const dialog = page.getByRole('dialog');
      const shownKey = async () => {
        await page.getByRole('heading', { name: 'Copy your key' }).waitFor();
        const text = (await dialog.getByRole('code').first().textContent()) ?? '';
        await dialog.getByRole('button', { name: 'Done' }).click();
        return text;
      };
      await page.getByRole('button', { name: 'Create key' }).first().click();
      await dialog.getByLabel('Name').fill('Website backend');
      await dialog.getByRole('button', { name: 'Create key' }).click();
      const first = await shownKey();
      await page.getByText('Website backend').waitFor();
      await page.getByRole('button', { name: 'Send request' }).click();
      await page.getByText('"created": 1').waitFor();
      assert.equal((await list.lookup('ada@example.com')).status, 200);

      await page.getByRole('button', { name: `Rotate dl_live_…${first.slice(-4)}` }).click();
      await dialog.getByRole('button', { name: 'Rotate key' }).click();
      const second = await shownKey();
      assert.notEqual(second, first);
      await page.getByText('Expiring').waitFor();
      const ask = async (key: string) =>
        (await service.request('GET', `/sdk/v1/waitlist/${list.id}/entries/ada@example.com`, { key })).status;
      assert.deepEqual([await ask(first), await ask(second)], [200, 200]);

      await page.getByRole('button', { name: `Revoke dl_live_…${second.slice(-4)}` }).click();
      await dialog.getByRole('button', { name: 'Revoke key' }).click();
      await page.getByRole('cell', { name: 'Revoked' }).waitFor();
      assert.deepEqual([await ask(first), await ask(second)], [200, 401]);
      await check(page, 'API');
      // As if there were more than fit on a page of the API.
      await page.route('**/keys?*', (route) => {
        const url = new URL(route.request().url());
        const cursor = url.searchParams.get('cursor');
        if (cursor === null) return route.fulfill({ json: { keys: [], nextCursor: 'next' } });
        url.searchParams.delete('cursor');
        return route.continue({ url: url.href });
      });
      await page.reload();
      await page.getByText('Website backend').first().waitFor();
      await page.close();
    });

    it('creates a gate key for a provider, sets its secret and deletes it', async () => {
      const page = await open(`/waitlists/${list.id}/api`);
      const dialog = page.getByRole('dialog');
      await page.getByRole('button', { name: 'Create gate key' }).click();
      await dialog.getByLabel('Name').fill('Our Supabase');
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await page.getByRole('heading', { name: 'Copy your gate URL' }).waitFor();
      await focusedDialog(page).waitFor();
      await dialog.getByRole('combobox', { name: 'Who asks' }).click();
      await page.getByRole('option', { name: 'Supabase' }).click();
      await dialog.getByText('?shape=supabase').waitFor();
      const url = (await dialog.getByRole('code').first().textContent()) ?? '';
      const { pathname: gate } = new URL(url);
      await check(page, 'a new gate key');
      await dialog.getByRole('button', { name: 'Done' }).click();
      const ask = async () =>
        (await service.request('POST', gate, { body: { email: 'a@b.example' } })).status;
      assert.equal(await ask(), 200);

      const masked = `dlg_…${gate.slice(-4)}`;
      await page.getByRole('button', { name: `Set secret of ${masked}` }).click();
      await dialog.getByLabel('Secret').fill('v1,whsec_abc');
      await dialog.getByRole('button', { name: 'Save secret' }).click();
      await dialog.getByText('Is incomplete').waitFor();
      page.problems.length = 0;
      await dialog.getByLabel('Secret').fill('v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
      await dialog.getByRole('button', { name: 'Save secret' }).click();
      await page.getByRole('cell', { name: 'Signed', exact: true }).waitFor();
      assert.equal(await ask(), 401);

      await page.getByRole('button', { name: `Delete ${masked}` }).click();
      await dialog.getByRole('button', { name: 'Delete key' }).click();
      await page.getByText('No gate keys yet').waitFor();
      await page.close();
    });

    it('shows the topic of a key for Amazon SES, sets another one and resets it', async () => {
      const of = await service.waitlist();
      const topic = 'arn:aws:sns:us-east-1:123456789012:wrong';
      await of.mailEvents({ provider: 'ses', topic });
      const page = await open(`/waitlists/${of.id}/emails?tab=suppressions`);
      const dialog = page.getByRole('dialog');
      await page.getByText(topic).waitFor();
      await page.getByRole('button', { name: /^Set topic of dle_…/ }).click();
      await dialog.getByLabel('Topic ARN').fill('bounces');
      await dialog.getByRole('button', { name: 'Save topic' }).click();
      await dialog.getByText(/must be/i).waitFor();
      page.problems.length = 0;
      await dialog.getByLabel('Topic ARN').fill(topic.replace('wrong', 'bounces'));
      await check(page, 'the topic of a key');
      await dialog.getByRole('button', { name: 'Save topic' }).click();
      await page.getByText(topic.replace('wrong', 'bounces')).waitFor();
      await page.getByRole('button', { name: /^Set topic of dle_…/ }).click();
      await dialog.getByLabel('Topic ARN').fill('');
      await dialog.getByRole('button', { name: 'Reset topic' }).click();
      await page.getByText('The topic of the first subscription').waitFor();
      await page.close();
    });

    it('creates a mail event key for a provider, shows who complained, and deletes the key', async () => {
      const page = await open(`/waitlists/${list.id}/emails?tab=suppressions`);
      const dialog = page.getByRole('dialog');
      await page.getByRole('button', { name: 'Create mail event key' }).click();
      await dialog.getByLabel('Name').fill('Our Postmark');
      await dialog.getByRole('combobox', { name: 'Who reports' }).click();
      await page.getByRole('option', { name: 'Postmark' }).click();
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await page.getByRole('heading', { name: 'Copy your URL for mail events' }).waitFor();
      await focusedDialog(page).waitFor();
      const url = new URL((await dialog.getByRole('code').first().textContent()) ?? '');
      await dialog.getByRole('button', { name: 'Done' }).click();
      const body = { RecordType: 'SpamComplaint', Email: 'ada@example.com' };
      const { status, text } = await service.request('POST', url.pathname + url.search, { body });
      assert.equal(status, 200, text);
      await page.reload();
      await page.getByRole('cell', { name: 'Complained' }).waitFor();
      await page.getByRole('cell', { name: 'Postmark', exact: true }).waitFor();
      await check(page, 'suppressions with a mail event key');
      await page.getByRole('link', { name: 'ada@example.com' }).click();
      await page.getByRole('dialog').getByRole('heading', { name: 'ada@example.com' }).waitFor();
      await page.goBack();
      await page.getByRole('button', { name: 'Remove an address' }).click();
      await dialog.getByLabel('Email').fill('nobody@example.com');
      await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
      await dialog.getByText('This address is not suppressed.').waitFor();
      page.problems.length = 0; // The browser reports the error that we wanted.
      await dialog.getByRole('button', { name: 'Cancel' }).click();

      await page.getByRole('button', { name: `Delete dle_…${url.pathname.slice(-4)}` }).click();
      await dialog.getByRole('button', { name: 'Delete key' }).click();
      await page.getByText('No mail event keys yet').waitFor();
      await page.close();
    });

    it('checks a file, imports it, and exports the people again', async () => {
      const page = await open(`/waitlists/${list.id}/transfer`);
      const file = page.getByLabel('File', { exact: true });
      await file.setInputFiles({ name: 'people.exe', mimeType: 'x/y', buffer: Buffer.from('x') });
      await page.getByText('Choose a .csv').waitFor();
      await file.setInputFiles({
        name: 'people.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('a,b\n1,2\n'),
      });
      await page.getByText('First choose which column has emails or phones.').waitFor();
      assert.ok(await page.getByRole('button', { name: 'Check file' }).isDisabled());
      await checkLayout(page, 'import without emails');
      const rows = [
        'Email,Company',
        'mary@example.com,Shuttle',
        'nobody,Nothing',
        `joan@example.com,${HOSTILE}`,
      ];
      await file.setInputFiles({
        name: 'people.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(rows.join('\n')),
      });
      await page.getByRole('button', { name: 'Check file' }).click();
      await page.getByRole('heading', { name: 'Checking the file' }).waitFor();
      await service.runJobs();
      await figure(page, 'Would be added', '2').waitFor();
      await figure(page, 'Bad rows', '1').waitFor();
      assert.equal((await list.lookup('mary@example.com')).status, 404, 'nothing is written yet');
      const errors = await downloaded(page, () =>
        page.getByRole('link', { name: 'Download bad rows' }).click(),
      );
      assert.match(
        errors,
        /^Doorlist line,Doorlist reason,Email,Company\r\n3,email: [^,]+,nobody,Nothing\r\n$/,
      );
      await page.getByRole('row', { name: /^3 email \S+/ }).waitFor();

      await page.getByRole('button', { name: 'Import 2 people into production' }).click();
      await page.getByRole('button', { name: 'Cancel', exact: true }).waitFor();
      await service.runJobs();
      await figure(page, 'Added', '2').waitFor();
      assert.equal((await list.lookup('joan@example.com')).body.metadata?.Company, HOSTILE);
      await check(page, 'import');
      await page.goBack();
      await figure(page, 'Would be added', '2').waitFor();

      await page.getByRole('tab', { name: 'Export' }).click();
      await page.getByLabel('Signed up before').fill('12026-01-01');
      await page.getByText('Enter a year of four digits.').waitFor();
      await page.getByLabel('Signed up before').fill('2999-01-01');
      await page.getByRole('textbox', { name: 'Metadata' }).fill('Company=Shuttle');
      const csv = await downloaded(page, () =>
        page.getByRole('button', { name: 'Export', exact: true }).click(),
      );
      assert.match(csv, /mary@example\.com/);
      assert.doesNotMatch(csv, /joan@example\.com/);
      await page.getByRole('cell', { name: '1 person' }).waitFor();
      await checkLayout(page, 'export');
      await page.route('**/jobs?*', async (route) => {
        const response = await route.fetch();
        const { jobs } = (await response.json()) as { jobs: object[] };
        return route.fulfill({ json: { jobs: jobs.map((job) => ({ ...job, state: 'failed' })) } });
      });
      await page.reload();
      await page.getByRole('cell', { name: 'Failed' }).waitFor();
      await page.close();
    });

    it('shows what the columns of another service are, and undoes their import', async () => {
      const page = await open(`/waitlists/${list.id}/transfer`);
      const file = page.getByLabel('File', { exact: true });
      const choice = (column: string) => page.getByRole('combobox', { name: `Import ${column} as` });
      const rows = [
        'Email Address,Signed up (PST),Referral code,Referred By Code,constructor',
        'kay@example.com,3/4/2024 1:00 PM,K1,L1,one',
        'lin@example.com,3/5/2024 1:00 PM,L1,,two',
        'max@example.com,3/6/2024 1:00 PM,M1,NONE,"thr\nee"',
      ];
      await file.setInputFiles({
        name: 'rival.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(rows.join('\n')),
      });
      await page.getByText('kay@example.com · lin@example.com · max@example.com').waitFor();
      for (const [column, field] of [
        ['Email Address', 'Email'],
        ['Signed up (PST)', 'Time they joined'],
        ['Referral code', 'Referral code'],
        ['Referred By Code', 'Referred by'],
        ['constructor', 'Metadata'],
      ] as const)
        assert.equal(await choice(column).innerText(), field, column);
      // Two columns, and the format: the first numbers of all dates could be days.
      assert.equal(await page.getByText('Guess', { exact: true }).count(), 3);
      await page.getByText('Detected: PST (UTC-8)').waitFor();
      await page.getByText('“3/4/2024 1:00 PM” is read as').waitFor();
      await checkLayout(page, 'columns');
      await page.getByRole('combobox', { name: 'Date format' }).click();
      await page.getByRole('option', { name: 'Day/month/year' }).click();
      await page.getByText('Guess', { exact: true }).nth(2).waitFor({ state: 'detached' });

      await page.getByRole('button', { name: 'Check file' }).click();
      await page.getByRole('heading', { name: 'Checking the file' }).waitFor();
      await service.runJobs();
      await figure(page, 'Would be added', '3').waitFor();
      await page.getByText('1 referrer in "Referred By Code" could not be found').waitFor();
      await page.getByText('kept as metadata: "constructor"').waitFor();
      await checkLayout(page, 'check');
      await page.getByRole('button', { name: 'Import 3 people into production' }).click();
      await page.getByRole('button', { name: 'Cancel', exact: true }).waitFor();
      await service.runJobs();
      await figure(page, 'Added', '3').waitFor();
      const { createdAt, referredBy } = (await list.lookup('kay@example.com')).body;
      assert.deepEqual([createdAt, referredBy], ['2024-04-03T21:00:00.000Z', 'lin@example.com']);

      await page.getByRole('button', { name: 'Undo import' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('3 people will be removed').waitFor();
      await check(page, 'undo');
      await dialog.getByRole('button', { name: 'Undo import' }).click();
      await page.getByText('Undoing the import.').waitFor();
      await service.runJobs();
      await page.getByText('Undone. 3 people were removed.').waitFor();
      await page.getByRole('cell', { name: 'Undone, 3 removed' }).waitFor();
      assert.equal((await list.lookup('kay@example.com')).status, 404);

      await file.setInputFiles({
        name: 'mailchimp.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('Email Address,OPTIN_TIME,CONFIRM_TIME\nkay@example.com,,2024-03-04 10:00:00\n'),
      });
      await page.getByText('Looks like a Mailchimp export').waitFor();
      await page.close();
    });

    it('cancels an import before it has begun', async () => {
      const page = await open(`/waitlists/${list.id}/transfer`);
      const buffer = Buffer.from('{"email":"never@example.com"}\n');
      await page
        .getByLabel('File', { exact: true })
        .setInputFiles({ name: 'people.jsonl', mimeType: 'text/plain', buffer });
      await page.getByRole('button', { name: 'Check file' }).click();
      const cancelled = page.waitForResponse((response) => response.request().method() === 'DELETE');
      await page.getByRole('button', { name: 'Cancel', exact: true }).click();
      await cancelled;
      await service.runJobs();
      await page.getByText('What was imported before stays').waitFor();
      await page.close();
    });

    it('cancels an upload', async () => {
      const page = await open(`/waitlists/${list.id}/transfer`);
      await page.route('**/imports?*', (route) => route.request().method() === 'POST' || route.continue());
      const buffer = Buffer.from('{"email":"never@example.com"}\n');
      await page
        .getByLabel('File', { exact: true })
        .setInputFiles({ name: 'people.jsonl', mimeType: 'text/plain', buffer });
      await page.getByRole('button', { name: 'Check file' }).click();
      await page.getByRole('button', { name: 'Cancel upload' }).click();
      await page.getByRole('progressbar').waitFor({ state: 'detached' });
      assert.equal(await page.getByRole('button', { name: 'Check file' }).isEnabled(), true);
      assert.equal(await page.getByRole('alert').count(), 0);
      await page.close();
    });

    it('turns the form on, and a person joins on its page', async () => {
      const page = await open(`/waitlists/${list.id}/form`);
      await page.getByRole('button', { name: 'Turn on' }).click();
      await page.getByRole('link', { name: 'Open page' }).waitFor();
      await page.getByRole('button', { name: 'Add field' }).click();
      await page.getByLabel('Label').fill('Company size');
      assert.equal(await page.getByLabel('Metadata key').inputValue(), 'company_size');
      await page.getByRole('button', { name: 'Add field' }).click();
      await page
        .getByLabel('Label')
        .last()
        .fill(`What do you do, in a label that goes ${'on and '.repeat(8)}on?`);
      await checkLayout(page, 'a field with a long label');
      await page.getByRole('button', { name: 'Remove field 2' }).click();
      await page.getByLabel('Headline').fill(HOSTILE);
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('Saved your changes').waitFor();
      await page.getByText('You have unsaved changes').waitFor({ state: 'detached' });
      await checkLayout(page, 'form');

      await page.getByRole('tab', { name: 'Install' }).click();
      const { body: form } = await owner.get<{ key: string }>(`/waitlists/${list.id}/form`);
      await page.getByText(`form-key="${form.key}"`).first().waitFor();
      await page.getByLabel('Allowed origins').fill('example.com');
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page
        .getByText('example.com: Must be an origin such as https://example.com, without wildcards.')
        .waitFor();
      page.problems.length = 0;
      await page.getByLabel('Allowed origins').fill('https://example.com/');
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('You have unsaved changes').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'WordPress' }).click();
      await page.getByRole('code').filter({ hasText: '[doorlist_form]' }).waitFor();
      await checkLayout(page, 'form, install');

      const hosted = `/w/${list.id}`;
      const shows = (status: number) =>
        eventually(
          async () => (await fetch(service.url + hosted)).status,
          (found) => found === status,
        );
      await shows(200);
      const visitor = await openDashboard(service, hosted, { size });
      await visitor.getByLabel('Email', { exact: true }).fill('joined@example.com');
      await visitor.getByLabel('Company size').fill('10');
      service.clock.advance(2_000);
      await visitor.getByRole('button', { name: 'Join the waitlist' }).click();
      await visitor.getByText('in line.').waitFor();
      await visitor.close();
      assert.equal((await list.lookup('joined@example.com')).body.metadata?.company_size, '10');

      const bot = { email: 'bot@example.com', website: 'https://spam.example' };
      const origin = 'https://example.com';
      await service.request('POST', `/form/v1/${form.key}`, { body: bot, headers: { origin } });
      await page.getByRole('tab', { name: 'Activity' }).click();
      await page.getByText('Filled in the field that only bots see').waitFor();
      await page.getByText('No referral looks suspicious').waitFor();
      await checkLayout(page, 'form, activity');
      await page.getByRole('button', { name: 'Turn off' }).click();
      await page.getByRole('heading', { name: 'Turn the form off in production?' }).waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click();
      await page.getByRole('button', { name: 'Turn on' }).waitFor();
      await page.close();
    });

    it('changes settings, closes the waitlist and deletes it', async () => {
      const page = await open(`/waitlists/${list.id}/settings`);
      const dialog = page.getByRole('dialog');
      await page.getByLabel('Places per referral').fill('9');
      await page.getByText('gets a new position').waitFor();
      await page.getByLabel('Metadata to count').fill('a, b, c, d, e, f');
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('Must have at most 5 keys.').first().waitFor();
      page.problems.length = 0;
      await page.getByLabel('Metadata to count').fill('plan');
      await openNavigation(page);
      await page.getByRole('link', { name: 'Queue', exact: true }).click();
      await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor();
      await page.getByRole('button', { name: 'Keep editing' }).click();
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByRole('button', { name: 'Dismiss' }).click();
      const saved = await owner.get<{ boost: number; metadataKeys: string[] }>(`/waitlists/${list.id}`);
      assert.deepEqual([saved.body.boost, saved.body.metadataKeys], [9, ['plan']]);
      await page.getByRole('button', { name: 'Close waitlist', exact: true }).click();
      await dialog.getByRole('button', { name: 'Close waitlist' }).click();
      await page.getByRole('button', { name: 'Open waitlist', exact: true }).waitFor();
      assert.equal((await list.signup({ email: 'late@example.com' })).status, 409);
      await checkLayout(page, 'settings');

      await page.getByRole('button', { name: 'Delete waitlist', exact: true }).click();
      const remove = dialog.getByRole('button', { name: 'Delete waitlist' });
      assert.equal(await remove.isDisabled(), true);
      await page.getByLabel(/to confirm/).fill(list.id);
      const held = Promise.withResolvers<void>();
      await page.route(`**/waitlists/${list.id}`, async (route) => {
        await held.promise;
        await route.continue();
      });
      await remove.click();
      await page.getByRole('button', { name: 'Delete waitlist', disabled: true }).last().waitFor();
      await page.keyboard.press('Escape');
      assert.equal(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled(), true);
      await check(page, 'a deletion under way');
      held.resolve();
      await page.getByRole('heading', { name: 'Waitlists' }).waitFor();
      assert.equal((await owner.get(`/waitlists/${list.id}`)).status, 404);
      await page.close();
    });

    it('creates an environment with a product key, and shows the health', async () => {
      const page = await open('/instance/environments');
      const dialog = page.getByRole('dialog');
      const name = `staging-${size}`;
      await page.getByRole('button', { name: 'Create environment' }).click();
      await page.getByLabel('Name').fill('production');
      await dialog.getByRole('button', { name: 'Create environment' }).click();
      await dialog.getByText(/already exists/).waitFor();
      page.problems.length = 0;
      await page.getByLabel('Name').fill(name);
      await dialog.getByRole('button', { name: 'Create environment' }).click();
      await page.getByRole('cell', { name }).waitFor();
      await checkLayout(page, 'environments');

      await page.goto(`/instance/keys?environment=${name}`);
      await page.getByRole('button', { name: 'Create key' }).first().click();
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await page.getByRole('heading', { name: 'Copy your key' }).waitFor();
      assert.match((await dialog.getByRole('code').first().textContent()) ?? '', /^dl_test_/);
      await dialog.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('cell', { name: 'Active' }).waitFor();
      await checkLayout(page, 'product keys');

      await service.waitlist(); // It sends emails.
      await page.goto('/instance/health');
      await page.getByRole('list', { name: 'Checks' }).getByText('schema version').waitFor();
      await page.getByText('Not sent', { exact: true }).waitFor();
      await check(page, 'health');
      const checks = page.getByRole('list', { name: 'Checks' });
      const levelOf = (what: string) =>
        checks.getByRole('listitem').filter({ hasText: what }).locator('svg').getAttribute('aria-label');
      assert.equal(await levelOf('master key'), 'Warning');
      await checks.getByRole('button', { name: 'I keep a copy of the key' }).click();
      await checks.getByText('A copy is kept, as confirmed on').waitFor();
      assert.deepEqual([await levelOf('master key'), await levelOf('mail server')], ['Fine', 'Warning']);
      await page.getByText('Nobody is told.').waitFor();
      await page.getByRole('button', { name: 'Set up' }).click();
      await dialog.getByLabel('Webhook URL').fill('http://10.0.0.1/');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText('Must start with https://').waitFor();
      page.problems.length = 0;
      await dialog.getByLabel('Webhook URL').fill('');
      await dialog.getByRole('switch', { name: 'Email owners and admins' }).click();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Owners and admins get no email: there is no mail server.').waitFor();
      await page.getByRole('button', { name: 'Send test' }).click();
      await page.getByText('There is no mail server: set DOORLIST_SMTP_URL').waitFor();
      page.problems.length = 0;
      await checks.getByRole('link', { name: 'Show mail server' }).click();
      await page.getByRole('heading', { name: 'Emails' }).waitFor();
      await page.close();
    });
  });

  it('allows a site that was blocked with one click, and keeps what else was changed', async () => {
    const form = await openForm(service);
    const site = 'https://www.acme.example';
    await form.get({ headers: { origin: site } });
    const page = await openDashboard(service, `/waitlists/${form.list.id}/form`, { as: owner, size });
    await page.getByText('A site was blocked').waitFor();
    await check(page, 'a blocked site');
    await page.getByLabel('Headline').fill('Half a headline');
    await page.getByRole('button', { name: `Allow ${site}` }).click();
    await page.getByText('A site was blocked').waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Headline').inputValue(), 'Half a headline');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved your changes').waitFor();
    const { body } = await owner.get<{ allowedOrigins: string[] }>(`/waitlists/${form.list.id}/form`);
    assert.deepEqual(body.allowedOrigins, [SITE, site]);
    await page.close();
  });

  it('credits and rejects referrals that look like abuse', async () => {
    const form = await openForm(service);
    await form.list.signup({ email: 'ada@example.com' });
    const ref = (await form.list.lookup('ada@example.com')).body.referralCode;
    const origin = { headers: { origin: SITE, 'content-type': 'application/json' } };
    for (let i = 0; i < SOURCE_SIGNUPS_MAX + 2; i += 1)
      await form.join({ email: `friend${i}@example.com`, ref }, origin);
    const path = `/waitlists/${form.list.id}/form?tab=activity`;
    const page = await openDashboard(service, path, { as: owner });
    const rows = page.getByRole('table');
    await rows.getByRole('button', { name: 'Credit' }).first().click();
    await page.getByRole('cell', { name: 'Credited' }).waitFor();
    await rows.getByRole('button', { name: 'Reject' }).click();
    await page.getByText('ada@example.com loses the credit in production').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Reject referral' }).click();
    await page.getByRole('cell', { name: 'Rejected' }).waitFor();
    assert.equal((await form.list.lookup('ada@example.com')).body.referrals, SOURCE_SIGNUPS_MAX + 1);
    await check(page, 'referrals to review');
    await page.close();
  });

  it('shows a viewer the form without what only admins may change', async () => {
    const list = await service.waitlist();
    const viewer = await join(service, owner, 'viewer', 'viewer@example.com');
    const page = await openDashboard(service, `/waitlists/${list.id}/form`, { as: viewer });
    await page.getByText('Only an admin can change the form.').waitFor();
    assert.equal(await page.getByRole('tab', { name: 'Setup' }).count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Turn on' }).count(), 0);
    assert.equal(await page.getByRole('link', { name: 'Import and export' }).count(), 0);
    await check(page, 'form, as a viewer');
    await page.goto(`/waitlists/${list.id}/settings`);
    await page.getByRole('heading', { name: 'You need the admin role' }).waitFor();
    assert.equal(await page.getByRole('textbox').count(), 0);
    await check(page, 'settings, as a viewer');
    await page.close();
  });
});

function figure(page: DashboardPage, label: string, value: string) {
  return page.locator('dl > div').filter({ hasText: label }).getByText(value, { exact: true });
}

async function downloaded(page: DashboardPage, start: () => Promise<void>): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), start()]);
  return readFileSync(await download.path(), 'utf8');
}
