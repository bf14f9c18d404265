import { queryOptions } from '@tanstack/react-query';
import { api, call, type Schemas } from '../../api/client.ts';
import { PAGE, readAll } from '../../api/read-all.ts';

export type ServerKey = Schemas['ServerKey'];
type CreatedKey = Schemas['CreatedServerKey'];

/** The keys of one environment: of a waitlist, or with `null` those that cover every waitlist. */
export interface KeyScope {
  waitlistId: string | null;
  environment: string;
}

/** The newest first: the API begins with the oldest. */
export function keysQuery(scope: KeyScope) {
  return queryOptions({
    queryKey: ['keys', scope.waitlistId, scope.environment],
    queryFn: async () => {
      const keys = await readAll(async (cursor) => {
        const page = await readKeys(scope, cursor);
        return { items: page.keys, nextCursor: page.nextCursor };
      });
      return keys.reverse();
    },
  });
}

function readKeys({ waitlistId, environment }: KeyScope, cursor: string | undefined) {
  const query = { environment, limit: PAGE, cursor };
  if (waitlistId === null) return call(api.GET('/admin/v1/keys', { params: { query } }));
  return call(api.GET('/admin/v1/waitlists/{waitlistId}/keys', { params: { path: { waitlistId }, query } }));
}

export function createKey(
  { waitlistId, environment }: KeyScope,
  { name, canRead }: { name: string; canRead: boolean },
): Promise<CreatedKey> {
  const query = { environment };
  if (waitlistId === null) return call(api.POST('/admin/v1/keys', { params: { query }, body: { name } }));
  return call(
    api.POST('/admin/v1/waitlists/{waitlistId}/keys', {
      params: { path: { waitlistId }, query },
      body: { name, canRead },
    }),
  );
}

export function rotateKey(
  { waitlistId, environment }: KeyScope,
  keyId: string,
  overlapMs: number,
): Promise<CreatedKey> {
  const query = { environment };
  const body = { overlapMs };
  if (waitlistId === null)
    return call(api.POST('/admin/v1/keys/{keyId}/rotate', { params: { path: { keyId }, query }, body }));
  return call(
    api.POST('/admin/v1/waitlists/{waitlistId}/keys/{keyId}/rotate', {
      params: { path: { waitlistId, keyId }, query },
      body,
    }),
  );
}

export function revokeKey({ waitlistId, environment }: KeyScope, keyId: string): Promise<unknown> {
  const query = { environment };
  if (waitlistId === null)
    return call(api.DELETE('/admin/v1/keys/{keyId}', { params: { path: { keyId }, query } }));
  return call(
    api.DELETE('/admin/v1/waitlists/{waitlistId}/keys/{keyId}', {
      params: { path: { waitlistId, keyId }, query },
    }),
  );
}

type KeyState = 'active' | 'expired' | 'revoked';

export function stateOf({ revokedAt, expiresAt }: ServerKey): KeyState {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'active';
}

/** As it begins and ends: the rest is not stored. */
export function maskedKey({ environment, hint }: Pick<ServerKey, 'environment' | 'hint'>): string {
  return `${environment === 'production' ? 'dl_live' : 'dl_test'}_…${hint}`;
}
