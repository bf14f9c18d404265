import type { Document, Schema } from '../../src/http/docs/document.ts';
import { operationsOf } from './documented.ts';

/** A schema of a document, with where it is and whether somebody sends it or gets it. */
export interface SchemaPlace {
  at: string;
  schema: Schema;
  sent: boolean;
}

/** Every schema of a document, wherever it is referred to, once for what is sent and once for what is answered. */
export function schemaPlaces(document: Document): SchemaPlace[] {
  const places: SchemaPlace[] = [];
  const known = new Set<string>();
  const visit = (schema: Schema | undefined, at: string, sent: boolean): void => {
    if (!schema) return;
    const name = schema.$ref?.split('/').at(-1);
    if (name !== undefined) {
      if (known.has(`${name} ${sent}`)) return;
      known.add(`${name} ${sent}`);
      visit(document.components.schemas[name], name, sent);
      return;
    }
    places.push({ at, schema, sent });
    for (const [key, each] of Object.entries(schema.properties ?? {})) visit(each, `${at}.${key}`, sent);
    visit(schema.items, `${at}[]`, sent);
    const others = schema.additionalProperties as Schema | boolean | undefined;
    if (typeof others === 'object') visit(others, `${at}.*`, sent);
    for (const each of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) visit(each, at, sent);
  };
  for (const { operation } of operationsOf(document)) {
    const { operationId, parameters = [], requestBody, responses } = operation;
    for (const { name, schema } of parameters) visit(schema as Schema, `${operationId} ${name}`, true);
    for (const media of Object.values(requestBody?.content ?? {})) visit(media.schema, operationId, true);
    for (const { content } of Object.values(responses))
      for (const media of Object.values(content)) visit(media.schema, operationId, false);
  }
  return places;
}
