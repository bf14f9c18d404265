import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DatabaseUnavailable, SchemaSuperseded } from '../../db/database.ts';
import { DoorlistError, type FieldProblem } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { logSparingly } from '../../lib/sparing-log.ts';
import { Unreadable } from '../../vault/crypto.ts';
import { type HttpErrorCode, STATUS, type WireCode } from '../problem.ts';
import { allowAnyOrigin } from './cors.ts';
import { newRequestId, requestIdOf } from './headers.ts';
import { DRAIN_MS_MAX, destroyWithin, drainBeforeClosing, isUnread } from './unread-body.ts';
import { isUploading, UploadTooLarge, UploadTooSlow } from './upload.ts';

const ADMIN_PREFIX = '/admin/';

interface WireError {
  status: number;
  code: WireCode;
  message: string;
  fields?: readonly FieldProblem[];
  headers?: Record<string, string>;
}

export class HttpError extends Error {
  override name = 'HttpError';
  readonly code: HttpErrorCode;
  readonly headers: Record<string, string>;

  constructor(code: HttpErrorCode, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.code = code;
    this.headers = headers;
  }
}

const wire = (code: WireCode, message: string, headers?: Record<string, string>): WireError => ({
  status: STATUS[code],
  code,
  message,
  ...(headers ? { headers } : {}),
});

/** The only place that maps errors to a status and a body. */
export function toWire(error: Error, log: Log, requestId: string, forAdmin = false): WireError {
  if (error instanceof DoorlistError) {
    const headers: Record<string, string> = {};
    if (STATUS[error.code] === 401) headers['www-authenticate'] = 'Bearer';
    if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds);
    return { ...wire(error.code, error.message, headers), fields: error.fields };
  }
  if (error instanceof HttpError) return wire(error.code, error.message, error.headers);
  if (error instanceof UploadTooLarge) return wire('payload_too_large', error.message);
  if (error instanceof Unreadable) {
    const fields = { requestId, reason: error.message, stack: error.stack };
    logSparingly(log, 'error', fields, 'a request met damaged data', error.stack);
    return forAdmin ? wire('damaged', DAMAGED) : wire('internal_error', WENT_WRONG);
  }
  if (error instanceof UploadTooSlow) return { status: 408, code: 'invalid_request', message: TOO_SLOW };
  if (error instanceof DatabaseUnavailable) {
    // That one is logged once, when it is noticed.
    if (!(error instanceof SchemaSuperseded))
      logSparingly(log, 'error', { requestId, reason: error.message }, 'the database is unavailable');
    return wire('unavailable', 'the database is not available: try again in a moment', {
      'retry-after': '2',
    });
  }
  const known = fromFramework(error as FastifyError);
  if (known) return known;
  const fields = { requestId, error: error.name, reason: error.message, stack: error.stack };
  logSparingly(log, 'error', fields, 'request failed', error.stack);
  return wire('internal_error', WENT_WRONG);
}

const WENT_WRONG = 'something went wrong on our side; find the request id in the log for details';
const DAMAGED = 'what is stored about this is damaged and cannot be decrypted. A backup may still have it';

function fromFramework({ code, statusCode, message }: FastifyError): WireError | undefined {
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return wire('unsupported_media_type', 'the body must be sent as Content-Type: application/json');
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return wire('payload_too_large', 'the body is too large for this endpoint');
    case 'FST_ERR_BAD_URL':
      return wire('invalid_request', 'the path is not valid percent-encoded UTF-8');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return wire('invalid_request', 'body: its length differs from Content-Length', { connection: 'close' });
  }
  return statusCode && statusCode >= 400 && statusCode < 500 ? wire('invalid_request', message) : undefined;
}

export function sendError(error: Error, request: FastifyRequest, reply: FastifyReply, log: Log): void {
  const { status, code, message, headers, fields = [] } = toWire(error, log, request.id, isAdmin(request));
  const named = fields.length > 0 && isAdmin(request) ? { fields } : {};
  allowAnyOrigin(request, reply);
  closeUnread(request, reply);
  reply
    .code(status)
    .headers({
      'x-request-id': request.id,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff', // A malformed path gets here without any hook.
      ...headers,
    })
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send({ code, message, ...named });
}

/** The public API promises exactly a code and a message. */
function isAdmin({ routeOptions }: FastifyRequest): boolean {
  return routeOptions?.url?.startsWith(ADMIN_PREFIX) ?? false;
}

/** For a response that is sent before the body has arrived. */
export function closeUnread({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (!isUnread(raw)) return;
  reply.header('connection', 'close');
  drainBeforeClosing(raw);
}

export const NOTHING_HERE = 'there is nothing at this path';

export function registerErrors(app: FastifyInstance, log: Log): void {
  app.setErrorHandler((error: Error, request, reply) => sendError(error, request, reply, log));
}

const TOO_SLOW = 'the request took too long to arrive';

const PARSER_PROBLEMS: Record<string, { status: string; message: string }> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    message: 'the headers are too large',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', message: TOO_SLOW },
};

/** For an `Expect` header that Node does not know: Node would send an empty body. */
export function answerExpectation(request: IncomingMessage, response: ServerResponse): void {
  const message = 'Expect: only 100-continue can be met';
  const body = JSON.stringify({ code: 'invalid_request' satisfies WireCode, message });
  drainBeforeClosing(request);
  response
    .writeHead(417, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-request-id': requestIdOf(request),
      'x-content-type-options': 'nosniff',
      connection: 'close',
    })
    .end(body);
}

/** Responds to input that the HTTP parser rejected. */
export function answerParserError(error: NodeJS.ErrnoException, socket: Socket): void {
  const timedOut = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  if (timedOut && isUploading(socket)) return;
  // Already answered; this is the rest of the same request.
  if (!socket.writable && !timedOut && error.code !== 'ECONNRESET') return;
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { status, message } = PARSER_PROBLEMS[error.code ?? ''] ?? {
    status: '400 Bad Request',
    message: 'this is not a valid HTTP request',
  };
  const body = JSON.stringify({ code: 'invalid_request' satisfies WireCode, message });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Cache-Control: no-store\r\nX-Request-Id: ${newRequestId()}\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`,
    () => destroyWithin(socket, timedOut ? 0 : DRAIN_MS_MAX),
  );
}
