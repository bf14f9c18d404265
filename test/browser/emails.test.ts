import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { hashOf, suppress } from '../../src/waitlist/links/suppression.ts';
import { checkAt, checkLayout, type DashboardPage, sizeOn, useDashboard } from '../support/dashboard.ts';
import { eventually, forEachEngine, type List } from '../support/harness.ts';
import { startMailServer } from '../support/mail-server.ts';
import { allSent, mailInState, mailingList, mailPutOff, nothingPending } from '../support/mails.ts';
import { type Browser, join, setUp } from '../support/operators.ts';
import { startSending, until } from '../support/webhooks.ts';

const openDashboard = useDashboard();

forEachEngine((engine) => {
  const size = sizeOn(engine);
  const check = checkAt(size);
  let service: Awaited<ReturnType<typeof startSending>>;
  let owner: Browser;
  let support: Browser;
  let list: List;
  before(async () => {
    service = await startSending(engine, { startAt: Date.now() });
    owner = await setUp(service);
    support = await join(service, owner, 'support', 'sue@example.com');
    list = await service.waitlist({ name: 'Acme' });
  });
  after(() => service.close());

  const open = (path: string, as = owner) => openDashboard(service, path, { as, size });
  const settingsOf = async (waitlistId: string) =>
    (await owner.get<{ kinds: string[] }>(`/waitlists/${waitlistId}/mail/settings`)).body;
  const frameOf = (page: DashboardPage) => page.frameLocator('iframe[src="/mail-frame"]');

  describe(`emails on a ${size}`, () => {
    it('turns a kind on, edits its template with a live preview, and shows the email that a person gets', async () => {
      const page = await open(`/waitlists/${list.id}/emails`);
      await page.getByText('No mail server yet.').waitFor();
      await page.getByRole('switch', { name: 'Send Welcome' }).click();
      await page.getByText('Welcome is on').waitFor();
      const { kinds } = await settingsOf(list.id);
      await owner.patch(`/waitlists/${list.id}/mail/settings`, { kinds: [...kinds, 'accepted'] });
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Welcome is off').waitFor();
      assert.equal(await page.getByText('Welcome is on').count(), 0, 'it is no longer so');
      assert.equal(
        (await settingsOf(list.id)).kinds.includes('accepted'),
        true,
        'somebody else turned it on',
      );
      await page.getByRole('switch', { name: 'Send Welcome' }).focus();
      await page.keyboard.press('Space');
      await page.getByText('Welcome is on').waitFor();
      await page.locator('[role=switch]:focus[aria-checked=true]').waitFor();
      assert.equal((await settingsOf(list.id)).kinds.includes('accepted'), true);
      await checkLayout(page, 'templates');

      await page.getByRole('link', { name: /^Welcome/ }).click();
      const body = page.getByLabel('Body');
      await body.fill('# Hi\n\nYou are {{ postion }}.');
      await page.getByRole('button', { name: /^Line 3: There is no {{ postion }}/ }).click();
      assert.equal(
        await page.evaluate(
          '(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.activeElement)',
        ),
        'You are {{ postion }}.',
      );
      await check(page, 'a template with a problem');

      await body.fill('# Hello from the editor\n\nYour place: ');
      await body.press('Control+End');
      await page.getByRole('button', { name: 'Insert position' }).click();
      assert.match(await body.inputValue(), /Your place: {{ position }}$/);
      await page.getByLabel('Subject').fill('Hello {{ email }}');
      await frameOf(page).getByText('Your place: 42', { exact: true }).waitFor();
      await page.getByText('Hello ada@example.com').waitFor();
      await page.getByRole('button', { name: 'Phone', exact: true }).click();
      assert.equal(new URL(page.url()).searchParams.get('view'), 'phone');
      await checkLayout(page, 'the editor');

      await page.getByRole('link', { name: 'Emails' }).first().click();
      await page.getByRole('button', { name: 'Keep editing' }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Template saved').waitFor();
      await page.getByText('Edited').waitFor();

      await list.signup({ email: 'person@example.com' });
      await page.goto(`/waitlists/${list.id}/emails?tab=log`);
      await page.getByRole('button', { name: 'person@example.com' }).click();
      await page.getByRole('heading', { name: 'Hello person@example.com' }).waitFor();
      await frameOf(page).getByRole('heading', { name: 'Hello from the editor' }).waitFor();
      await frameOf(page).getByText('Your place: 1', { exact: true }).waitFor();
      await page.getByText('Kept here').waitFor();
      await check(page, 'an email');

      await page.getByRole('button', { name: 'Resend' }).click();
      await page.getByText('There is no mail server, so emails are kept.').waitFor();
      await page.getByRole('button', { name: 'Resend email' }).click();
      await page.getByText('Recorded again, not emailed: no mail server').waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'Hello person@example.com' }).waitFor({ state: 'hidden' });
      await page.close();
    });

    it('marks a text that is missing, and nothing that was corrected', async () => {
      const page = await open(`/waitlists/${list.id}/emails/moved-up`);
      const [subject, body] = [page.getByLabel('Subject'), page.getByLabel('Body')];
      await body.fill('{{ nope }}');
      const problem = page.getByRole('button', { name: /There is no {{ nope }}/ });
      await problem.waitFor();
      await subject.fill('');
      await body.fill('ok');
      await page.getByText('Subject is required.').waitFor();
      await problem.waitFor({ state: 'detached' });
      assert.equal(await subject.getAttribute('aria-invalid'), 'true');
      assert.equal(await body.getAttribute('aria-invalid'), 'false');
      await page.getByText('As it was before the problem.').waitFor();
      await check(page, 'a template without a subject');
      await subject.fill('Hello');
      await body.fill('');
      await page.getByRole('button', { name: 'Body is required.' }).waitFor();
      await page.getByText('Subject is required.').waitFor({ state: 'detached' });
      assert.equal(await body.getAttribute('aria-invalid'), 'true');
      await body.fill('Good again.');
      await frameOf(page).getByText('Good again.', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Template saved').waitFor();
      await page.close();
    });

    it('keeps what another tab saved meanwhile', async () => {
      const [first, second] = [
        await open(`/waitlists/${list.id}/emails/accepted?language=fr`),
        await open(`/waitlists/${list.id}/emails/accepted?language=fr`),
      ];
      const saved = async () =>
        (
          await owner.get<{ subject: string; body: string }>(
            `/waitlists/${list.id}/mail/templates/accepted?language=fr`,
          )
        ).body;
      const save = (page: DashboardPage) => page.getByRole('button', { name: 'Save' }).click();
      await second.getByLabel('Body').fill('From the second.');
      await first.getByLabel('Subject').fill('From the first');
      await save(first);
      await first.getByText('Template saved').waitFor();

      await save(second);
      await second.getByText('The new subject is shown here. Save again to keep both changes.').waitFor();
      assert.equal((await saved()).subject, 'From the first', 'nothing was saved');
      assert.equal(await second.getByLabel('Subject').inputValue(), 'From the first');
      assert.equal(await second.getByLabel('Body').inputValue(), 'From the second.');
      second.problems.length = 0; // The browser reports the 409 that we wanted.
      await check(second, 'a template that was changed meanwhile');
      await save(second);
      await second.getByText('Template saved').waitFor();
      const { subject, body } = await saved();
      assert.deepEqual([subject, body], ['From the first', 'From the second.']);

      await first.getByLabel('Body').fill('From the first, too.');
      await save(first);
      await first.getByText('Your body is still here.').waitFor();
      assert.equal((await saved()).body, 'From the second.', 'nothing was saved');
      first.problems.length = 0;
      await check(first, 'a template that was changed meanwhile in the same place');
      await first.getByRole('button', { name: 'Discard my changes' }).click();
      assert.equal(await first.getByLabel('Body').inputValue(), 'From the second.');
      await first.close();
      await second.close();
    });

    it('runs nothing that an email contains, and follows none of its links', async () => {
      const page = await open(`/waitlists/${list.id}/emails/invite`);
      await frameOf(page).getByRole('link', { name: 'Accept your invite' }).dispatchEvent('click');
      await page.evaluate(`
        addEventListener('message', ({ data }) => { if (data?.broke) document.title = 'broke'; });
        document.querySelector('iframe').contentWindow.postMessage({ mail: '<p>inert</p>' +
          '<img src="x" onerror="parent.postMessage({ broke: true }, \\'*\\')">' +
          '<script>parent.postMessage({ broke: true }, "*")</' + 'script><a href="https://example.com/">away</a>' }, '*');
      `);
      await frameOf(page).getByText('inert').waitFor();
      await frameOf(page).getByText('away').dispatchEvent('click');
      await frameOf(page).getByText('inert').waitFor();
      assert.notEqual(await page.title(), 'broke');
      const cookies = await page
        .frames()[1]
        ?.evaluate('(() => { try { return document.cookie } catch { return "none" } })()');
      assert.equal(cookies, 'none');
      await page.close();
    });

    it('sends a test, resets a template and takes that back', async () => {
      const page = await open(`/waitlists/${list.id}/emails/accepted?environment=development`);
      await page.getByText('You are looking at').or(page.getByText('data')).first().waitFor();
      const before = await page.getByLabel('Body').inputValue();
      await page.getByLabel('Body').fill('Mine alone.');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Template saved').waitFor();
      await page.getByRole('button', { name: 'Send test' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Emails in development are kept, not sent.').waitFor();
      await dialog.getByRole('button', { name: 'Send test' }).click();
      await dialog.getByText(/^The test to .* was kept, not sent$/).waitFor();
      await page.getByRole('button', { name: 'Back to the template' }).click();
      await page.getByRole('button', { name: 'Reset' }).click();
      await page.getByRole('button', { name: 'Reset template' }).click();
      await page.getByText('Template reset').waitFor();
      assert.equal(await page.getByLabel('Body').inputValue(), before);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Edited').waitFor();
      assert.equal(await page.getByLabel('Body').inputValue(), 'Mine alone.');
      await page.close();
    });

    it('says beside the button that nothing was saved, and leads to the first of the bad fields', async () => {
      const page = await open(`/waitlists/${list.id}/emails?tab=settings`);
      const save = () => page.getByRole('button', { name: 'Save changes' }).click();
      const bar = page.locator('[data-save-bar]');
      await page.getByLabel('Footer').fill('Acme Inc.');
      await save();
      await page.getByText('Saved your changes').waitFor();

      await page.getByLabel('Page for invites').fill('https://acme.example/join');
      await page.getByLabel('Link that people share').fill('https://acme.example/');
      await save();
      await bar.getByText('Not saved. Correct the 2 marked fields.').waitFor();
      assert.equal(await page.getByText('Saved your changes').count(), 0, 'that was another time');
      const first = page.getByLabel('Page for invites');
      assert.equal(
        await page.evaluate('document.activeElement.labels?.[0]?.textContent'),
        'Page for invites',
      );
      page.problems.length = 0; // The browser reports what was refused.
      await checkLayout(page, 'settings that were not saved');

      await page.route('**/mail/settings*', (route) => route.abort());
      await save();
      await bar.getByText('Not saved. The server cannot be reached: check your connection.').waitFor();
      assert.equal(await first.inputValue(), 'https://acme.example/join', 'nothing is lost');
      await page.getByRole('button', { name: 'Discard' }).click();
      await bar.waitFor({ state: 'detached' });
      assert.equal(await page.locator('[aria-invalid=true]').count(), 0);
      await page.getByLabel('Footer').fill('Acme Ltd.');
      await bar.getByText('You have unsaved changes.').waitFor();
      await page.getByRole('button', { name: 'Discard' }).click();
      page.problems.length = 0;
      await page.close();
    });

    it('changes the sender, and shows errors of the API at their field', async () => {
      const page = await open(`/waitlists/${list.id}/emails?tab=settings`);
      await page.getByLabel('Link that people share').fill('https://acme.example/');
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page
        .getByText(/with {referralCode} in it/)
        .first()
        .waitFor();
      page.problems.length = 0; // The browser reports the 400 that we wanted.
      await page.getByLabel('Link that people share').fill('https://acme.example/?ref={referralCode}');
      await page.getByLabel('Reply to').fill('help@acme.example');
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('Saved your changes').waitFor();
      await page.getByText('Nothing is checked until there is a mail server.').waitFor();
      assert.equal(await page.getByText(/, checked/).count(), 0);
      await checkLayout(page, 'email settings');
      const saved = await owner.get<{ replyTo: string }>(`/waitlists/${list.id}/mail/settings`);
      assert.equal(saved.body.replyTo, 'help@acme.example');
      await page.getByRole('tab', { name: 'Suppressions' }).click();
      await page.getByText('No suppressed addresses').waitFor();
      await page.getByRole('button', { name: 'Remove an address' }).waitFor({ state: 'detached' });
      await page.close();
    });

    it('shows emails to operators in the mailbox of the owner, and those of waitlists to support', async () => {
      const page = await open('/instance/mailbox');
      await page.getByRole('button', { name: 'person@example.com' }).first().waitFor();
      await page.getByRole('combobox', { name: 'Emails of' }).click();
      await page.getByRole('option', { name: 'Emails to operators' }).click();
      await page.getByRole('button', { name: 'sue@example.com' }).click();
      await frameOf(page).getByRole('link').first().waitFor();
      await check(page, 'an invitation');
      await page.close();

      const theirs = await open('/instance/mailbox', support);
      await theirs.getByRole('button', { name: 'person@example.com' }).first().waitFor();
      assert.equal(await theirs.getByText('sue@example.com').count(), 0);
      await checkLayout(theirs, 'the mailbox');
      await theirs.goto(`/waitlists/${list.id}/emails/welcome`);
      await frameOf(theirs).getByText('Your place: 42', { exact: true }).waitFor();
      assert.equal(await theirs.getByRole('button', { name: 'Save' }).count(), 0);
      assert.equal(await theirs.getByLabel('Body').getAttribute('readonly'), '');
      await theirs.close();
    });

    it('edits one language, keeps the defaults of the others, and marks what is out of date', async () => {
      const acme = await mailingList(service, ['welcome']);
      const page = await open(`/waitlists/${acme.id}/emails/welcome?language=de`);
      const subject = page.getByLabel('Subject');
      const save = async () => {
        await page.getByRole('button', { name: 'Save' }).click();
        await page
          .getByRole('button', { name: 'Save' })
          .and(page.locator('[aria-disabled=true]:not([aria-busy])'))
          .waitFor();
      };
      const choose = async (language: string) => {
        await page.getByRole('combobox', { name: 'Language' }).click();
        await page.getByRole('option', { name: new RegExp(`^${language}`) }).click();
      };
      await page.getByText(/^Du stehst auf der Warteliste/).waitFor();
      await subject.fill('Servus');
      await choose('English');
      await page.getByRole('button', { name: 'Keep editing' }).click();
      await save();
      await choose('English');
      const english = await eventually(
        () => subject.inputValue(),
        (text) => text !== 'Servus',
      );
      assert.match(english, /^You are on/);
      await page.getByText('With the default text: English').waitFor();
      await subject.fill('Howdy');
      await save();
      await page.getByText('Out of date: German.').waitFor();
      await choose('German');
      await page.getByText('English was edited after this text.').waitFor();
      assert.equal(await subject.inputValue(), 'Servus');
      await check(page, 'a template that is out of date');
      await page.getByRole('button', { name: 'Mark as up to date' }).click();
      await page.getByText('English was edited after this text.').waitFor({ state: 'detached' });
      await choose('French');
      await frameOf(page)
        .getByText(/liste d’attente/)
        .first()
        .waitFor({ state: 'attached' });
      await page.close();
    });

    it('warns before people stay pending for ever, and sends the confirmation again', async () => {
      const server = await startMailServer();
      const sending = await startSending(engine, {
        startAt: Date.now(),
        environment: { DOORLIST_SMTP_URL: server.url, DOORLIST_MAIL_FROM: 'hello@acme.example' },
      });
      try {
        const admin = await setUp(sending);
        const acme = await mailingList(sending, ['welcome']);
        const show = (path: string) =>
          openDashboard(sending, `/waitlists/${acme.id}${path}`, { as: admin, size });
        const page = await show('/settings');
        await page.getByRole('switch', { name: 'Confirm email addresses' }).click();
        await page.getByText('the email with the link is off').waitFor();
        await check(page, 'confirmation without its email');
        await page.getByRole('button', { name: 'Save changes' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByText('New people stay pending').waitFor();
        await dialog.getByRole('button', { name: 'Save anyway' }).click();
        await page.getByText('Saved your changes').waitFor();
        await acme.signup({ email: 'stuck@example.com' }, { email: 'gone@example.com' });
        const queue = await acme.queue();
        await suppress(
          sending.context.db.query,
          queue,
          hashOf(queue, 'gone@example.com'),
          'bounced',
          Date.now(),
        );

        await page.goto(`/waitlists/${acme.id}/emails`);
        await page.getByText('Only people who use the form get it.').waitFor();
        await page.getByRole('switch', { name: 'Send Confirm email' }).click();
        await page.getByText('Confirm email is on').waitFor();
        await page.getByText('Only people who use the form get it.').waitFor({ state: 'detached' });
        await page.getByRole('switch', { name: 'Send Confirm email' }).click();
        await page.getByRole('dialog').getByText('This waitlist requires people to confirm').waitFor();
        await page.getByRole('button', { name: 'Cancel' }).click();

        await page.goto(`/waitlists/${acme.id}/queue?tab=pending`);
        await page.getByRole('button', { name: 'Send confirmations again' }).click();
        await page.getByText('1 person gets an email').waitFor();
        await page.getByText('1 person left out: the address bounced').waitFor();
        await check(page, 'sending confirmations again');
        await page.getByRole('button', { name: 'Send 1 person a link' }).click();
        await page.getByText('Sending confirmations again').waitFor();
        await sending.runJobs();
        sending.wake();
        await until('it arrived', () => server.received.length === 1);

        await page.getByRole('gridcell', { name: 'gone@example.com' }).click();
        await page.getByText('Gets no emails.').waitFor();
        await check(page, 'a person who bounced');
        await page.getByRole('button', { name: 'Lift suppression' }).click();
        await page.getByText('Can be emailed').waitFor();
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: 'Send confirmation again' }).click();
        await page.getByText('The confirmation to gone@example.com is on its way').waitFor();
        sending.wake();
        await until('it arrived, too', () => server.received.length === 2);

        await page.goto(`/waitlists/${acme.id}/emails?tab=log`);
        await page.getByLabel('Find emails by exact address').fill('gone@example.com');
        await page.getByLabel('Find emails by exact address').press('Enter');
        await page.getByRole('button', { name: 'gone@example.com' }).waitFor();
        await page.getByRole('button', { name: 'stuck@example.com' }).waitFor({ state: 'detached' });
        await check(page, 'emails to one address');
        assert.equal(new URL(page.url()).search, '?tab=log', 'addresses end up in logs');
        await page.getByRole('button', { name: 'gone@example.com' }).click();
        await page.getByRole('dialog').waitFor();
        await page.reload();
        await page.getByRole('button', { name: 'Close' }).click();
        assert.equal(await page.getByLabel('Find emails by exact address').inputValue(), 'gone@example.com');
        await page.getByLabel('Find emails by exact address').fill('');
        await page.getByRole('button', { name: 'stuck@example.com' }).waitFor();
        await page.close();
      } finally {
        await sending.close();
        await server.close();
      }
    });

    it('sends what was kept, once there is a mail server', async () => {
      const acme = await mailingList(service, ['invite']);
      await acme.invite('kept@example.com');
      await acme.invite('other@example.com');
      await nothingPending(service.context, acme);
      const before = await open(`/waitlists/${acme.id}/invites`);
      if (size === 'desktop')
        await before.getByRole('row', { name: /kept@example\.com .*Open .*Not sent/ }).waitFor();
      await check(before, 'invites that were not sent');
      await before.close();
      await service.stopSending(); // It has no mail server, and would keep what the other one is to send.
      const server = await startMailServer();
      const sending = await startSending(engine, {
        storage: service.storage,
        startAt: Date.now(),
        environment: { DOORLIST_SMTP_URL: server.url, DOORLIST_MAIL_FROM: 'hello@acme.example' },
      });
      try {
        const page = await openDashboard(sending, `/waitlists/${acme.id}/emails`, { as: owner, size });
        await page.getByText('2 emails were not sent').waitFor();
        await check(page, 'kept emails');
        // The job may have ended before the page knows of it.
        await page.route('**/mails/send-kept?*', async (route) => {
          const response = await route.fetch();
          await sending.runJobs();
          await route.fulfill({ response });
        });
        await page.getByRole('button', { name: 'Send the 2 kept emails' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Send emails' }).click();
        await page.getByText('Sending kept emails').waitFor();
        sending.wake();
        await page.getByText('Handed over 2 emails to be sent').waitFor();
        await until('both arrived', () => server.received.length === 2);
        await page.getByText('2 emails were not sent').waitFor({ state: 'detached' });
        await page.close();
      } finally {
        await sending.close();
        await server.close();
      }
    });

    it('says why sending is paused, and sends failed emails again', async () => {
      let moving: NodeJS.Timeout | undefined;
      const server = await startMailServer();
      const sending = await startSending(engine, {
        startAt: Date.now(),
        environment: { DOORLIST_SMTP_URL: server.url, DOORLIST_MAIL_FROM: 'hello@acme.example' },
        dispatcher: { mailPausesMs: [50] },
      });
      try {
        const admin = await setUp(sending);
        const acme = await mailingList(sending, ['welcome']);
        const queue = await acme.queue();
        server.refuseMail = () => '554 5.7.1 Looks like spam';
        await acme.signup({ email: 'lost@example.com' });
        await mailInState(sending, queue, 'failed');
        server.refuseMail = () => '550 5.7.26 Unauthenticated email';
        await acme.signup({ email: 'waits@example.com' });
        await mailPutOff(sending, queue);
        const page = await openDashboard(sending, `/waitlists/${acme.id}/emails?tab=log`, {
          as: admin,
          size,
        });
        await page.getByText('Sending is paused').waitFor();
        await page.getByText(/It said: 550 5\.7\.26 Unauthenticated email/).waitFor();
        await checkLayout(page, 'paused emails');
        const other = await mailingList(sending, ['welcome']);
        const checked = page.waitForResponse(/\/admin\/v1\/health$/);
        await page.goto(`/waitlists/${other.id}/emails?tab=log`);
        await (await checked).finished();
        await page.getByText('No emails yet').waitFor();
        assert.equal(await page.getByText('Sending is paused').count(), 0, 'it is not, for this one');
        await page.goto(`/waitlists/${acme.id}/emails?tab=log`);
        server.refuseMail = () => undefined;
        await page.getByRole('button', { name: 'Retry failed' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('button', { name: 'Retry', exact: true }).click();
        await page.getByText('Sending failed emails again').waitFor();
        await sending.runJobs();
        // While one email asks whether sending works again, the other waits a moment.
        moving = setInterval(() => {
          sending.clock.advance(1_000);
          sending.wake();
        }, 50);
        await allSent(sending, queue);
        await page.close();
      } finally {
        clearInterval(moving);
        await sending.close();
        await server.close();
      }
    });
  });
});
