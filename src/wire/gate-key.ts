import Type, { type Static } from 'typebox';
import type { CreatedHookKey } from '../waitlist/keys/hook-keys.ts';
import { hookKeyProperties, presentHookKey } from './hook-key.ts';
import { named } from './schema.ts';

export const GateKeySchema = Type.Object(hookKeyProperties('gat', 'gate key'), {
  ...named('GateKey'),
  description: 'A key for the gate. The key itself is shown only once.',
});

export const EXAMPLE_GATE_KEY: Static<typeof GateKeySchema> = {
  id: 'gat_06gxx2p9r1yn1vp1ryss481fhw',
  hint: 'x7Qa',
  name: 'Supabase',
  signed: true,
  createdAt: '2026-11-15T09:30:00.000Z',
  lastUsedAt: null,
};
export const EXAMPLE_GATE_SECRET = 'dlg_4m8c0v0Hx3Vb8NqT2mYz5KcR7wLs9PfJd4Ge1AuX7Qa';

export const CreatedGateKeySchema = Type.Object(
  {
    ...GateKeySchema.properties,
    key: Type.String({ description: 'The key. It is shown only here.' }),
    url: Type.String({
      format: 'uri',
      description: 'Where sign-ups are checked. Add `?shape=` for a provider that sends its own body.',
    }),
  },
  { ...named('CreatedGateKey'), description: 'A new gate key.' },
);

/** The only time that the key is shown. */
export function presentCreatedGateKey(
  created: CreatedHookKey,
  publicUrl: string,
): Static<typeof CreatedGateKeySchema> {
  const { id, ...rest } = presentHookKey(created);
  return { id, key: created.key, url: `${publicUrl}/gate/v1/${created.key}`, ...rest };
}
