import { isDeepStrictEqual } from 'node:util';
import { RESPONSE_HEADERS } from '../responses.ts';

/** The part of OpenAPI 3.1 that our document uses. */
export interface Document {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  /** What the service sends, by kind of event. */
  webhooks: Record<string, { post: WebhookOperation }>;
  components: {
    schemas: Record<string, Schema>;
    headers: Record<string, Header>;
    securitySchemes: Record<string, object>;
  };
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, Response>;
}

/** A request that the service makes. Only the status of its response matters. */
export interface WebhookOperation extends Omit<Operation, 'responses'> {
  responses: Record<string, { description: string }>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
  examples?: Record<string, Example>;
}

export interface Example {
  summary: string;
  value: unknown;
}

export interface Media {
  schema: Schema;
  examples: Record<string, Example>;
}

interface Response {
  description: string;
  headers?: Record<string, { $ref: string }>;
  content: Record<string, Media>;
}

interface Header {
  description: string;
  schema: Schema;
}

export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  propertyNames?: Schema;
  additionalProperties?: boolean;
  oneOf?: Schema[];
  anyOf?: Schema[];
  discriminator?: { propertyName: string; mapping: Record<string, string> };
  /** Removed from the finished document: see `schemas.ts`. */
  'x-name'?: string;
  'x-limits'?: Partial<Schema>;
  'x-description'?: string;
  'x-secret'?: true;
  'x-optional'?: boolean;
  'x-others'?: {
    name: string;
    description: string;
    bodies: Record<string, { schema: Schema; summary: string; value: unknown }>;
  };
}

/** Adds what the generator cannot express. */
export function finishDocument(generated: object, webhooks: Document['webhooks']): Document {
  const document = structuredClone(generated) as Document;
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  for (const operation of operations) finishOperation(operation);
  const responses = operations.flatMap((operation) => Object.values(operation.responses));
  const used = new Set(responses.flatMap(({ headers = {} }) => Object.keys(headers)));
  const headers = Object.fromEntries(Object.entries(RESPONSE_HEADERS).filter(([name]) => used.has(name)));
  const schemas: Record<string, Schema> = {};
  return {
    ...document,
    paths: withReferences(document.paths, schemas) as Document['paths'],
    webhooks: withReferences(webhooks, schemas) as Document['webhooks'],
    components: { ...document.components, schemas, headers },
  };
}

function finishOperation({ parameters = [], requestBody, responses }: Operation): void {
  for (const parameter of parameters) {
    // Node lowercases header names, so the schemas have to use lower case.
    if (parameter.in === 'header')
      parameter.name = parameter.name.replace(/\b[a-z]/g, (c) => c.toUpperCase());
  }
  const body = requestBody?.content['application/json'];
  if (requestBody && body?.schema['x-optional']) {
    requestBody.required = false;
    delete body.schema['x-optional'];
  }
  if (body) addOthers(body);
  for (const { headers = {}, content } of Object.values(responses)) {
    for (const media of Object.values(content ?? {})) addOthers(media);
    for (const name of Object.keys(headers)) headers[name] = { $ref: `#/components/headers/${name}` };
  }
}

/** What no schema says more exactly, a whole number of JSON does. */
function wholeWithin(schema: Schema): Schema {
  if (![schema.type].flat().includes('integer')) return schema;
  return { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, ...schema };
}

function addOthers(media: Media): void {
  const { 'x-others': others, ...own } = media.schema;
  if (!others) return;
  const bodies = Object.entries(others.bodies);
  const schemas = new Set([own, ...bodies.map(([, { schema }]) => schema)]);
  media.schema = { 'x-name': others.name, description: others.description, anyOf: [...schemas] };
  for (const [name, { summary, value }] of bodies) media.examples[name] = { summary, value };
}

/** Moves every named schema to `schemas`, replaces it with a reference, and adds the limits. */
function withReferences(value: unknown, schemas: Record<string, Schema>): unknown {
  if (Array.isArray(value)) return value.map((element) => withReferences(element, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Schema = Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, withReferences(child, schemas)]),
  );
  const {
    'x-name': name,
    'x-limits': limits,
    'x-description': ownDescription,
    'x-secret': _,
    ...rest
  } = copy;
  const schema = wholeWithin({ ...rest, ...limits });
  if (name === undefined) return schema;
  const { description = '', ...keywords } = schema;
  const named: Schema = { description: ownDescription ?? description, ...keywords };
  if (schemas[name] && !isDeepStrictEqual(schemas[name], named))
    throw new Error(`two schemas are named ${name}`);
  schemas[name] = named;
  const $ref = `#/components/schemas/${name}`;
  return ownDescription !== undefined && description !== '' ? { $ref, description } : { $ref };
}
