import { RESPONSE_HEADERS } from '../responses.ts';
import { webhookOperations } from './webhook-operations.ts';

/** The part of an OpenAPI 3.1 document that ours uses. */
export interface Document {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  /** What the service sends, by kind of event. */
  webhooks: Record<string, { post: WebhookOperation }>;
  components: { schemas: Record<string, Schema>; headers: Record<string, Header> };
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: object[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, Response>;
}

/** A request that the service makes: the answer is read for its status alone. */
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

export interface Response {
  description: string;
  headers?: Record<string, { $ref: string }>;
  content: Record<string, Media>;
}

export interface Header {
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
  format?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  allOf?: Schema[];
  oneOf?: Schema[];
  'x-optional'?: boolean;
}

/** Says in the generated document what the generator has no words for. */
export function finishDocument(generated: object): Document {
  const document = unwrapReferences(generated) as Document;
  document.components.headers = RESPONSE_HEADERS;
  document.webhooks = webhookOperations();
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    finishOperation(operation);
  }
  return document;
}

function finishOperation({ parameters = [], requestBody, responses }: Operation): void {
  for (const parameter of parameters) {
    // Node hands header names over in lower case, and so the schemas must have them.
    if (parameter.in === 'header')
      parameter.name = parameter.name.replace(/\b[a-z]/g, (c) => c.toUpperCase());
  }
  const body = requestBody?.content['application/json'];
  if (requestBody && body?.schema['x-optional']) {
    requestBody.required = false;
    delete body.schema['x-optional'];
  }
  for (const { headers = {} } of Object.values(responses)) {
    for (const name of Object.keys(headers)) headers[name] = { $ref: `#/components/headers/${name}` };
  }
}

/** `{ allOf: [{ $ref }], description }` becomes `{ $ref, description }`, which OpenAPI 3.1 allows. */
function unwrapReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unwrapReferences);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, unwrapReferences(child)]),
  );
  const [only, ...others] = (copy.allOf as Schema[] | undefined) ?? [];
  if (!only?.$ref || others.length > 0) return copy;
  const { allOf: _, ...rest } = copy;
  return { ...only, ...rest };
}
