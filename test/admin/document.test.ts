import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Document } from '../../src/http/docs/document.ts';
import { assertMatches, operationOf, operationsOf } from '../support/documented.ts';
import { type Answer, type Service, startService } from '../support/harness.ts';
import { type Browser, OWNER, PASSWORD, setUp } from '../support/operators.ts';

let service: Service;
let owner: Browser;
let document: Document;

before(async () => {
  service = await startService('sqlite');
  owner = await setUp(service);
  document = (await service.request<Document>('GET', '/admin/openapi.json')).body;
});
after(() => service.close());

describe('the OpenAPI document of the admin API', () => {
  it('passes the linter without an error or a warning', async (test) => {
    const file = path.join(tmpdir(), `doorlist-admin-openapi-${process.pid}.json`);
    await writeFile(file, JSON.stringify(document));
    test.after(() => rm(file));
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['node_modules/@redocly/cli/bin/cli.js', 'lint', file, '--config', 'redocly.yaml', '--format', 'json'],
      {
        cwd: path.join(import.meta.dirname, '../..'),
        // The linter must not report to its maker or look for updates.
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_NOTIFICATIONS: 'true' },
      },
    ).catch((error: { stdout: string }) => error);
    const { totals, problems } = JSON.parse(stdout);
    assert.deepEqual(totals, { errors: 0, warnings: 0, ignored: 0 }, JSON.stringify(problems));
  });

  it('describes every operation in full, and nothing of the public API', () => {
    for (const { path: where, operation } of operationsOf(document)) {
      const { operationId, summary, description, tags, parameters = [], requestBody, responses } = operation;
      assert.ok(where.startsWith('/admin/v1/') && summary && description && tags.length === 1, operationId);
      for (const { name, description: about, example, examples } of parameters)
        assert.ok(about && (example ?? examples), `${operationId} ${name}`);
      const body = requestBody?.content['application/json'];
      for (const { value } of Object.values(body?.examples ?? {}))
        assertMatches(document, body?.schema ?? {}, value, operationId);
      for (const [status, { headers, content }] of Object.entries(responses)) {
        const [media] = Object.values(content);
        assert.ok(headers?.['X-Request-Id'] && media, `${operationId} ${status}`);
        for (const { value } of Object.values(media.examples))
          assertMatches(document, media.schema, value, `${operationId} ${status}`);
      }
    }
    assert.doesNotMatch(JSON.stringify(document), /"(\$id|x-[a-z]+|allOf)":/);
  });

  it('says of every write that another site is refused, and so is a body that is too large or no JSON', () => {
    for (const { method, operation } of operationsOf(document)) {
      const codes = ['403', '413', '415'].flatMap((status) =>
        Object.keys(operation.responses[status]?.content['application/json']?.examples ?? {}),
      );
      const wanted = ['cross_site', 'payload_too_large', 'unsupported_media_type'];
      for (const code of wanted)
        assert.equal(codes.includes(code), method !== 'get', `${operation.operationId} ${code}`);
    }
  });

  it('is true of a write that expects no body and gets one', async () => {
    for (const { path: where, method, operation } of operationsOf(document)) {
      if (method === 'get' || operation.requestBody) continue;
      const url = where.replace(/\{[^}]+\}/g, 'none');
      const send = (options: object) => owner.request(method.toUpperCase(), url, options);
      const foreign = await send({ headers: { 'sec-fetch-site': 'cross-site' } });
      const text = await send({ rawBody: 'x', headers: { 'content-type': 'text/plain' } });
      const large = await send({
        rawBody: `"${'x'.repeat(5_000_000)}"`,
        headers: { 'content-type': 'application/json' },
      });
      assert.deepEqual(
        [foreign, text, large].map(({ status, body }) => [status, body.code]),
        [
          [403, 'cross_site'],
          [415, 'unsupported_media_type'],
          [413, 'payload_too_large'],
        ],
        operation.operationId,
      );
    }
  });

  it('is true of a write without a body, whatever content type its client sends along', async () => {
    const sent = [undefined, 'application/json', 'application/x-www-form-urlencoded'];
    for (const { path: where, method, operation } of operationsOf(document)) {
      const { requestBody, operationId } = operation;
      const types = Object.keys(requestBody?.content ?? {});
      const isFile = types.some((type) => type !== 'application/json');
      if (method === 'get' || operationId === 'signOut' || isFile) continue;
      const url = where.replace(/\{[^}]+\}/g, 'none');
      for (const type of sent) {
        const headers = { 'content-length': '0', ...(type && { 'content-type': type }) };
        const { status, body } = await owner.request(method.toUpperCase(), url, { headers });
        const saysSo = status === 400 && body.message === 'body: is required';
        const about = `${operationId} with ${type}: ${status} ${JSON.stringify(body)}`;
        assert.equal(saysSo, requestBody?.required === true, about);
        assert.notEqual(status, 415, about);
      }
    }
  });

  it('names the media types of an export', async () => {
    const list = await service.waitlist();
    const wanted = Object.keys(operationOf(document, 'downloadExport').responses['200']?.content ?? {});
    const sent: string[] = [];
    for (const format of ['csv', 'json', 'ndjson']) {
      const { body } = await owner.post<{ id: string }>(`/waitlists/${list.id}/exports`, { format });
      const file = await owner.get(`/waitlists/${list.id}/exports/${body.id}/file`);
      sent.push((file.headers.get('content-type') ?? '').replace(/;.*/, ''));
    }
    assert.deepEqual(wanted, sent);
  });

  it('is true of what the service answers', async () => {
    const answers: [string, Answer<unknown>][] = [
      ['getMe', await owner.get('/me')],
      ['listSessions', await owner.get('/me/sessions')],
      ['signIn', await owner.signIn(OWNER.email, PASSWORD)],
      ['inviteOperator', await owner.post('/operators', { email: 'ada@example.com', role: 'viewer' })],
      ['listOperators', await owner.get('/operators')],
      ['createAdminToken', await owner.post('/tokens', { name: 'ci', role: 'viewer' })],
      ['listAdminTokens', await owner.get('/tokens')],
      ['listAudit', await owner.get('/audit')],
      ['endOtherSessions', await owner.delete('/me/sessions')],
      ['startTwoFactor', await owner.post('/me/two-factor', { password: PASSWORD })],
      ['confirmTwoFactor', await owner.post('/me/two-factor/confirm', { code: '000000' })],
      ['disableTwoFactor', await owner.post('/me/two-factor/disable', { password: PASSWORD, code: '1' })],
      ['changePassword', await owner.post('/me/password', { password: 'x', newPassword: 'y' })],
      ['setUp', await owner.post('/setup', { token: 'x', ...OWNER })],
      ['setPassword', await owner.post('/password', { token: 'x', password: PASSWORD })],
      ['listPasskeys', await owner.get('/me/passkeys')],
      ['startPasskey', await owner.post('/me/passkeys/options')],
      ['startPasskeySignIn', await owner.post('/session/passkey/options')],
      ['removePasskey', await owner.delete('/me/passkeys/none')],
      ['forgotPassword', await owner.post('/password/forgot', { email: OWNER.email })],
      ['listOperatorMails', await owner.get('/mails')],
      ['getOperatorMail', await owner.get('/mails/none')],
      ['removeOperator', await owner.delete('/operators/none')],
      ['revokeAdminToken', await owner.delete('/tokens/none')],
      ['signOut', await owner.delete('/session')],
      ['signIn', await owner.signIn(OWNER.email, 'wrong')],
    ];
    for (const [id, { status, body }] of answers) {
      const media = operationOf(document, id).responses[status]?.content['application/json'];
      assert.ok(media, `${id} does not document ${status}`);
      assertMatches(document, media.schema, body, `${id} ${status}`);
    }
  });

  it('is shown at /docs/admin, and each reference links to the other', async () => {
    const read = async (where: string) => (await fetch(service.url + where)).text();
    assert.match(await read('/docs'), /href="\/docs\/admin"/);
    const page = await read('/docs/admin');
    assert.match(page, /href="\/docs"/);
    for (const { operation } of operationsOf(document))
      assert.ok(page.includes(`id="${operation.operationId}"`));
  });
});
