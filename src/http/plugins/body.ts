import type { FastifyInstance, FastifyRequest } from 'fastify';
import { problemInText } from '../../json/strict.ts';
import { invalid } from '../../lib/errors.ts';
import { parseStrictJson } from '../../wire/parse-json.ts';
import type { ReadBody } from './body-reader.ts';
import { HttpError } from './errors.ts';

/**
 * Only strict JSON. Fastify would also accept text/plain and duplicate keys. Many clients name a content type even
 * where they send nothing, so that a missing body is of any type.
 */
export function registerJsonBody(
  app: FastifyInstance,
  readBody: ReadBody,
  parse: (body: Buffer, request: FastifyRequest) => unknown = parseStrictJson,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (request, payload, done) => {
    const problem = problemOf(request.headers['content-type'] ?? '');
    if (problem) return done(hasBody(request) ? problem : null, undefined);
    readBody(request, payload, (error, body) => {
      if (error) return done(error);
      try {
        done(null, body.length === 0 ? undefined : parse(body, request));
      } catch (problem) {
        done(problem as Error);
      }
    });
  });
  app.addContentTypeParser('*', (request, _payload, done) => {
    done(hasBody(request) ? notJson() : null, undefined);
  });
}

/** For all routes: only those that can do without a body get to see that there is none. */
export function requireBodies(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    const schema = request.routeOptions.schema?.body as { 'x-optional'?: boolean } | undefined;
    const isMissing = request.body === undefined && schema !== undefined && !schema['x-optional'];
    done(isMissing ? invalid('body: is required') : undefined);
  });
}

/** For all routes, whether or not their query has a schema: no database takes such a text. */
export function refuseBrokenQueries(app: FastifyInstance): void {
  app.addHook('preValidation', ({ query }, _reply, done) => {
    for (const [name, value] of Object.entries(query as Record<string, unknown>))
      for (const text of [name, value].flat()) {
        const problem = typeof text === 'string' ? problemInText(text) : undefined;
        if (problem !== undefined) return done(invalid(`${shown(name)}: ${problem}`));
      }
    done();
  });
}

const shown = (name: string) => name.slice(0, 64).replaceAll('\0', '').toWellFormed();

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const WHITESPACE_ONLY = /^[ \t\r\n]*$/;

/** For routes whose body may be missing, or have no content type. */
export function registerOptionalJsonBody(app: FastifyInstance, readBody: ReadBody): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, payload, done) => {
    readBody(request, payload, (error, body) => {
      if (error) return done(error);
      const type = request.headers['content-type'];
      try {
        if (WHITESPACE_ONLY.test(body.toString('latin1'))) return done(null, undefined);
        const problem = type === undefined ? undefined : problemOf(type);
        if (problem) throw problem;
        done(null, parseStrictJson(body));
      } catch (problem) {
        done(problem as Error);
      }
    });
  });
}

/** Any parameters are allowed, but a charset must be UTF-8. */
function problemOf(contentType: string): HttpError | undefined {
  if (contentType === 'application/json') return undefined;
  const [type, ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  if (type !== 'application/json') return notJson();
  const charset = parameters.find((parameter) => /^charset\s*=/.test(parameter) && !UTF_8.test(parameter));
  return charset === undefined
    ? undefined
    : new HttpError('unsupported_media_type', 'the body must be in UTF-8, which needs no charset');
}

/** Some clients leave out its hyphen. */
const UTF_8 = /^charset\s*=\s*"?utf-?8"?$/;

export function notJson(): HttpError {
  return new HttpError('unsupported_media_type', 'the body must be sent as Content-Type: application/json');
}
