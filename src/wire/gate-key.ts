import Type, { type Static } from 'typebox';
import { isoTime, isoTimeOrNull } from '../lib/time.ts';
import type { CreatedGateKey, GateKeySummary } from '../waitlist/gate/gate-keys.ts';
import { idPattern, named, time, timeOrNull } from './schema.ts';

export const GateKeySchema = Type.Object(
  {
    id: Type.String({ ...idPattern('gat'), description: 'Unique id of the gate key.' }),
    hint: Type.String({ description: 'Last four characters of the key.' }),
    name: Type.String({ description: 'What operators call it. Empty if it has no name.' }),
    signed: Type.Boolean({
      description: 'Whether it has a signing secret. If so, it takes only requests that are signed with it.',
    }),
    createdAt: time('When the key was created.'),
    lastUsedAt: timeOrNull('When the key was last used, to the minute.'),
  },
  { ...named('GateKey'), description: 'A key for the gate. The key itself is shown only once.' },
);

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

export function presentGateKey(key: GateKeySummary): Static<typeof GateKeySchema> {
  const { id, hint, name, signed, createdAt, lastUsedAt } = key;
  return {
    id,
    hint,
    name,
    signed,
    createdAt: isoTime(createdAt),
    lastUsedAt: isoTimeOrNull(lastUsedAt),
  };
}

/** The only time that the key is shown. */
export function presentCreatedGateKey(
  created: CreatedGateKey,
  publicUrl: string,
): Static<typeof CreatedGateKeySchema> {
  const { id, ...rest } = presentGateKey(created);
  return { id, key: created.key, url: `${publicUrl}/gate/v1/${created.key}`, ...rest };
}
