import assert from 'node:assert/strict';
import Schema from 'typebox/schema';
import type { Document, Schema as JsonSchema, Operation } from '../../src/http/docs/document.ts';
import type { Client } from './harness.ts';

export interface Place {
  path: string;
  method: string;
  operation: Operation;
}

let adminDocument: Promise<Document> | undefined;

/** The document of the admin API, from the first service that is asked: building it takes a third of a second. */
export function adminDocumentOf({ request }: Pick<Client, 'request'>): Promise<Document> {
  adminDocument ??= request<Document>('GET', '/admin/openapi.json').then(({ body }) => body);
  return adminDocument;
}

export function operationsOf({ paths }: Document): Place[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

export function operationOf(document: Document, id: string): Operation {
  const found = operationsOf(document).find(({ operation }) => operation.operationId === id);
  assert.ok(found, `there is no operation ${id}`);
  return found.operation;
}

/** Stricter than the schema: undocumented properties fail. */
export function assertMatches(document: Document, schema: JsonSchema, value: unknown, what: string): void {
  const [valid, errors] = Schema.Errors(closed(document, schema), value);
  assert.ok(valid, `${what}: ${JSON.stringify(errors)} in ${JSON.stringify(value)}`);
}

/** Resolves references and disallows additional properties. */
function closed(document: Document, schema: JsonSchema): JsonSchema {
  const { $ref, ...rest } = schema;
  if ($ref) {
    const target = document.components.schemas[$ref.split('/').at(-1) ?? ''];
    assert.ok(target, `${$ref} is not there`);
    return { ...closed(document, target), ...rest };
  }
  const copy = { ...schema };
  if (schema.items) copy.items = closed(document, schema.items);
  if (schema.oneOf) copy.oneOf = schema.oneOf.map((each) => closed(document, each));
  if (schema.anyOf) copy.anyOf = schema.anyOf.map((each) => closed(document, each));
  if (schema.properties) {
    copy.additionalProperties ??= false;
    copy.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [name, closed(document, property)]),
    );
  }
  return copy;
}
