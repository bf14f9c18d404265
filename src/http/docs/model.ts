import { curlOf } from './curl.ts';
import type { Document, Example, Media, Operation } from './document.ts';
import { type Field, fieldOf, fieldsOf, objectName } from './fields.ts';

/** The document as a page shows it: sections of operations, with every schema flattened into rows. */
export interface Model {
  title: string;
  version: string;
  about: string;
  sections: { title: string; description: string; operations: OperationModel[] }[];
  /** What the service sends by itself. */
  events: { headers: Field[]; envelope: Field[]; kinds: EventModel[] };
  objects: { name: string; description: string; fields: Field[] }[];
  headers: Field[];
}

export interface OperationModel {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  needsKey: boolean;
  parameters: { title: string; fields: Field[] }[];
  body: { required: boolean; fields: Field[]; others: Example[] } | undefined;
  curl: string;
  answers: Answer[];
  errors: { status: string; code: string; when: string; value: unknown }[];
}

export interface EventModel {
  kind: string;
  id: string;
  when: string;
  data: Field[];
  example: unknown;
}

export interface Answer {
  status: string;
  description: string;
  headers: string[];
  /** The name of the object that the answer is, where it is one. */
  object: string | undefined;
  fields: Field[];
  examples: Example[];
}

export function modelOf(document: Document): Model {
  const { info, tags, paths, components } = document;
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
        .map(({ path, method, operation }) => operationModel(document, path, method, operation)),
    })),
    events: eventsOf(document),
    objects: Object.entries(components.schemas).map(([name, schema]) => ({
      name,
      description: schema.description ?? '',
      fields: fieldsOf(schema),
    })),
    headers: Object.entries(components.headers).map(([name, { schema, description }]) =>
      fieldOf(name, { ...schema, description }, false),
    ),
  };
}

/** All events have one envelope; what differs is the data in it. */
function eventsOf({ webhooks }: Document): Model['events'] {
  const kinds = Object.entries(webhooks).map(([kind, { post }]) => {
    const [media] = Object.values(post.requestBody?.content ?? {});
    const [example] = Object.values(media?.examples ?? {});
    const fields = media ? fieldsOf(media.schema) : [];
    return { kind, operation: post, fields, example: example?.value };
  });
  const inData = ({ name }: Field) => name.startsWith('data.');
  const [first] = kinds;
  return {
    headers: (first?.operation.parameters ?? []).map(({ name, schema, description = '' }) =>
      fieldOf(name, { ...schema, description }, false),
    ),
    envelope: (first?.fields ?? [])
      .filter((field) => !inData(field))
      .map((field) => ({ ...field, limits: [] })),
    kinds: kinds.map(({ kind, operation, fields, example }) => ({
      kind,
      id: operation.operationId,
      when: `${operation.summary}.`,
      data: fields.filter(inData),
      example,
    })),
  };
}

const PLACES = { path: 'Path parameters', query: 'Query parameters', header: 'Headers' };

function operationModel(
  document: Document,
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
        fieldOf(name, { ...schema, description }, required),
      ),
  }));
  const body = requestBody?.content['application/json'];
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    summary: operation.summary,
    description: operation.description,
    needsKey: operation.security.length > 0,
    parameters: groups.filter(({ fields }) => fields.length > 0),
    body: body && {
      required: requestBody?.required === true,
      fields: fieldsOf(body.schema),
      others: Object.values(body.examples).slice(1),
    },
    curl: curlOf(path, method, operation),
    answers: Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .reverse() // What was created before what was found.
      .map(([status, { description, headers = {}, content }]) => ({
        status,
        description,
        headers: Object.keys(headers),
        ...answerBody(document, content['application/json'] as Media),
      })),
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

function answerBody(document: Document, { schema, examples }: Media) {
  const object = objectName(schema);
  const resolved = object === undefined ? schema : (document.components.schemas[object] ?? {});
  return { object, fields: fieldsOf(resolved), examples: Object.values(examples) };
}
