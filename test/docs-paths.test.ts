import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Document } from '../src/http/docs/document.ts';
import { operationsOf, type Place } from './support/documented.ts';
import { PAGES, readPage } from './support/page-commands.ts';
import { type ReferenceApp, startReferenceApp } from './support/reference-app.ts';

let reference: ReferenceApp;
let operations: Place[];

before(async () => {
  reference = await startReferenceApp();
  const response = await fetch(`${reference.url}/admin/openapi.json`);
  operations = [...operationsOf(reference.document), ...operationsOf((await response.json()) as Document)];
});
after(() => reference.close());

/** Of pages for people, and of the URLs of a mail server and of PostgreSQL. */
const OTHER_PARAMETERS = ['code', 'lang', 'requireTLS', 'sslmode', 'sslrootcert'];

interface Mention {
  page: string;
  path: string;
  query: string[];
}

describe('paths in the documentation', () => {
  it('exist in the OpenAPI documents, with the query parameters they are shown with', () => {
    const mentions = PAGES.flatMap(mentionsIn);
    assert.ok(mentions.length > 60, `only ${mentions.length} were found`);
    for (const { page, path, query } of mentions) {
      const matching = operations.filter((operation) => matches(operation.path, path));
      assert.ok(matching.length > 0, `${page}: there is no ${path}`);
      const known = matching.flatMap(queryNames);
      for (const name of query) assert.ok(known.includes(name), `${page}: ${path} has no parameter ${name}`);
    }
  });

  it('have parameters that exist where a page names only these', () => {
    const known = [...operations.flatMap(queryNames), ...OTHER_PARAMETERS];
    for (const page of PAGES) {
      for (const [, query = ''] of readPage(page).matchAll(/`\?([a-z][^`]*)`/gi)) {
        for (const name of namesIn(query)) assert.ok(known.includes(name), `${page}: ?${name}`);
      }
    }
  });
});

/** Full paths, those after a shell variable with the address, the calls of `api`, and those shortened to `…/`. */
function mentionsIn(page: string): Mention[] {
  let text = readPage(page);
  for (const [, name = '', address = ''] of text.matchAll(/^([A-Z]+)=http:\/\/127\.0\.0\.1:3000(\/\S+)$/gm)) {
    text = text.replaceAll(new RegExp(`\\$${name}\\b`, 'g'), address);
  }
  text = text.replaceAll(/\bapi (?:GET|POST|PUT|PATCH|DELETE) '?\//g, '/admin/v1/');
  const found = text.match(/(?:\/(?:admin|sdk)\/v1\/|…\/)[\w/{}$%.@…-]+(?:\?[^\s`"')|]*)?/g) ?? [];
  return found.map((mention) => {
    const [path = '', query = ''] = mention.split('?');
    return { page, path: path.replace(/[/.]+$/, ''), query: namesIn(query) };
  });
}

function namesIn(query: string): string[] {
  return query
    .split('&')
    .map((pair) => pair.split('=')[0] ?? '')
    .filter(Boolean);
}

function matches(documented: string, mentioned: string): boolean {
  const parts = documented.split('/');
  const wanted = mentioned.split('/');
  const compared = wanted[0] === '…' ? wanted.slice(1) : wanted;
  const from = wanted[0] === '…' ? parts.length - compared.length : 0;
  if (from < 0 || (from === 0 && parts.length !== compared.length)) return false;
  return compared.every((part, index) => {
    const expected = parts[from + index] ?? '';
    return expected.startsWith('{') || expected === part;
  });
}

function queryNames({ operation }: Place): string[] {
  return (operation.parameters ?? []).filter((each) => each.in === 'query').map(({ name }) => name);
}
