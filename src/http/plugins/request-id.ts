import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const SANE = /^[A-Za-z0-9._:/+=-]{1,128}$/;
let prefix = '';
let count = 0;

/** A random prefix and a counter: unique across instances, and cheap. */
export function newRequestId(): string {
  if (count === 0) prefix = `req_${randomBytes(9).toString('hex')}`;
  count = (count + 1) % 0xffffff;
  return prefix + count.toString(36);
}

/** Uses the caller's own id if it is valid. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SANE.test(given) ? given : newRequestId();
}
