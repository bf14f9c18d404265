import { queryOptions } from '@tanstack/react-query';
import { api, call, type Schemas } from '../../api/client.ts';
import { BASE_URL } from '../../base-path.ts';

export type GateKey = Schemas['GateKey'];
type CreatedGateKey = Schemas['CreatedGateKey'];

export interface GateScope {
  waitlistId: string;
  environment: string;
}

export function gateKeysQuery({ waitlistId, environment }: GateScope) {
  return queryOptions({
    queryKey: ['gate-keys', waitlistId, environment],
    queryFn: async (): Promise<GateKey[]> => {
      const { gateKeys } = await call(
        api.GET('/admin/v1/waitlists/{waitlistId}/gate-keys', {
          params: { path: { waitlistId }, query: { environment } },
        }),
      );
      return gateKeys.toReversed();
    },
  });
}

export function createGateKey({ waitlistId, environment }: GateScope, name: string): Promise<CreatedGateKey> {
  return call(
    api.POST('/admin/v1/waitlists/{waitlistId}/gate-keys', {
      params: { path: { waitlistId }, query: { environment } },
      body: { name },
    }),
  );
}

/** `null` removes it. */
export function setSecret(
  { waitlistId, environment }: GateScope,
  gateKeyId: string,
  secret: string | null,
): Promise<GateKey> {
  return call(
    api.PATCH('/admin/v1/waitlists/{waitlistId}/gate-keys/{gateKeyId}', {
      params: { path: { waitlistId, gateKeyId }, query: { environment } },
      body: { secret },
    }),
  );
}

export function deleteGateKey({ waitlistId, environment }: GateScope, gateKeyId: string): Promise<unknown> {
  return call(
    api.DELETE('/admin/v1/waitlists/{waitlistId}/gate-keys/{gateKeyId}', {
      params: { path: { waitlistId, gateKeyId }, query: { environment } },
    }),
  );
}

/** As it begins and ends: the rest is not stored. */
export function maskedGateKey({ hint }: Pick<GateKey, 'hint'>): string {
  return `dlg_…${hint}`;
}

/** Who asks the gate. Those that sign need their secret here. */
export const ASKERS = [
  { value: 'plain', label: 'My own backend', signs: false },
  { value: 'supabase', label: 'Supabase', signs: true },
  { value: 'auth0', label: 'Auth0', signs: false },
  { value: 'workos', label: 'WorkOS', signs: true },
  { value: 'kinde', label: 'Kinde', signs: false },
  { value: 'library', label: 'Better Auth or Auth.js', signs: false },
] as const;
export type Asker = (typeof ASKERS)[number]['value'];

export function gateUrl(key: string, asker: Asker): string {
  const shape = asker === 'plain' || asker === 'library' ? '' : `?shape=${asker}`;
  return `${BASE_URL}/gate/v1/${key}${shape}`;
}
