import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { invalid } from '../../lib/errors.ts';
import type { BodyBudgets } from './body-budget.ts';
import { HttpError } from './errors.ts';
import { clientOf } from './rate-limit.ts';

/** Bodies up to this size are not counted: they are cheap, and large bodies must not crowd them out. */
const FREE_BYTES = 16 * 1024;
/** Node's overhead per chunk: a body can arrive in chunks of one byte. */
const CHUNK_OVERHEAD_BYTES = 256;

export type ReadBody = (
  request: FastifyRequest,
  payload: IncomingMessage,
  then: (error: Error | null, body: Buffer) => void,
) => void;

/** Reads a body up to the route's limit, if there is room for it. */
export function bodyReader(budgets: BodyBudgets): ReadBody {
  return (request, payload, then) => {
    const refusal = refuseUnread(request);
    if (refusal) return then(refusal, NOTHING);
    const limit = request.routeOptions.bodyLimit ?? 0;
    const budget = request.serverKey ? budgets.keyed : budgets.open;
    const chunks: Buffer[] = [];
    let size = 0;
    let held = 0;
    let client = '';

    const hold = (bytes: number) => {
      if (held === 0) client = clientOf(request);
      budget.hold(client, bytes - held);
      held = bytes;
    };
    const finish = (error: Error | null) => {
      payload.off('data', take).off('end', end).off('error', breakOff);
      payload.resume(); // The rest is discarded.
      try {
        then(error, error || chunks.length === 0 ? NOTHING : Buffer.concat(chunks, size));
      } finally {
        if (held > 0) budget.release(client, held);
      }
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) return finish(tooLarge());
      chunks.push(chunk);
      const weight = size + chunks.length * CHUNK_OVERHEAD_BYTES;
      if (weight <= FREE_BYTES) return;
      try {
        hold(weight);
      } catch (error) {
        finish(error as Error);
      }
    };
    const end = () => finish(null);
    const breakOff = () => finish(invalid('body: was not received completely'));
    payload.on('data', take).on('end', end).on('error', breakOff);
  };
}

const NOTHING = Buffer.alloc(0);

function refuseUnread({ headers, routeOptions }: FastifyRequest): Error | undefined {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    return new HttpError('unsupported_media_type', 'the body must be sent without a Content-Encoding');
  if (Number(headers['content-length']) > (routeOptions.bodyLimit ?? 0)) return tooLarge();
}

function tooLarge(): HttpError {
  return new HttpError('payload_too_large', 'the body is too large for this endpoint');
}
