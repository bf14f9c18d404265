import { curlOf } from './curl.ts';
import type { Document, Example, Media, Operation, Schema } from './document.ts';
import {
  alternativesOf,
  type Field,
  fieldOf,
  fieldsOf,
  nameOf,
  placesOf,
  resolve,
  type Schemas,
} from './fields.ts';

/** The document as the page shows it: sections of operations, with every schema flattened into rows. */
export interface Model {
  title: string;
  version: string;
  about: string;
  sections: { title: string; description: string; operations: OperationModel[] }[];
  /** What the service sends, or undefined for nothing. */
  events: { headers: Field[]; envelope: Field[]; kinds: EventModel[] } | undefined;
  objects: { name: string; id: string; description: string; fields: Field[] }[];
  headers: Field[];
}

export interface OperationModel {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  /** The names of the accepted security schemes, in words. */
  credentials: string[];
  parameters: { title: string; fields: Field[] }[];
  body: (BodyModel & { required: boolean; others: Example[] }) | undefined;
  curl: string;
  answers: ResponseModel[];
  errors: { status: string; code: string; when: string; value: unknown }[];
}

export interface BodyModel {
  /** The name of its schema. */
  name: string | undefined;
  /** Where it is described, if not here. */
  href: string | undefined;
  /** One, or several that the value of a field tells apart. */
  shapes: Shape[];
}

interface Shape {
  /** In Markdown, if there is more than one. */
  when: string | undefined;
  name: string | undefined;
  fields: Field[];
}

export interface EventModel {
  kind: string;
  id: string;
  name: string | undefined;
  when: string;
  data: Field[];
  example: unknown;
}

export interface ResponseModel extends BodyModel {
  status: string;
  description: string;
  headers: string[];
  examples: Example[];
}

export function modelOf(document: Document): Model {
  const { info, tags, paths, components } = document;
  const places = placesOf(document);
  const schemas: Schemas = {
    named: components.schemas,
    places: new Map([...places.objects, ...places.events]),
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  return {
    title: info.title,
    version: info.version,
    about: info.description,
    sections: tags.map(({ name, description }) => ({
      title: name,
      description,
      operations: operations
        .filter(({ operation }) => operation.tags[0] === name)
        .map(({ path, method, operation }) => operationModel(schemas, path, method, operation)),
    })),
    events: eventsOf(schemas, document),
    objects: [...places.objects].map(([name, href]) => {
      const schema = components.schemas[name] ?? {};
      const description = schema.description ?? '';
      return { name, id: href.slice(1), description, fields: fieldsOf(schemas, schema) };
    }),
    headers: Object.entries(components.headers).map(([name, { schema, description }]) =>
      fieldOf(schemas, name, { ...schema, description }, false),
    ),
  };
}

/** All events share an envelope. Only its data differs. */
function eventsOf(schemas: Schemas, { webhooks }: Document): Model['events'] {
  const kinds = Object.entries(webhooks).map(([kind, { post }]) => {
    const [media] = Object.values(post.requestBody?.content ?? {});
    const [example] = Object.values(media?.examples ?? {});
    const schema = media?.schema ?? {};
    const fields = fieldsOf(schemas, schema);
    return { kind, operation: post, name: nameOf(schema), fields, example: example?.value };
  });
  const inData = ({ name }: Field) => name.startsWith('data.');
  const [first] = kinds;
  if (!first) return undefined;
  return {
    headers: (first.operation.parameters ?? []).map(({ name, schema, description = '' }) =>
      fieldOf(schemas, name, { ...schema, description }, false),
    ),
    envelope: first.fields.filter((field) => !inData(field)),
    kinds: kinds.map(({ kind, operation, name, fields, example }) => ({
      kind,
      id: operation.operationId,
      name,
      when: `${operation.summary}.`,
      data: fields.filter(inData),
      example,
    })),
  };
}

const PLACES = { path: 'Path parameters', query: 'Query parameters', header: 'Headers' };

function operationModel(
  schemas: Schemas,
  path: string,
  method: string,
  operation: Operation,
): OperationModel {
  const { parameters = [], requestBody, responses } = operation;
  const groups = Object.entries(PLACES).map(([place, title]) => ({
    title,
    fields: parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema, description = '', required }) =>
        fieldOf(schemas, name, { ...schema, description }, required),
      ),
  }));
  const body = requestBody?.content['application/json'];
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    summary: operation.summary,
    description: operation.description,
    credentials: operation.security.flatMap(Object.keys).map(inWords),
    parameters: groups.filter(({ fields }) => fields.length > 0),
    body: body && {
      ...bodyModel(schemas, body.schema),
      required: requestBody?.required === true,
      others: Object.values(body.examples ?? {}).slice(1),
    },
    curl: curlOf(path, method, operation),
    answers: Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .reverse() // 201 before 200.
      .map(([status, { description, headers = {}, content }]) => {
        const [{ schema, examples }] = Object.values(content) as [Media];
        return {
          status,
          description,
          headers: Object.keys(headers),
          examples: Object.values(examples),
          ...bodyModel(schemas, schema),
        };
      }),
    errors: Object.entries(responses)
      .filter(([status]) => !status.startsWith('2'))
      .flatMap(([status, { content }]) =>
        Object.entries(content['application/json']?.examples ?? {}).map(([code, { summary, value }]) => ({
          status,
          code,
          when: summary,
          value,
        })),
      ),
  };
}

/** `serverKey` becomes `Server key`. */
function inWords(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

function bodyModel(schemas: Schemas, schema: Schema): BodyModel {
  const name = nameOf(schema);
  const href = schemas.places.get(name ?? '');
  if (href !== undefined) return { name, href, shapes: [] };
  const alternatives = alternativesOf(schemas, schema);
  const shapes =
    alternatives.length > 0
      ? alternatives.map((each) => ({
          when: conditionOf(resolve(schemas, each)),
          name: nameOf(each),
          fields: fieldsOf(schemas, each),
        }))
      : [{ when: undefined, name: undefined, fields: fieldsOf(schemas, schema) }];
  return { name, href, shapes };
}

/** The constant that only this alternative has. */
function conditionOf({ properties = {} }: Schema): string {
  const [name = '', { const: value } = {}] =
    Object.entries(properties).find(([, property]) => property.const !== undefined) ?? [];
  return `When \`${name}\` is \`${value}\``;
}
