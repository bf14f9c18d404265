import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Document } from '../src/http/docs/document.ts';
import { schemaPlaces } from './support/document-places.ts';
import { type Service, startService } from './support/harness.ts';

let service: Service;
const documents: Document[] = [];

before(async () => {
  service = await startService('sqlite');
  for (const path of ['/openapi.json', '/admin/openapi.json'])
    documents.push((await service.request<Document>('GET', path)).body);
});
after(() => service.close());

describe('both OpenAPI documents', () => {
  const places = () => documents.flatMap(schemaPlaces);
  const ofType = (type: string) => places().filter(({ schema }) => [schema.type].flat().includes(type));

  it('say how long each text that is sent may be', () => {
    const texts = ofType('string').filter(({ sent }) => sent);
    assert.ok(texts.length > 200);
    const unbounded = texts.filter(
      ({ schema: { maxLength, enum: choices, const: constant, format } }) =>
        !(maxLength ?? choices ?? constant) && format !== 'date-time',
    );
    assert.deepEqual(
      unbounded.map(({ at }) => at),
      [],
    );
  });

  it('say from where to where each whole number goes, within what a number can be', () => {
    const numbers = ofType('integer');
    assert.ok(numbers.length > 100);
    for (const { at, schema } of numbers) {
      const { minimum = Number.NaN, maximum = Number.NaN } = schema;
      assert.ok(Number.isSafeInteger(minimum) && Number.isSafeInteger(maximum) && minimum <= maximum, at);
    }
  });

  it('say how many elements each list that is sent may have', () => {
    const lists = ofType('array').filter(({ sent }) => sent);
    assert.deepEqual(
      lists.filter(({ schema }) => schema.maxItems === undefined).map(({ at }) => at),
      [],
    );
  });
});
