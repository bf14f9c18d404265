import type { FastifyInstance } from 'fastify';
import { invalid } from '../../errors.ts';
import { parseStrictJson } from '../json.ts';
import { HttpError } from './errors.ts';

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?(;\s*)?$/i;

/** Only JSON, read strictly. Fastify would also take text/plain, and keys that stand twice. */
export function registerJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      if (!JSON_TYPE.test(request.headers['content-type'] ?? '')) throw notJson();
      if (body.length === 0) throw invalid('body: is empty');
      done(null, parseStrictJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** For a route whose body may be absent, or come without a content type. */
export function registerOptionalJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    const type = request.headers['content-type'];
    try {
      if (body.length > 0 && type !== undefined && !JSON_TYPE.test(type)) throw notJson();
      done(null, body.length === 0 ? undefined : parseStrictJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

function notJson(): HttpError {
  return new HttpError('unsupported_media_type', 'the body must be sent as Content-Type: application/json');
}
