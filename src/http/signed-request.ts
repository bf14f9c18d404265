import type { IncomingHttpHeaders } from 'node:http';
import { verifyDelivery } from '../webhooks/signing.ts';

/** Exactly as it was received. */
export interface SignedRequest {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** The value at a path of a provider's body, which can be anything. */
export function at(body: unknown, ...path: string[]): unknown {
  let value = body;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** Signed as Standard Webhooks describes. Svix calls the headers `svix-…`. */
export function isStandardWebhook(
  { headers, body }: SignedRequest,
  secret: string,
  now: number,
  prefix: 'webhook' | 'svix' = 'webhook',
): boolean {
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) => {
    const value = headers[`${prefix}-${name}`];
    return typeof value === 'string' ? value : '';
  }) as [string, string, string];
  // Supabase separates several signatures with a comma and a space, the standard only with a space.
  const signatures = signature.replaceAll(', ', ' ');
  const payload = body.toString('utf8');
  return verifyDelivery({ payload, headers: { id, timestamp, signature: signatures }, secret }, now).verified;
}
