import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalid } from '../../lib/errors.ts';
import { parseStrictJson } from '../json.ts';
import type { ReadBody } from './body-reader.ts';
import { HttpError } from './errors.ts';

/** Only strict JSON. Fastify would also accept text/plain and duplicate keys. */
export function registerJsonBody(
  app: FastifyInstance,
  readBody: ReadBody,
  parse: (body: Buffer, request: FastifyRequest) => unknown = parseStrictJson,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (request, payload, done) => {
    if (!isJson(request.headers['content-type'] ?? '')) return done(notJson());
    readBody(request, payload, (error, body) => {
      if (error) return done(error);
      try {
        if (body.length === 0) throw invalid('body: is required');
        done(null, parse(body, request));
      } catch (problem) {
        done(problem as Error);
      }
    });
  });
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
        if (type !== undefined && !isJson(type)) throw notJson();
        done(null, parseStrictJson(body));
      } catch (problem) {
        done(problem as Error);
      }
    });
  });
}

/** Allows any parameters, but a charset must be UTF-8. */
function isJson(contentType: string): boolean {
  if (contentType === 'application/json') return true;
  const [type, ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  const charsets = parameters.filter((parameter) => /^charset\s*=/.test(parameter));
  return (
    type === 'application/json' && charsets.every((charset) => /^charset\s*=\s*"?utf-8"?$/.test(charset))
  );
}

export function notJson(): HttpError {
  return new HttpError('unsupported_media_type', 'the body must be sent as Content-Type: application/json');
}
