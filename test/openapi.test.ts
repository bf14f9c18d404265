import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { checkPublicUrl } from '../src/config/public-url.ts';
import type { Document, Media } from '../src/http/docs/document.ts';
import { SHAPE_NAMES } from '../src/http/gate/question-shapes.ts';
import { MAIL_PROVIDERS } from '../src/waitlist/mail-events/providers.ts';
import { assertMatches, operationOf, operationsOf } from './support/documented.ts';
import { type ReferenceApp, startReferenceApp } from './support/reference-app.ts';

let reference: ReferenceApp;
let document: Document;

before(async () => {
  reference = await startReferenceApp();
  document = reference.document;
});
after(() => reference.close());

describe('the OpenAPI document', () => {
  it('passes the linter without an error or a warning', async (test) => {
    const file = path.join(tmpdir(), `doorlist-openapi-${process.pid}.json`);
    await writeFile(file, JSON.stringify(document));
    test.after(() => rm(file));
    const root = path.join(import.meta.dirname, '..');
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['node_modules/@redocly/cli/bin/cli.js', 'lint', file, '--config', 'redocly.yaml', '--format', 'json'],
      {
        cwd: root,
        // The linter must not report to its maker or look for updates.
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_NOTIFICATIONS: 'true' },
      },
    );
    assert.deepEqual(JSON.parse(stdout).totals, { errors: 0, warnings: 0, ignored: 0 });
  });

  it('lists exactly the routes that exist', async () => {
    const documented = operationsOf(document).map(
      ({ path: where, method }) => `${method.toUpperCase()} ${where}`,
    );
    const existing: string[] = [];
    for (const where of routePaths(reference)) {
      if (/^\/(openapi\.json|docs(\/.*)?|llms(-full)?\.txt)$/.test(where)) continue; // Documentation.
      if (where.startsWith('/admin/')) continue; // Has a document of its own.
      if (/^\/(form\/|(form|status)\.js|w\/|s\/)/.test(where)) continue; // The public form, described in docs/forms.md.
      if (/^\/(join|confirm|unsubscribe|leave|data|setup|password)\//.test(where)) continue; // Pages for people.
      if (
        /^\/(\*?$|assets|mail-frame$|(account|forgot-password|instance|instance\/people|setup|sign-in|waitlists)\*?$)/.test(
          where,
        )
      )
        continue; // The dashboard.
      // A method that no route has is answered with those that the path has.
      const answer = await reference.app.inject({ method: 'TRACE' as 'GET', url: where });
      const allowed = String(answer.headers.allow).split(', ');
      const shown = allowed.filter((method) => !['HEAD', 'OPTIONS'].includes(method));
      existing.push(...shown.map((method) => `${method} ${where.replace(/:(\w+)/g, '{$1}')}`));
    }
    assert.deepEqual(existing.sort(), documented.sort());
  });

  it('has no route under a path that a public URL may have', () => {
    for (const where of routePaths(reference)) {
      const [, first = ''] = where.replace('*', '').split('/');
      if (first !== '')
        assert.match(checkPublicUrl(`https://acme.example/${first}`) ?? '', /uses itself/, where);
    }
  });

  it('describes every operation in full', () => {
    for (const { operation } of operationsOf(document)) {
      const { operationId, summary, description, tags, security, parameters = [], responses } = operation;
      assert.ok(summary && description && tags.length === 1 && security, operationId);
      for (const parameter of parameters) {
        assert.ok(parameter.description, `${operationId} ${parameter.name}`);
        assert.ok(parameter.example ?? parameter.examples, `${operationId} ${parameter.name} has no example`);
      }
      for (const [status, { headers, content }] of Object.entries(responses)) {
        assert.ok(headers?.['X-Request-Id'], `${operationId} ${status}`);
        assert.ok(
          Object.keys(content['application/json']?.examples ?? {}).length > 0,
          `${operationId} ${status}`,
        );
      }
    }
    assert.equal(operationOf(document, 'acceptInvite').requestBody?.required, false);
    assert.equal(operationOf(document, 'createSignups').requestBody?.required, true);
    assert.doesNotMatch(JSON.stringify(document), /"(\$id|x-[a-z]+|allOf)":/);
  });

  it('names the schema of every body', () => {
    const names = operationsOf(document).map(({ operation: { operationId, requestBody, responses } }) => {
      const nameOf = (media?: Media) => media?.schema.$ref?.replace('#/components/schemas/', '');
      const answers = Object.entries(responses).map(([status, { content }]) => ({
        isError: Number(status) >= 400,
        name: nameOf(content['application/json']),
      }));
      for (const { isError, name } of answers) if (isError) assert.equal(name, 'Problem', operationId);
      const good = new Set(answers.filter(({ isError }) => !isError).map(({ name }) => name));
      return [operationId, nameOf(requestBody?.content['application/json']), ...good];
    });
    assert.deepEqual(names, [
      ['health', undefined, 'Health'],
      ['readiness', undefined, 'Health'],
      ['createSignups', 'SignupRequest', 'SignupResult'],
      ['listEntries', undefined, 'EntryPage'],
      ['getEntry', undefined, 'Entry'],
      ['verifyWebhook', 'VerificationRequest', 'Verification'],
      ['checkInvite', undefined, 'InviteCheck'],
      ['acceptInvite', 'AcceptRequest', 'InviteAccepted'],
      ['passGate', 'GateBody', 'GateReply'],
      ['reportMailEvents', 'MailEventsBody', 'MailEventsAccepted'],
    ]);
    assert.ok(!('Error' in document.components.schemas), 'a client would hide the Error of the language');
  });

  it('has complete alternatives, distinguished by a constant or a required field', () => {
    const { schemas } = document.components;
    const tellingApart = (name: string, keyword: 'oneOf' | 'anyOf') =>
      (schemas[name]?.[keyword] ?? []).map(({ $ref = '' }) => {
        const { type, properties = {}, required = [] } = schemas[$ref.split('/').at(-1) ?? ''] ?? {};
        assert.equal(type, 'object', $ref);
        const [constant] = required.filter((key) => properties[key]?.const !== undefined);
        return constant === undefined ? required : { [constant]: properties[constant]?.const };
      });
    assert.deepEqual(tellingApart('SignupEntry', 'anyOf'), [['email'], ['phone']]);
    assert.deepEqual(tellingApart('InviteCheck', 'oneOf'), [{ valid: true }, { valid: false }]);
    assert.deepEqual(tellingApart('Verification', 'oneOf'), [{ verified: true }, { verified: false }]);
    assert.deepEqual(tellingApart('GateAnswer', 'oneOf'), [{ allow: true }, { allow: false }]);
    const kinds = Object.keys(document.webhooks);
    assert.deepEqual(
      tellingApart('WebhookEvent', 'oneOf'),
      kinds.map((event) => ({ event })),
    );
    assert.deepEqual(schemas.WebhookEvent?.discriminator, {
      propertyName: 'event',
      mapping: Object.fromEntries(
        Object.entries(document.webhooks).map(([kind, { post }]) => [
          kind,
          post.requestBody?.content['application/json']?.schema.$ref,
        ]),
      ),
    });
    for (const name of ['EmailSignup', 'PhoneSignup']) {
      const { properties = {} } = schemas[name] ?? {};
      assert.deepEqual(Object.keys(properties), ['email', 'phone', 'metadata', 'referredBy', 'code'], name);
    }
  });

  it('states limits in machine-readable form', () => {
    const { schemas } = document.components;
    const parameter = (id: string, name: string) =>
      operationOf(document, id).parameters?.find((each) => each.name === name)?.schema;
    const { email, phone, metadata } = schemas.EmailSignup?.properties ?? {};
    const { payload } = schemas.VerificationRequest?.properties ?? {};
    const limits = {
      entries: [schemas.SignupRequest?.properties?.entries, { minItems: 1, maxItems: 100 }],
      email: [email, { format: 'idn-email', maxLength: 254 }],
      metadata: [metadata, { maxProperties: 64, propertyNames: { minLength: 1, maxLength: 64 } }],
      code: [parameter('checkInvite', 'code'), { minLength: 1, maxLength: 200 }],
      limit: [parameter('listEntries', 'limit'), { minimum: 1, maximum: 200, default: 50 }],
      key: [parameter('acceptInvite', 'Idempotency-Key'), { minLength: 1, maxLength: 255 }],
      payload: [payload, { maxLength: 1_048_576 }],
    } as const;
    for (const [name, [schema, expected]] of Object.entries(limits)) {
      assert.partialDeepStrictEqual(schema, expected, name);
    }
    const waitlistId = new RegExp(parameter('getEntry', 'waitlistId')?.pattern ?? '', 'u');
    for (const id of ['wl_acme', `wl_${'x'.repeat(62)}`]) assert.match(id, waitlistId);
    for (const id of ['acme', 'wl_', 'wl_-', 'wl_A', `wl_${'x'.repeat(63)}`])
      assert.doesNotMatch(id, waitlistId);
    const phones = new RegExp(phone?.pattern ?? '', 'u');
    for (const text of ['+1415555', '+1 (415) 555-0123', '(+1)415.555.0123']) assert.match(text, phones);
    for (const text of ['14155550123', '+0415555', '+141555', `+${'1'.repeat(16)}`])
      assert.doesNotMatch(text, phones);
  });

  it('marks exactly the places where unknown fields are rejected', async () => {
    const bodies = {
      createSignups: {
        path: '/sdk/v1/waitlist/signup',
        body: { waitlistId: 'wl_acme', entries: [{ phone: '+14155550199' }] },
      },
      acceptInvite: { path: '/sdk/v1/waitlist/invites/unknown/accept', body: {} },
      passGate: { path: `/gate/v1/${reference.keys.gate}`, body: { email: 'ada@example.com' } },
      reportMailEvents: { path: `/mail-events/v1/${reference.keys.mailEvents}`, body: { events: [] } },
      verifyWebhook: {
        path: '/sdk/v1/waitlist/webhooks/verify',
        body: { payload: '', headers: { id: '', timestamp: '', signature: '' }, webhookSecret: '' },
      },
    };
    for (const [id, { path: url, body }] of Object.entries(bodies)) {
      const headers = { authorization: `Bearer ${reference.keys.writer}` };
      const payload = { ...body, unheardOf: 1 };
      const answer = await reference.app.inject({ method: 'POST', url, headers, payload });
      const isRefused = answer.statusCode === 400 && /^unheardOf: /.test(answer.json().message);
      const { $ref = '' } = operationOf(document, id).requestBody?.content['application/json']?.schema ?? {};
      const named = (ref: string) => document.components.schemas[ref.split('/').at(-1) ?? ''];
      const [own] = named($ref)?.anyOf ?? []; // Before those of providers.
      const schema = own?.$ref === undefined ? named($ref) : named(own.$ref);
      assert.equal(schema?.additionalProperties === false, isRefused, id);
    }
  });

  it('has the body of every provider, in and out', () => {
    const examplesOf = (media?: Media) => Object.keys(media?.examples ?? {});
    const gate = operationOf(document, 'passGate');
    const asked = examplesOf(gate.requestBody?.content['application/json']);
    assert.deepEqual(asked.slice(-SHAPE_NAMES.length).toSorted(), [...SHAPE_NAMES].toSorted());
    const answered = examplesOf(gate.responses['200']?.content['application/json']);
    assert.deepEqual(answered.slice(-3), ['supabaseAllowed', 'supabaseDenied', 'workos']);
    const reports = operationOf(document, 'reportMailEvents').requestBody?.content['application/json'];
    assert.deepEqual(
      examplesOf(reports).slice(1 - MAIL_PROVIDERS.length),
      MAIL_PROVIDERS.filter((provider) => provider !== 'plain'),
    );
    const reasons = document.components.schemas.GateDenied?.properties?.reason?.enum;
    assert.deepEqual(reasons, ['not_invited', 'expired', 'revoked', 'already_used', 'closed']);
  });

  it('has examples that match their schemas', () => {
    for (const { post } of Object.values(document.webhooks)) {
      for (const { schema, examples } of Object.values(post.requestBody?.content ?? {})) {
        for (const { value } of Object.values(examples))
          assertMatches(document, schema, value, post.operationId);
      }
    }
    for (const { operation } of operationsOf(document)) {
      const { operationId, parameters = [], requestBody, responses } = operation;
      for (const { name, schema, example, examples } of parameters) {
        const values = examples ? Object.values(examples).map(({ value }) => value) : [example];
        for (const value of values) assertMatches(document, schema, value, `${operationId} ${name}`);
      }
      const bodies = [requestBody, ...Object.values(responses)].flatMap((part) =>
        Object.values(part?.content ?? {}),
      );
      for (const { schema, examples } of bodies) {
        for (const [name, { value }] of Object.entries(examples)) {
          assertMatches(document, schema, value, `${operationId} ${name}`);
        }
      }
    }
  });
});

function routePaths({ app }: ReferenceApp): string[] {
  const parents: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .filter((line) => line.includes('── '))
    .map((line) => {
      const depth = line.indexOf('── ') / 4;
      const name = line.replace(/^.*── /, '').replace(/ \(.*$/, '');
      parents.length = Math.floor(depth);
      parents.push(name);
      return parents.join('');
    });
}
