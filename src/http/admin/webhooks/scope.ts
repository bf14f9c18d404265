import { notFound } from '../../../lib/errors.ts';
import { parseId } from '../../../lib/ids.ts';
import { isoTime } from '../../../lib/time.ts';
import { mayActAs, type Role } from '../../../operators/roles.ts';
import { type Endpoint, type FoundEndpoint, findEndpoint, originOf } from '../../../webhooks/endpoints.ts';
import { presentEndpoint } from '../../../webhooks/present.ts';
import type { AdminParts } from '../core/parts.ts';
import { requireQueue } from '../core/waitlist-scope.ts';

export const NO_WAITLIST = {
  not_found: {
    when: 'The waitlist or the environment does not exist.',
    message: 'there is no waitlist wl_acme',
  },
};
export const NO_ENDPOINT = {
  not_found: {
    when: 'The waitlist, the environment or the endpoint does not exist.',
    message: 'there is no such webhook endpoint',
  },
};
export const DAMAGED_ENDPOINT = {
  damaged: {
    when: 'The stored settings of the endpoint are damaged.',
    message: 'the settings of this endpoint are damaged: delete it, and create another one',
  },
};

interface EndpointRequest {
  params: { waitlistId: string; endpointId: string };
  query: { environment?: string | undefined };
}

/** An endpoint of this waitlist in this environment. One of another queue is not found. */
export async function requireEndpoint(
  parts: AdminParts,
  { params, query }: EndpointRequest,
): Promise<FoundEndpoint & { id: string }> {
  const queue = await requireQueue(parts, params, query);
  const { endpointId } = params;
  const found = parseId('whe', endpointId) && (await findEndpoint(parts.waitlists, endpointId));
  if (found?.queue.id !== queue.id) throw notFound('there is no such webhook endpoint');
  return { ...found, id: endpointId };
}

/** `failed`: of `countFailedLately`. */
export function presentOwned(endpoint: Endpoint, role: Role, failed: ReadonlyMap<string, number>) {
  const url = urlFor(role, endpoint.url);
  const recentlyFailed = failed.get(endpoint.id) ?? 0;
  return { ...presentEndpoint(endpoint), url, recentlyFailed, updatedAt: isoTime(endpoint.updatedAt) };
}

export function urlFor(role: Role, url: string | null): string | null {
  return url === null || mayActAs(role, 'admin') ? url : originOf(url);
}
