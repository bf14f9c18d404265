import { DoorOpen } from 'lucide-react';
import { api, call } from '../../api/client.ts';
import { BASE_URL } from '../../base-path.ts';
import type { HookKind } from '../keys/hook-keys.ts';

const PATH = '/admin/v1/waitlists/{waitlistId}/gate-keys';
const KEY_PATH = '/admin/v1/waitlists/{waitlistId}/gate-keys/{gateKeyId}';

export const GATE_KEYS: HookKind = {
  start: 'dlg_',
  called: 'gate key',
  title: 'The gate',
  about:
    'Only people you invited can sign up to your product. Your auth provider or backend asks with a gate key.',
  icon: <DoorOpen aria-hidden />,
  worksWith: 'Works with Supabase, Auth0, WorkOS, Kinde, Better Auth, Auth.js and your own code.',
  createAbout: ({ waitlistId, environment }) =>
    `Lets only people invited from ${waitlistId} in ${environment} sign up. It can do nothing else.`,
  namePlaceholder: 'Supabase',
  urlTitle: 'Copy your gate URL',
  who: 'Who asks',
  callers: [
    { value: 'plain', label: 'My own backend', signs: false },
    { value: 'supabase', label: 'Supabase', signs: true },
    { value: 'auth0', label: 'Auth0', signs: false },
    { value: 'workos', label: 'WorkOS', signs: true },
    { value: 'kinde', label: 'Kinde', signs: false },
    { value: 'library', label: 'Better Auth or Auth.js', signs: false },
  ],
  urlOf: (key, caller) =>
    `${BASE_URL}/gate/v1/${key}${caller === 'plain' || caller === 'library' ? '' : `?shape=${caller}`}`,
  guide: 'gate',
  secretAbout:
    'Supabase and WorkOS sign their requests. With their secret, the key answers only signed requests.',
  secretPlaceholder: 'v1,whsec_…',
  deleteAbout: ({ environment }) =>
    `Where this key is used, nobody can sign up any more in ${environment}. This cannot be undone.`,
  queryKey: 'gate-keys',
  list: async ({ waitlistId, environment }) =>
    (await call(api.GET(PATH, { params: { path: { waitlistId }, query: { environment } } }))).gateKeys,
  create: ({ waitlistId, environment }, name) =>
    call(api.POST(PATH, { params: { path: { waitlistId }, query: { environment } }, body: { name } })),
  setSecret: ({ waitlistId, environment }, gateKeyId, secret) =>
    call(
      api.PATCH(KEY_PATH, {
        params: { path: { waitlistId, gateKeyId }, query: { environment } },
        body: { secret },
      }),
    ),
  remove: ({ waitlistId, environment }, gateKeyId) =>
    call(api.DELETE(KEY_PATH, { params: { path: { waitlistId, gateKeyId }, query: { environment } } })),
};
