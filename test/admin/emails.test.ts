import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { listOperatorMails } from '../../src/mail/operators/mailbox.ts';
import { openAccounts } from '../../src/mail/operators/notices.ts';
import { openOperators } from '../../src/operators/context.ts';
import { createOperatorLink } from '../../src/operators/operators.ts';
import { COMMAND_LINE } from '../../src/operators/roles.ts';
import { BEGIN_WITHIN_MS } from '../../src/outbox/delivery.ts';
import { pruneEvents } from '../../src/outbox/prune.ts';
import { assertError, eventually, forEachEngine } from '../support/harness.ts';
import { type MailServer, type ReceivedMail, startMailServer } from '../support/mail-server.ts';
import { type Mailing, PUBLIC_URL, startMailing } from '../support/mails.ts';
import {
  adminToken,
  type Browser,
  browserOf,
  join,
  OWNER,
  PASSWORD,
  setUp,
  tokenOf,
} from '../support/operators.ts';
import { until } from '../support/webhooks.ts';

const FIREFOX = {
  'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
};

forEachEngine((engine) => {
  describe('emails to operators', () => {
    let server: MailServer;
    let service: Mailing;
    let owner: Browser;
    before(async () => {
      server = await startMailServer();
      service = await startMailing(engine, server);
      owner = await setUp(service);
    });
    after(async () => {
      await service.close();
      await server.close();
    });

    const to = (email: string) => server.received.filter(({ parsed }) => parsed.to?.[0]?.address === email);
    /** And recorded as sent: a claim that outlives its lease, when the clock moves on, would be sent again. */
    const arrived = async (email: string, count: number): Promise<ReceivedMail> => {
      await until(`${count} mails to ${email}`, () => to(email).length >= count);
      const opened = await openOperators(service.context);
      await until('nothing is pending', async () =>
        (await listOperatorMails(opened, { limit: 200 })).mails.every(({ state }) => state !== 'pending'),
      );
      assert.equal(to(email).length, count);
      return to(email).at(-1) as ReceivedMail;
    };
    const linkIn = ({ parsed }: ReceivedMail) =>
      /https:\/\/doorlist\.example\/password\/[\w-]+/.exec(parsed.text ?? '')?.[0] ?? '';
    const forgot = (email: unknown) => browserOf(service).post('/password/forgot', { email });

    it('invites with the same link that the API returns', async () => {
      const email = 'ada@example.com';
      const invited = await owner.post<{ link: { url: string; emailed: boolean } }>('/operators', {
        email,
        role: 'support',
      });
      assert.equal(invited.body.link.emailed, true);
      const mail = await arrived(email, 1);
      assert.equal(mail.parsed.subject, 'Your invitation to Doorlist on doorlist.example');
      assert.equal(mail.parsed.from?.address, 'hello@acme.example');
      assert.match(mail.parsed.text ?? '', /^You're invited\n\ngrace@example\.com invited you to help run/);
      assert.equal(linkIn(mail), invited.body.link.url);
      assert.ok(mail.parsed.html?.includes(invited.body.link.url));
      assert.equal(
        mail.parsed.headers.find(({ key }) => key === 'list-unsubscribe'),
        undefined,
      );
      const token = tokenOf(linkIn(mail));
      assert.equal(
        (await browserOf(service).post('/password', { token, name: 'Ada', password: PASSWORD })).status,
        200,
      );
      assert.equal((await browserOf(service).signIn(email, PASSWORD)).status, 200);
      assert.equal(to(email).length, 1, 'neither accepting an invitation nor the first sign-in is news');
    });

    it('resets a forgotten password, once, and tells that it changed', async () => {
      const email = 'alan@example.com';
      const alan = await join(service, owner, 'viewer', email);
      await arrived(email, 1);
      service.clock.advance(5 * 60_000 + 1);
      assert.equal((await forgot(' Alan@Example.com ')).status, 202);
      const mail = await arrived(email, 2);
      assert.equal(mail.parsed.subject, 'Reset your password for doorlist.example');
      const token = tokenOf(linkIn(mail));
      const password = 'nanoseconds are wires';
      const set = () => browserOf(service).post('/password', { token, password });
      assert.equal((await set()).status, 200);
      assertError(await set(), 410, 'expired');
      assertError(await alan.get('/me'), 401, 'unauthorized');
      assert.equal(
        (await arrived(email, 3)).parsed.subject,
        'Your password for doorlist.example was changed',
      );
      const [asked] = (
        await owner.get<{ records: { actor: object; object: { name: string } }[] }>(
          '/audit?action=password.reset_requested&limit=1',
        )
      ).body.records;
      assert.deepEqual(
        asked?.actor,
        { kind: 'anonymous', id: null, name: null },
        'whoever asked is not known',
      );
      assert.equal(asked?.object.name, email);
    });

    it('leaves no link in the old mailbox of somebody who has changed their email', async () => {
      const email = 'hedy@example.com';
      const hedy = await join(service, owner, 'viewer', email);
      await arrived(email, 1);
      service.clock.advance(5 * 60_000 + 1);
      await forgot(email);
      const token = tokenOf(linkIn(await arrived(email, 2)));
      const moved = await hedy.patch('/me', { email: 'lamarr@example.com', password: PASSWORD });
      assert.equal(moved.status, 200, moved.text);
      const password = 'frequencies hop';
      assertError(await browserOf(service).post('/password', { token, password }), 410, 'expired');
      assert.equal((await browserOf(service).signIn('lamarr@example.com', PASSWORD)).status, 200);
    });

    it('says the same to a stranger, and writes nothing', async () => {
      const count = async () =>
        (await listOperatorMails(await openOperators(service.context), { limit: 200 })).mails.length;
      const written = await count();
      const known = await forgot(OWNER.email);
      await eventually(count, (now) => now === written + 1);
      for (const email of ['nobody@example.com', 'not an email', '']) {
        const answer = await forgot(email);
        assert.equal(answer.status, 202, answer.text);
        assert.deepEqual(answer.body, { success: true, mailServer: true });
        assert.deepEqual(answer.body, known.body);
      }
      assertError(await browserOf(service).post('/password/forgot', {}), 400, 'invalid_request', /email/);
      assertError(await forgot(1), 400, 'invalid_request', /email/);
      assertError(
        await browserOf(service).post('/password/forgot', { email: 'a@b.co', name: 'x' }),
        400,
        'invalid_request',
        /name/,
      );
      assert.equal(await count(), written + 1);
    });

    it('sends one in five minutes, and keeps earlier links working', async () => {
      const email = 'edsger@example.com';
      await join(service, owner, 'viewer', email);
      await arrived(email, 1);
      service.clock.advance(5 * 60_000 + 1);
      await forgot(email);
      const first = await arrived(email, 2);
      await forgot(email);
      service.clock.advance(5 * 60_000 + 1);
      await forgot(email);
      const second = await arrived(email, 3);
      assert.notEqual(linkIn(first), linkIn(second));
      const set = (mail: ReceivedMail) =>
        browserOf(service).post('/password', {
          token: tokenOf(linkIn(mail)),
          password: 'nanoseconds are wires',
        });
      assert.equal((await set(first)).status, 200);
      assertError(await set(second), 410, 'expired');
    });

    it('tells about a changed password, two-factor turned off, and a sign-in in a new browser', async () => {
      const email = 'barbara@example.com';
      const barbara = await join(service, owner, 'viewer', email);
      await arrived(email, 1);
      const { operator } = (await barbara.get<{ operator: { id: string } }>('/me')).body;
      await barbara.post('/me/password', { password: PASSWORD, newPassword: 'nanoseconds are wires' });
      const changed = await arrived(email, 2);
      assert.equal(changed.parsed.subject, 'Your password for doorlist.example was changed');
      assert.match(changed.parsed.text ?? '', /It came from the address 127\.0\.0\.1\./);
      assert.equal((await barbara.signIn(email, 'nanoseconds are wires')).status, 200);
      const elsewhere = browserOf(service);
      const body = { email, password: 'nanoseconds are wires' };
      await elsewhere.request('POST', '/admin/v1/session', { body, headers: FIREFOX });
      const news = await arrived(email, 3);
      assert.equal(news.parsed.subject, 'New sign-in to doorlist.example');
      assert.match(news.parsed.text ?? '', /Browser: Firefox on Windows\n- Address: 127\.0\.0\.1/);
      assert.equal((await elsewhere.signIn(email, 'nanoseconds are wires')).status, 200);
      const row = { totp: Buffer.from('x') };
      await service.context.db.query.updateTable('operator').set(row).where('role', '=', 'viewer').execute();
      await createOperatorLink(await openAccounts(service.context), COMMAND_LINE, { id: operator.id }, true);
      await until('both mails', () => to(email).length === 5);
      assert.deepEqual(
        to(email)
          .slice(3)
          .map(({ parsed }) => parsed.subject)
          .sort(),
        ['Reset your password for doorlist.example', 'Two-factor authentication for doorlist.example is off'],
      );
    });

    it('are erased with the operator, and pruned with the other deliveries', async () => {
      const opened = await openOperators(service.context);
      const email = 'eve@example.com';
      service.clock.advance(1);
      await join(service, owner, 'viewer', email);
      await arrived(email, 1);
      const { operators } = (await owner.get<{ operators: { id: string; email: string }[] }>('/operators'))
        .body;
      await owner.delete(`/operators/${operators.find((one) => one.email === email)?.id}`);
      const { mails } = await listOperatorMails(opened, { limit: 1 });
      assert.equal(mails[0]?.to, null);
      const key = await adminToken(service);
      const shown = await service.request<{ subject: string | null }>(
        'GET',
        `/admin/v1/mails/${mails[0]?.id}`,
        { key },
      );
      assert.equal(shown.body.subject, null);
      service.clock.advance(31 * 86_400_000);
      await pruneEvents(service.context, 30 * 86_400_000);
      assert.deepEqual((await listOperatorMails(opened, { limit: 1 })).mails, []);
    });
  });

  describe('an email to an operator', () => {
    it('is sent even if the mail server takes longer to greet than an attempt may wait to begin', async () => {
      const server = await startMailServer();
      const service = await startMailing(engine, server);
      try {
        server.greetAfterMs = BEGIN_WITHIN_MS + 500;
        const body = { email: 'ada@example.com', role: 'viewer' };
        const key = await adminToken(service);
        assert.equal((await service.request('POST', '/admin/v1/operators', { key, body })).status, 201);
        await until('the email', () => server.received.length === 1);
      } finally {
        await service.close();
        await server.close();
      }
    });
  });

  describe('emails to operators without a mail server', () => {
    let service: Mailing;
    let key: string;
    before(async () => {
      service = await startMailing(engine);
      key = await adminToken(service);
    });
    after(() => service.close());

    interface Page {
      mails: { id: string; kind: string; to: string; state: string }[];
      nextCursor: string | null;
    }
    const page = async (query = '') => {
      const answer = await service.request<Page>('GET', `/admin/v1/mails${query}`, { key });
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };

    it('are not said to be sent when a password was forgotten', async () => {
      const { status, body } = await browserOf(service).post('/password/forgot', { email: 'a@b.co' });
      assert.deepEqual([status, body], [202, { success: true, mailServer: false }]);
    });

    it('are kept where owners can read them, newest first', async () => {
      for (const name of ['a', 'b', 'c']) {
        service.clock.advance(1); // Those of one millisecond have no order.
        const body = { email: `${name}@example.com`, role: 'viewer' };
        assert.equal((await service.request('POST', '/admin/v1/operators', { key, body })).status, 201);
      }
      const { mails } = await eventually(
        () => page(),
        (found) => found.mails.every(({ state }) => state === 'kept'),
      );
      assert.deepEqual(
        mails.map(({ to }) => to),
        ['c@example.com', 'b@example.com', 'a@example.com'],
      );
      assert.deepEqual(
        new Set(mails.map(({ kind, state }) => `${kind} ${state}`)),
        new Set(['invitation kept']),
      );
      const first = await page('?limit=2');
      const second = await page(`?limit=2&cursor=${first.nextCursor}`);
      assert.deepEqual([...first.mails, ...second.mails], mails);
      assert.equal(second.nextCursor, null);
      assert.deepEqual((await page('?state=failed')).mails, []);
      const shown = await service.request<{ text: string; html: string }>(
        'GET',
        `/admin/v1/mails/${mails[0]?.id}`,
        {
          key,
        },
      );
      assert.match(shown.body.text, new RegExp(`${PUBLIC_URL}/password/[\\w-]+`));
      assert.ok(shown.body.html.startsWith('<!doctype html>'));
      for (const query of ['?limit=0', '?state=lost', '?cursor=x', '?x=1'])
        assertError(await service.request('GET', `/admin/v1/mails${query}`, { key }), 400, 'invalid_request');
      for (const id of ['none', 'evt_06gxx2p9r1yn1vp1ryss481fhw'])
        assertError(await service.request('GET', `/admin/v1/mails/${id}`, { key }), 404, 'not_found');
      const admin = await adminToken(service, 'admin');
      assertError(await service.request('GET', '/admin/v1/mails', { key: admin }), 403, 'forbidden');
    });
  });
});
