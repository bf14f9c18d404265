import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { sharedNow } from '../../src/db/shared-clock.ts';
import { LANGUAGES, textsIn } from '../../src/languages/languages.ts';
import { HOUR_MS } from '../../src/lib/time.ts';
import { signLink } from '../../src/waitlist/links/links.ts';
import { checkPage, openDashboard, SIZES } from '../support/dashboard.ts';
import { ensureDashboard } from '../support/ensure-dashboard.ts';
import { openForm } from '../support/forms.ts';
import { freePort } from '../support/free-port.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { type Mailing, type MailingList, mailingList, mailsArrived, startMailing } from '../support/mails.ts';
import { setUp } from '../support/operators.ts';
import { assertAccessible, openPublicPage, picture } from '../support/public-pages.ts';
import { sharedChromium } from '../support/shared-chromium.ts';

const ADA = 'ada@example.com';
const LOOKS = [
  ['light', SIZES.desktop],
  ['dark', SIZES.phone],
  ['light', SIZES.phone],
  ['dark', SIZES.desktop],
] as const;

describe('the status page and somebody’s own data in a browser', () => {
  let server: MailServer;
  let service: Mailing;
  let browser: Browser;
  before(async () => {
    await ensureDashboard();
    server = await startMailServer();
    const port = await freePort();
    const environment = { DOORLIST_PUBLIC_URL: `http://127.0.0.1:${port}` };
    service = await startMailing('sqlite', server, { port, environment });
    browser = await sharedChromium();
  });
  after(async () => {
    await browser?.close();
    await service?.close();
    await server?.close();
  });

  const waitlist = async () => {
    const list = await mailingList(service, []);
    await openForm(service, {}, list);
    await list.signup({ email: ADA, metadata: { about: 'Difference engines' } });
    return list;
  };
  const statusOf = async (list: MailingList, email = ADA) => {
    const { id } = (await list.lookup(email)).body;
    const at = await sharedNow(service.context);
    return `${service.url}/s/${signLink(await list.queue(), 'status', { id, at })}`;
  };
  /** Looks at the page in both themes and at both widths. */
  const look = async (page: Page, name: string) => {
    for (const [colorScheme, size] of LOOKS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(size);
      await assertAccessible(page, `${name}, ${colorScheme}, ${size.width}`);
      await picture(page, `own-data-${name}-${colorScheme}-${size.width}`);
    }
  };
  const linkFromMail = async (list: MailingList, mails: number) => {
    const text = (await mailsArrived(server, list, mails)).at(-1)?.parsed.text ?? '';
    const [, path] = new RegExp(`${service.url}(/data/[\\w-]+)`).exec(text) ?? [];
    return service.url + (path ?? assert.fail(text));
  };
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

  it('downloads it, then deletes it, and the overview counts both', async () => {
    const list = await waitlist();
    const { page, problems, close } = await openPublicPage(browser, await statusOf(list));
    await look(page, 'status');
    await press(page, 'Download my data');
    await page.getByRole('heading', { name: 'Check your inbox' }).waitFor();
    await page.getByText('It works for one hour.').waitFor();
    await look(page, 'asked');

    await page.goto(await linkFromMail(list, 1));
    await page.getByRole('heading', { name: 'Download your data' }).waitFor();
    await look(page, 'download');
    const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Download my data')]);
    assert.equal(file.suggestedFilename(), 'my-data.json');
    const { entry } = JSON.parse(await readFile(await file.path(), 'utf8'));
    assert.deepEqual([entry.email, entry.metadata], [ADA, { about: 'Difference engines' }]);

    const status = await statusOf(list);
    await page.goto(status);
    await press(page, 'Delete my data');
    const link = await linkFromMail(list, 2);
    await page.goto(link);
    await page.getByRole('heading', { name: 'Delete your data' }).waitFor();
    await look(page, 'deletion');
    await press(page, 'Delete my data');
    await page.getByText('and all your data were erased.').waitFor();
    await look(page, 'deleted');
    assert.equal((await list.lookup(ADA)).status, 404);
    assert.deepEqual(problems, []);
    await page.goto(status);
    await page.getByRole('heading', { name: 'You’re not on the list' }).waitFor();
    assert.equal(await page.getByRole('button').count(), 0);
    await close();

    const owner = await setUp(service);
    const overview = await openDashboard(browser, service, `/waitlists/${list.id}`, { as: owner });
    const fact = (label: string) => overview.getByRole('term').filter({ hasText: label }).locator('xpath=..');
    await fact('Downloaded own data').getByText('1', { exact: true }).waitFor();
    await fact('Deleted own data').getByText('1', { exact: true }).waitFor();
    for (const [colorScheme, size] of LOOKS) {
      await overview.emulateMedia({ colorScheme });
      await overview.setViewportSize(size);
      await picture(overview, `own-data-overview-${colorScheme}-${size.width}`);
    }
    await checkPage(overview, 'an overview with own data');
    await overview.close();
    const emails = await openDashboard(browser, service, `/waitlists/${list.id}/emails`, { as: owner });
    await emails.getByText('Always on', { exact: true }).first().waitFor();
    await picture(emails, 'own-data-emails-light-1280');
    await emails.setViewportSize(SIZES.phone);
    await emails.emulateMedia({ colorScheme: 'dark' });
    await picture(emails, 'own-data-emails-dark-390');
    await checkPage(emails, 'emails that are always on');
    await emails.close();
  });

  it('leads from an expired link back to the status page', async () => {
    const list = await waitlist();
    const { page, close } = await openPublicPage(browser, await statusOf(list));
    await press(page, 'Delete my data');
    const link = await linkFromMail(list, 1);
    service.clock.advance(HOUR_MS + 1);
    await page.goto(link);
    await page.getByRole('heading', { name: 'This link has expired' }).waitFor();
    await look(page, 'expired');
    await page.getByRole('link', { name: 'Ask for a new link' }).click();
    await page.getByRole('button', { name: 'Delete my data' }).waitFor();
    assert.equal((await list.lookup(ADA)).status, 200);
    await close();
  });

  it('fits in every language, on a narrow phone too', async () => {
    const list = await waitlist();
    const { page, close } = await openPublicPage(browser, 'about:blank', {
      viewport: { width: 320, height: 640 },
    });
    for (const language of LANGUAGES) {
      await page.goto(`${await statusOf(list)}?lang=${language}`);
      await page.getByRole('button', { name: textsIn(language).ownData.delete }).waitFor();
      await assertAccessible(page, language);
      await picture(page, `own-data-status-${language}-320`);
    }
    await close();
  });
});
