import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { type Document, finishDocument } from '../docs/document.ts';

/** A document's metadata. Its operations are the routes of its API with one of its tags. */
export interface Api {
  /** Where the document is served. */
  path: string;
  title: string;
  summary: string;
  description: string;
  tags: Document['tags'];
  securitySchemes: Record<string, SecurityScheme>;
  webhooks: Document['webhooks'];
}

type SecurityScheme = { description: string } & (
  | { type: 'http'; scheme: string }
  | { type: 'apiKey'; in: 'cookie'; name: string }
);

/** Generates an OpenAPI document from the schemas of the routes. Call it before adding routes. */
export async function registerOpenApi(
  app: FastifyInstance,
  { path, tags, securitySchemes, webhooks, ...info }: Api,
  version: string,
  base = '',
): Promise<() => Document> {
  const names = new Set(tags.map(({ name }) => name));
  await app.register(swagger, {
    // One for each document. The types only know the first.
    decorator: path as 'swagger',
    openapi: {
      openapi: '3.1.0',
      info: { ...info, version, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: base === '' ? '/' : base, description: 'This installation' }],
      tags,
      components: { securitySchemes },
    },
    convertConstToEnum: false,
    transform: ({ schema, url }) => {
      const ours = isAdmin(url) === isAdmin(path) && schema?.tags?.some((tag) => names.has(tag));
      return { url, schema: { ...schema, hide: !ours } };
    },
    transformObject: (parts) =>
      'openapiObject' in parts ? finishDocument(parts.openapiObject, webhooks) : parts.swaggerObject,
  });
  const document = () => app[path as 'swagger']() as unknown as Document;
  app.get(path, async () => document());
  return document;
}

/** Both APIs have, for example, entries. */
function isAdmin(path: string): boolean {
  return path.startsWith('/admin/');
}
