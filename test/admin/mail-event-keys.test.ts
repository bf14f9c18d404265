import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type AdminClient, adminClient, auditOf, succeeded } from '../support/admin.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { jsonOf, typed } from '../support/terminal.ts';

interface MailEventKey {
  id: string;
  key: string;
  url: string;
  hint: string;
  name: string;
  signed: boolean;
  provider: string | null;
  topic: string | null;
}

const WHSEC = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const TOPIC = 'arn:aws:sns:us-east-1:123456789012:bounces';
const PUBLIC_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .publicKey.export({ type: 'spki', format: 'der' })
  .toString('base64');
/** A report of Resend that says nothing against anyone. */
const RESEND = { type: 'email.delivered', data: { to: [] } };

forEachEngine((engine) => {
  describe('mail event keys', () => {
    let service: Service;
    let admin: AdminClient;
    let list: List;
    let at: string;
    before(async () => {
      service = await startService(engine);
      admin = await adminClient(service, 'admin');
      list = await service.waitlist();
      at = `/waitlists/${list.id}/mail-event-keys`;
    });
    after(() => service.close());
    const report = (key: string, body: object = { events: [] }) =>
      service.request('POST', `/mail-events/v1/${key}`, { body });

    it('are created, listed, changed and deleted, and leave a trail', async () => {
      const input = { name: 'Resend', provider: 'resend' };
      const { key, url, ...shown } = succeeded(await admin.post<MailEventKey>(at, input), 201);
      assert.deepEqual([shown.provider, shown.topic], ['resend', null]);
      assert.match(key, new RegExp(`^dle_${(await list.queue()).tag}[0-9A-Za-z]{34}$`));
      assert.equal(url, `${service.config.publicUrl}/mail-events/v1/${key}`);
      const { mailEventKeys } = succeeded(await admin.get<{ mailEventKeys: MailEventKey[] }>(at));
      assert.deepEqual(mailEventKeys, [shown]);
      assert.equal((await report(key, RESEND)).status, 200);
      assert.equal(
        succeeded(await admin.patch<MailEventKey>(`${at}/${shown.id}`, { secret: WHSEC })).signed,
        true,
      );
      assertError(await report(key, RESEND), 401, 'unauthorized', /signature is wrong/);
      const [{ secret } = {}] = await service.context.db.query
        .selectFrom('mail_event_key')
        .select('secret')
        .execute();
      assert.ok(secret && !Buffer.from(secret).includes(WHSEC.slice(6)));
      assert.deepEqual(succeeded(await admin.delete(`${at}/${shown.id}`)), { id: shown.id, deleted: true });
      assertError(await report(key), 401, 'unauthorized');
      assertError(await admin.delete(`${at}/${shown.id}`), 404, 'not_found', /mail event key/);
      const trail = await auditOf(service, `mail_event_key:${shown.id}`);
      const did = ['created', 'updated', 'deleted'].map((verb) => `mail_event_key.${verb}`);
      assert.deepEqual(
        trail.map(({ action }) => action),
        did,
      );
      assert.doesNotMatch(JSON.stringify(trail), /whsec_/);
    });

    it('are refused with the field by its name', async () => {
      const refused: [object, RegExp][] = [
        [{}, /^provider: is required/],
        [
          { provider: 'pigeon' },
          /^provider: must be one of plain, ses, postmark, resend, mailgun, sendgrid$/,
        ],
        [{ provider: 'mailgun', secret: 'has spaces' }, /^secret: must be the signing secret/],
        [{ provider: 'resend', secret: 'whsec_abc' }, /^secret: is incomplete/],
        [{ provider: 'resend', secret: 'key-123' }, /^secret: must be the signing secret of Resend/],
        [{ provider: 'mailgun', secret: WHSEC }, /^secret: must be the HTTP webhook signing key of Mailgun$/],
        [{ provider: 'mailgun', secret: PUBLIC_KEY }, /^secret: must be the HTTP webhook signing key/],
        [{ provider: 'sendgrid', secret: 'MFkwEwYH' }, /^secret: must be the verification key of SendGrid$/],
        [{ provider: 'postmark', secret: 'abc' }, /^secret: reports of postmark are not signed/],
        [{ provider: 'plain', topic: TOPIC }, /^topic: only keys for ses have one$/],
        [{ provider: 'ses', topic: 'arn:aws:sqs:us-east-1:123456789012:q' }, /^topic: must be the ARN/],
        [{ provider: 'plain', shape: 'resend' }, /^shape: unknown field$/],
      ];
      for (const [body, message] of refused)
        assertError(await admin.post(at, body), 400, 'invalid_request', message);
    });

    it('keep their provider, and take another secret or topic of it', async () => {
      const made = succeeded(await admin.post<MailEventKey>(at, { provider: 'ses', topic: TOPIC }), 201);
      assert.equal(made.topic, TOPIC);
      const change = (body: object) => admin.patch<MailEventKey>(`${at}/${made.id}`, body);
      assert.equal(succeeded(await change({ topic: null })).topic, null);
      assertError(await change({ secret: WHSEC }), 400, 'invalid_request', /^secret: reports of ses are not/);
      assertError(await change({ topic: 'x' }), 400, 'invalid_request', /^topic: must be the ARN/);
      assertError(await change({ provider: 'plain' }), 400, 'invalid_request', /^provider: unknown field$/);
      const trail = await auditOf(service, `mail_event_key:${made.id}`);
      assert.partialDeepStrictEqual(
        trail.map(({ details }) => details.after),
        [
          { provider: 'ses', topic: TOPIC },
          { provider: 'ses', topic: null },
        ],
      );
    });

    it('are managed on the command line', async () => {
      const { environment, dataDir } = service.storage;
      const file = path.join(dataDir, 'secret');
      writeFileSync(file, `${WHSEC}\n`);
      const run = (...words: string[]) =>
        typed(environment, 'mail-event-key', ...words, '--waitlist', list.id);
      const made = await jsonOf<MailEventKey>(
        environment,
        ...['mail-event-key', 'create', '--waitlist', list.id, '--provider', 'resend'],
        ...['--name', 'CLI', '--secret-file', file],
      );
      assert.deepEqual([made.name, made.signed], ['CLI', true]);
      assert.equal((await run('update', made.id, '--unsigned')).out.trim(), `Updated ${made.id}.`);
      assert.equal((await report(made.key, RESEND)).status, 200);
      assert.match((await run('list')).out, new RegExp(`${made.id} .*…${made.hint} .*CLI .*no .*resend`));
      assert.equal((await run('delete', made.id)).out.trim(), `Deleted ${made.id}.`);
      assert.equal((await run('create')).code, 2);
      const ses = ['create', '--provider', 'ses', '--topic', TOPIC, '--quiet'];
      assert.match((await run(...ses)).out, /^dle_\w{40}$/);
    });
  });
});
