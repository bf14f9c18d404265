import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { updateMailSettings } from '../../src/mail/update-settings.ts';
import { type Answer, forEachEngine } from '../support/harness.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import type { MailServer, ReceivedMail } from '../support/mail-server.ts';
import {
  allSent,
  countMails,
  header,
  type Mailing,
  mailingList,
  mailsArrived,
  nothingPending,
  PUBLIC_URL,
  startMailing,
  withMailing,
} from '../support/mails.ts';
import { without } from '../support/programs.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

forEachEngine((engine) => {
  describe('a page linked from an email', () => {
    let server: MailServer;
    let service: Mailing;
    withMailing(engine, (made) => {
      ({ server, service } = made);
    });

    const pathIn = (mail: ReceivedMail | undefined, page: string): string => {
      const found = new RegExp(`${PUBLIC_URL}(/${page}/[\\w-]+)`).exec(mail?.parsed.text ?? '')?.[1];
      assert.ok(found, mail?.parsed.text);
      return found;
    };
    const get = (path: string) => service.request('GET', path);
    const post = (path: string, body = 'List-Unsubscribe=One-Click') =>
      service.request('POST', path, {
        rawBody: body,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    const assertPage = (answer: Answer, status: number, words: RegExp) => {
      assert.equal(answer.status, status, answer.text);
      assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
      assert.match(
        answer.headers.get('content-security-policy') ?? '',
        /default-src 'none'.*form-action 'self'/,
      );
      assert.equal(answer.headers.get('referrer-policy'), 'no-referrer');
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      assert.doesNotMatch(answer.text, /<script/);
      assert.match(answer.text, words);
    };
    const statusOf = async (
      list: { lookup(email: string): Promise<Answer<{ status: string }>> },
      email: string,
    ) => (await list.lookup(email)).body.status;

    it('confirms only when the button is clicked, until the link expires after a week', async () => {
      const list = await mailingList(service, ['confirm', 'welcome'], { confirm: true });
      await list.signup({ email: 'ada@example.com' }, { email: 'late@example.com' });
      const mails = await mailsArrived(server, list, 2);
      const of = (email: string) => mails.find(({ to }) => to[0] === email);
      assert.equal(header(of('ada@example.com') as ReceivedMail, 'list-unsubscribe'), undefined);
      const path = pathIn(of('ada@example.com'), 'confirm');
      assertPage(await get(path), 200, /<button>Confirm<\/button>/);
      assert.equal(await statusOf(list, 'ada@example.com'), 'pending', 'opening it does nothing');
      assertPage(await post(path), 200, /is confirmed/);
      assert.equal(await statusOf(list, 'ada@example.com'), 'waiting');
      assertPage(await post(path), 200, /is confirmed/);
      await mailsArrived(server, list, 3); // And welcome, once.

      const late = pathIn(of('late@example.com'), 'confirm');
      await allSent(service, await list.queue()); // Else the leap ends the lease of one that is under way.
      service.clock.advance(8 * DAY_MS);
      assertPage(await post(late), 410, /Send me a new link/);
      assert.equal(await statusOf(list, 'late@example.com'), 'pending');
      const before = await countMails(service.context, list);
      assertPage(await post(`${late}/again`), 200, /on its way/);
      assertPage(await post(`${late}/again`), 200, /on its way/);
      assert.equal(await countMails(service.context, list), before + 1, 'at most one a day');
      const renewed = (await mailsArrived(server, list, 4)).at(-1);
      assertPage(await post(pathIn(renewed, 'confirm')), 200, /is confirmed/);
    });

    it('confirms in JSON for the backend of a custom page', async () => {
      const list = await mailingList(service, ['confirm'], { confirm: true });
      await updateMailSettings(service.context, list.id, {
        confirmUrl: 'https://app.example.com/confirm?token={token}',
      });
      await list.signup({ email: 'ada@example.com' }, { email: 'late@example.com' });
      const mails = await mailsArrived(server, list, 2);
      const tokenFor = (email: string) => {
        const mail = mails.find(({ to }) => to[0] === email);
        return /https:\/\/app\.example\.com\/confirm\?token=([\w-]+)/.exec(mail?.parsed.text ?? '')?.[1];
      };
      const ask = async (method: 'GET' | 'POST', path: string) => {
        const headers = { accept: 'application/json' };
        const { status, body } = await service.request(method, `/confirm/${path}`, { headers });
        return [status, body as Record<string, string>] as const;
      };
      const token = tokenFor('ada@example.com') ?? '';
      assert.deepEqual(await ask('GET', token), [200, { state: 'ready', waitlist: list.name }]);
      assert.equal(await statusOf(list, 'ada@example.com'), 'pending');
      for (let i = 0; i < 2; i += 1)
        assert.deepEqual(await ask('POST', token), [200, { state: 'confirmed', waitlist: list.name }]);
      assert.equal(await statusOf(list, 'ada@example.com'), 'waiting');
      const [status, { code }] = await ask('POST', `${token}x`);
      assert.deepEqual([status, code], [404, 'not_found']);

      await allSent(service, await list.queue());
      service.clock.advance(8 * DAY_MS);
      const late = tokenFor('late@example.com') ?? '';
      const [expired, { code: why }] = await ask('POST', late);
      assert.deepEqual([expired, why], [410, 'expired']);
      assert.deepEqual(await ask('POST', `${late}/again`), [200, { state: 'renewed', waitlist: list.name }]);
      await mailsArrived(server, list, 3);
    });

    it('does nothing for a link that was modified, has another purpose or belongs to another person', async () => {
      const list = await mailingList(service, ['confirm', 'welcome'], { confirm: true });
      await list.signup({ email: 'a@example.com' });
      const [mail] = await mailsArrived(server, list, 1);
      const path = pathIn(mail, 'confirm');
      const last = path.at(-3) === 'A' ? 'B' : 'A';
      const token = path.slice('/confirm/'.length);
      for (const bad of [
        `${path.slice(0, -3)}${last}${path.slice(-2)}`,
        `${path}x`,
        path.slice(0, -1),
        '/confirm/x',
        `/unsubscribe/${token}`,
        `/leave/${token}`,
        '/confirm/%00',
      ]) {
        const answer = await post(bad);
        assert.equal(answer.status, 404, bad);
      }
      assert.equal(await statusOf(list, 'a@example.com'), 'pending');
    });

    it('unsubscribes with one click from all but the necessary emails', async () => {
      const list = await mailingList(service, ['welcome', 'accepted', 'invite']);
      await list.signup({ email: 'ada@example.com' });
      const [mail] = await mailsArrived(server, list, 1);
      assert.ok(mail);
      const url = /<(.*)>/.exec(header(mail, 'list-unsubscribe') ?? '')?.[1] ?? '';
      const path = url.slice(PUBLIC_URL.length);
      assertPage(await get(path), 200, /Unsubscribe/);
      assertPage(await post(path), 200, /You are unsubscribed/);
      assertPage(await post(path), 200, /You are unsubscribed/);
      const { code } = await list.invite('ada@example.com');
      await mailsArrived(server, list, 2);
      await service.accept(code);
      await nothingPending(service.context, list);
      await mailsArrived(server, list, 2);
      assert.equal(await statusOf(list, 'ada@example.com'), 'joined', 'the place is kept');
    });

    it('lets people leave the waitlist and erases them', async () => {
      const list = await mailingList(service, ['welcome']);
      await list.signup({ email: 'ada@example.com' });
      const [mail] = await mailsArrived(server, list, 1);
      const path = pathIn(mail, 'leave');
      assertPage(await get(path), 200, /erase my data/);
      assert.equal(await statusOf(list, 'ada@example.com'), 'waiting');
      assertPage(await post(path), 200, /You have left/);
      assert.equal((await list.lookup('ada@example.com')).status, 404);
      assertPage(await post(path), 404, /already left the waitlist/);
      const { id } = await list.queue();
      const bodies = await service.context.db.query
        .selectFrom('event')
        .select('body')
        .where('queue_id', '=', id)
        .execute();
      assert.deepEqual(bodies, [{ body: null }]);
    });

    it('lets people leave who were invited but never signed up', async () => {
      const list = await mailingList(service, ['invite']);
      const { code } = await list.invite('ada@example.com');
      const [mail] = await mailsArrived(server, list, 1);
      const path = pathIn(mail, 'leave');
      assertPage(await get(path), 200, /erase my data/);
      assertPage(await post(path), 200, /You have left/);
      assertPage(await get(`/join/${code}`), 410, /was revoked/);
      assertPage(await post(path), 404, /already left the waitlist/);
      assertPage(await get(path), 404, /already left the waitlist/);
    });

    it('accepts an invite only by its button, and only once', async () => {
      const list = await mailingList(service, ['invite']);
      const { code } = await list.invite('ada@example.com');
      assertPage(await get(`/join/${code}`), 200, /ada@example.com/);
      assert.equal((await service.check(code)).body.valid, true);
      assertPage(await post(`/join/${code}`), 200, /You’re in/);
      assertPage(await post(`/join/${code}`), 409, /Already accepted/);
      assertPage(await get(`/join/${code}`), 409, /Already accepted/);
      assertPage(await get('/join/nonsense'), 404, /Invite not found/);
      const revoked = await list.invite('bob@example.com');
      await service.revoke(revoked.code);
      assertPage(await get(`/join/${revoked.code}`), 410, /was revoked/);
      assertPage(await get(`/join/${'x'.repeat(201)}`), 400, /copy the link again/);
    });
  });
});

describe('pages linked from emails', () => {
  const skip = without('Chromium');
  it('work without scripts at any width, and are rate limited like the invite endpoints', {
    skip,
  }, async () => {
    const service = await startMailing('sqlite', undefined, {
      environment: { DOORLIST_RATE_LIMIT_INVITE_CHECK: '3' },
    });
    let browser: Browser | undefined;
    try {
      const list = await mailingList(service, ['invite'], {});
      const { code } = await list.invite('ada@example.com');
      browser = await launchChromium();
      const context = await browser.newContext({
        javaScriptEnabled: false,
        viewport: { width: 320, height: 640 },
      });
      const page = await context.newPage();
      const problems: string[] = [];
      page.on('console', (message) => problems.push(message.text()));
      await page.goto(`${service.url}/join/${code}`);
      assert.ok((await page.screenshot()).length > 0);
      await page.getByRole('button', { name: 'Accept invite' }).click();
      await page.getByRole('heading', { name: 'You’re in' }).waitFor();
      assert.deepEqual(problems, [], 'the policy lets the page be what it is');
      const answers = [];
      for (let i = 0; i < 3; i += 1) answers.push((await service.request('GET', `/join/${code}`)).status);
      assert.deepEqual(answers, [409, 409, 429]);
    } finally {
      await browser?.close();
      await service.close();
    }
  });
});
