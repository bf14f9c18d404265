import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { AnyFinding } from '../../src/installation/health.ts';
import { tellChanges } from '../../src/installation/health-alerts.ts';
import { listOperatorMails, showOperatorMail } from '../../src/mail/operators/mailbox.ts';
import { openAccounts } from '../../src/mail/operators/notices.ts';
import { type AdminClient, adminClient, auditOf, succeeded } from '../support/admin.ts';
import { assertError, forEachEngine } from '../support/harness.ts';
import { join, setUp } from '../support/operators.ts';
import { type Receiver, startReceiver, status } from '../support/receiver.ts';
import { command } from '../support/terminal.ts';
import { startSending, until } from '../support/webhooks.ts';

type Finding = { what: string; level: string; detail: string };

const MINUTE_MS = 60_000;
const PAUSED: AnyFinding = { what: 'sending emails', ok: false, detail: 'paused: wrong password' };
const OLD: AnyFinding = { what: 'backup', ok: true, level: 'warning', detail: 'last made 12 days ago' };

forEachEngine((engine) => {
  let service: Awaited<ReturnType<typeof startSending>>;
  let receiver: Receiver;
  let admin: AdminClient;
  before(async () => {
    service = await startSending(engine);
    receiver = await startReceiver(status(200));
    const owner = await setUp(service);
    await join(service, owner, 'admin', 'admin@example.com');
    await join(service, owner, 'viewer', 'viewer@example.com');
    admin = await adminClient(service, 'admin');
  });
  after(async () => {
    await service.close();
    await receiver.close();
  });

  const alerts = async () => {
    const context = await openAccounts(service.context);
    const { mails } = await listOperatorMails(context, { limit: 100 });
    return mails.filter(({ kind }) => kind === 'health');
  };
  /** Two instances look at the same moment, once a minute. */
  const look = async (minutes: number, ...findings: AnyFinding[]) => {
    const instances = [await openAccounts(service.context), await openAccounts(service.context)];
    let settled: boolean[] = [];
    for (let minute = 0; minute < minutes; minute += 1) {
      service.clock.advance(MINUTE_MS);
      settled = await Promise.all(
        instances.map((operators) => tellChanges(service.context, operators, service.config, findings)),
      );
    }
    return settled.every(Boolean);
  };

  it('are off until somebody wants them, and go only to public addresses', async () => {
    const { body } = await admin.get('/health/alerts');
    assert.deepEqual(body, { emails: false, mailServer: false, webhookUrl: null, lastAttempt: null });
    assertError(await admin.post('/health/alerts/test'), 409, 'conflict');
    const refused = await admin.patch<{ message: string }>('/health/alerts', {
      webhookUrl: 'http://10.0.0.1/',
    });
    assertError(refused, 400, 'invalid_request');
    assert.match(refused.body.message, /^webhookUrl: must start with https/);
    const wanted = { emails: true, webhookUrl: receiver.url };
    succeeded(await admin.patch('/health/alerts', wanted));
    const [record] = (await auditOf(service, 'instance:instance')).slice(-1);
    assert.deepEqual(record?.details.after, { alertEmails: true, alertWebhook: new URL(receiver.url).host });
  });

  it('send a test to owners, admins and the webhook', async () => {
    succeeded(await admin.post('/health/alerts/test'), 202);
    await until('the test arrives', () => receiver.received.length === 1);
    const sent = JSON.parse(receiver.received[0]?.body ?? '');
    assert.equal(sent.event, 'health.test');
    assert.match(sent.text, /This is a test\.$/);
    assert.deepEqual((await alerts()).map(({ to }) => to).sort(), ['admin@example.com', 'grace@example.com']);
    await until('the attempt is in the log', async () => {
      const { body } = await admin.get<{ lastAttempt: { error: string | null } | null }>('/health/alerts');
      return body.lastAttempt !== null && body.lastAttempt.error === null;
    });
  });

  it('are not said to be emailed without a mail server', async () => {
    const mailServer = async () => {
      const { body } = await admin.get<{ findings: Finding[] }>('/health');
      return body.findings.find(({ what }) => what === 'mail server');
    };
    const change = async (body: object) =>
      succeeded(await admin.patch<{ mailServer: boolean }>('/health/alerts', body));
    assert.equal((await change({ emails: true, webhookUrl: null })).mailServer, false);
    const refused = await admin.post<{ message: string }>('/health/alerts/test');
    assertError(refused, 409, 'conflict');
    assert.match(refused.body.message, /^there is no mail server: set DOORLIST_SMTP_URL/);
    const unsent = 'DOORLIST_SMTP_URL is not set: alerts by email are kept in the mailbox and not sent';
    assert.deepEqual([(await mailServer())?.level, (await mailServer())?.detail], ['warning', unsent]);
    await change({ emails: false, webhookUrl: receiver.url });
    assert.equal((await mailServer())?.level, 'fine');
    await change({ emails: true });
  });

  it('go to the URL as it is called, whatever was typed around it', async () => {
    const { port } = new URL(receiver.url);
    const change = (webhookUrl: string) =>
      admin.patch<{ webhookUrl: string; message: string }>('/health/alerts', { webhookUrl });
    const { webhookUrl } = succeeded(await change(` HTTP://127.0.0.1:${port}/a/../hook `));
    assert.equal(webhookUrl, `${receiver.url}/hook`);
    assert.equal(succeeded(await change(receiver.url)).webhookUrl, receiver.url);
    const long = await change(`${receiver.url}/${'ü'.repeat(1_000)}`);
    assertError(long, 400, 'invalid_request');
    assert.equal(long.body.message, 'webhookUrl: is longer than 2048 characters');
  });

  it('tell each change once, however many instances notice it, and nothing that comes and goes', async () => {
    assert.equal(await look(5, OLD), true);
    assert.equal(await look(2, PAUSED, OLD), false, 'it looks again soon');
    assert.equal(await look(1, OLD), true, 'over before it was told');
    assert.equal((await alerts()).length, 2, 'only the test');
    assert.equal(await look(9, PAUSED, OLD), true);
    await look(3, OLD); // Not long enough to be well again.
    await look(5, PAUSED, OLD);
    await until('the alert arrives', () => receiver.received.length === 2);
    const sent = JSON.parse(receiver.received[1]?.body ?? '');
    assert.deepEqual(sent.data, {
      failing: [{ check: 'sending emails', detail: PAUSED.detail }],
      recovered: [],
    });
    assert.match(sent.text, /\nFailing: sending emails: paused: wrong password$/);
    assert.equal((await alerts()).length, 4);
    const context = await openAccounts(service.context);
    const sending = { publicUrl: 'https://wait.example', defaultFrom: 'hello@wait.example' };
    const { mail } = await showOperatorMail(context, (await alerts())[0]?.id ?? '', sending);
    assert.equal(mail?.subject, 'Doorlist on wait.example needs attention');
    assert.match(mail?.text ?? '', /sending emails paused: wrong password/);
    assert.match(mail?.text ?? '', /https:\/\/wait\.example\/instance\/health/);

    assert.equal(await look(12, OLD), true);
    await until('the end arrives', () => receiver.received.length === 3);
    const over = JSON.parse(receiver.received[2]?.body ?? '');
    assert.deepEqual(over.data, { failing: [], recovered: [{ check: 'sending emails', detail: '' }] });
    assert.equal((await alerts()).length, 6);
    const well = await showOperatorMail(context, (await alerts())[0]?.id ?? '', sending);
    assert.equal(well.mail?.subject, 'Doorlist on wait.example is well again');
  });

  it('that do not arrive are shown as such, in health and in `status`', async () => {
    receiver.answer = status(500);
    succeeded(await admin.post('/health/alerts/test'), 202);
    await until('the attempt is in the log', async () => {
      const { body } = await admin.get<{ lastAttempt: { error: string | null } | null }>('/health/alerts');
      return body.lastAttempt?.error === 'answered 500';
    });
    const { json } = await command<{ findings: Finding[] }>(service.storage.environment, 'status');
    const of = (what: string, findings: Finding[]) => findings.find((finding) => finding.what === what);
    assert.match(of('alerts', json.findings)?.detail ?? '', /^3 done, 1 pending, /);
    assert.match(of('alert error', json.findings)?.detail ?? '', /^answered 500 \(1 delivery, /);
    assert.equal(of('email error', json.findings), undefined);
    const { body } = await admin.get<{ findings: Finding[] }>('/health');
    assert.equal(of('alerts', body.findings)?.detail, '1 pending');
    receiver.answer = status(200);
  });

  it('write nothing while nothing changes, so that an idle server stays idle', async () => {
    await service.stopSending();
    let changes = 0;
    const end = service.context.db.onChange(() => {
      changes += 1;
    });
    assert.equal(await look(3, OLD), true);
    assert.equal(changes, 0, 'all is well');
    await look(3, PAUSED);
    changes = 0;
    assert.equal(await look(3, PAUSED), true);
    assert.equal(changes, 0, 'what was told goes on');
    end();
  });

  it('whose settings are damaged are off, and can be turned on again', async () => {
    await service.context.db.query
      .updateTable('instance')
      .set({ alerts: Buffer.from('damaged') })
      .execute();
    const { body } = await admin.get<{ emails: boolean; webhookUrl: string | null }>('/health/alerts');
    assert.deepEqual([body.emails, body.webhookUrl], [false, null]);
    assert.equal(await look(1, PAUSED), true);
    succeeded(await admin.patch('/health/alerts', { emails: true }));
    assert.equal((await admin.get<{ emails: boolean }>('/health/alerts')).body.emails, true);
  });
});
