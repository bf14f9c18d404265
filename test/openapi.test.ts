import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Document } from '../src/http/docs/document.ts';
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
  it('passes the linter without an error or a warning', async () => {
    const file = path.join(tmpdir(), `doorlist-openapi-${process.pid}.json`);
    await writeFile(file, JSON.stringify(document));
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
      if (['/openapi.json', '/docs'].includes(where)) continue;
      if (/^\/(join|confirm|unsubscribe|leave)\//.test(where)) continue; // Pages for people.
      // A method that no route has is answered with those that the path has.
      const answer = await reference.app.inject({ method: 'TRACE' as 'GET', url: where });
      const allowed = String(answer.headers.allow).split(', ');
      const shown = allowed.filter((method) => !['HEAD', 'OPTIONS'].includes(method));
      existing.push(...shown.map((method) => `${method} ${where.replace(/:(\w+)/g, '{$1}')}`));
    }
    assert.deepEqual(existing.sort(), documented.sort());
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
    assert.deepEqual(Object.keys(document.components.schemas).sort(), [
      'Entry',
      'Error',
      'WaitlistReference',
    ]);
    assert.doesNotMatch(JSON.stringify(document), /"(\$id|x-optional|x-examples|allOf)":/);
  });

  it('has examples that match their schemas', () => {
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
