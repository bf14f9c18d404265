import { gateKeys } from '../../../waitlist/gate/gate-keys.ts';
import {
  CreatedGateKeySchema,
  EXAMPLE_GATE_KEY,
  EXAMPLE_GATE_SECRET,
  GateKeySchema,
  presentCreatedGateKey,
  presentHookKey,
} from '../../../wire/hook-keys.ts';
import type { HookKeyKind } from './hook-keys.ts';

export const GATE_KEYS: HookKeyKind = {
  keys: gateKeys,
  called: 'gate key',
  name: 'GateKey',
  schema: GateKeySchema,
  example: EXAMPLE_GATE_KEY,
  createdSchema: CreatedGateKeySchema,
  createdExample: {
    ...EXAMPLE_GATE_KEY,
    key: EXAMPLE_GATE_SECRET,
    url: `https://waitlist.example.com/gate/v1/${EXAMPLE_GATE_SECRET}`,
  },
  present: presentHookKey,
  presentCreated: presentCreatedGateKey,
  secret: {
    maxLength: 200,
    description: 'The secret that the provider signs its requests with, for Supabase and WorkOS.',
    refusal: 'must be the secret that the provider shows',
  },
  creation:
    'Creates a key for `POST /gate/v1/{gateKey}`, which lets only invited people sign up to your product, and returns it, this once.',
  deletion: 'with it, nobody can sign up any more.',
  requests: {
    plain: { summary: 'For your own backend, Auth0 or Kinde', value: { name: 'Backend' } },
    signed: {
      summary: 'For Supabase',
      value: { name: 'Supabase', secret: 'v1,whsec_YW4gZXhhbXBsZSBzZWNyZXQsIG5vdCBhIHJlYWwgb25l' },
    },
  },
};
