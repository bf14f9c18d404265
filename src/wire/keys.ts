import Type, { type Static } from 'typebox';
import { formatId } from '../lib/ids.ts';
import { isoTime, isoTimeOrNull } from '../lib/time.ts';
import type { CreatedHookKey, HookKeySummary } from '../waitlist/keys/hook-keys.ts';
import type { KeySummary } from '../waitlist/keys/list-keys.ts';
import type { CreatedKey } from '../waitlist/keys/server-keys.ts';
import { MAIL_PROVIDERS, type MailProvider } from '../waitlist/mail-events/providers.ts';
import { idPattern, named, nullable, time, timeOrNull } from './schema.ts';

export function hookKeyProperties(idPrefix: 'gat' | 'mek', called: string) {
  return {
    id: Type.String({ ...idPattern(idPrefix), description: `Unique id of the ${called}.` }),
    hint: Type.String({ description: 'Last four characters of the key.' }),
    name: Type.String({ description: 'What operators call it. Empty if it has no name.' }),
    signed: Type.Boolean({
      description: 'Whether it has a signing secret. If so, it takes only requests that are signed with it.',
    }),
    createdAt: time('When the key was created.'),
    lastUsedAt: timeOrNull('When the key was last used, to the minute.'),
  };
}

export function presentHookKey(key: HookKeySummary) {
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

export const MailEventKeySchema = Type.Object(
  {
    ...hookKeyProperties('mek', 'mail event key'),
    provider: Type.Unsafe<MailProvider | null>({
      type: ['string', 'null'],
      enum: [...MAIL_PROVIDERS, null],
      description:
        'Whose reports it takes. `null` for a key of an earlier release that has reported nothing since: its next report decides.',
    }),
    topic: nullable<string>('string', {
      description:
        'Of `ses`: the topic of Amazon SNS whose messages it takes. `null` until one is known: the first subscription that is confirmed decides.',
    }),
  },
  {
    ...named('MailEventKey'),
    description: 'A key to report bounces and complaints with. The key itself is shown only once.',
  },
);

export const EXAMPLE_MAIL_EVENT_KEY: Static<typeof MailEventKeySchema> = {
  id: 'mek_06gxx2p9r1yn1vp1ryss481fhw',
  hint: 'n4Tc',
  name: 'Resend',
  signed: true,
  createdAt: '2026-11-15T09:30:00.000Z',
  lastUsedAt: null,
  provider: 'resend',
  topic: null,
};
export const EXAMPLE_MAIL_EVENT_SECRET = 'dle_4m8c0v0Rk6Ws2PhM9aXq3LtC8yZn5BvJf7Ud1EoN4Tc';

export const CreatedMailEventKeySchema = Type.Object(
  {
    ...MailEventKeySchema.properties,
    key: Type.String({ description: 'The key. It is shown only here.' }),
    url: Type.String({
      format: 'uri',
      description: 'Where to report bounces and complaints.',
    }),
  },
  { ...named('CreatedMailEventKey'), description: 'A new mail event key.' },
);

export function presentMailEventKey(key: HookKeySummary): Static<typeof MailEventKeySchema> {
  const { provider = null, topic = null } = key.own;
  return { ...presentHookKey(key), provider: provider as MailProvider | null, topic };
}

/** The only time that the key is shown. */
export function presentCreatedMailEventKey(
  created: CreatedHookKey,
  publicUrl: string,
): Static<typeof CreatedMailEventKeySchema> {
  const { id, ...rest } = presentMailEventKey(created);
  return { id, key: created.key, url: `${publicUrl}/mail-events/v1/${created.key}`, ...rest };
}

export function presentKey(key: KeySummary) {
  return {
    id: formatId('key', key.id),
    hint: key.hint,
    name: key.name,
    waitlistId: key.waitlistId,
    environment: key.environment,
    canRead: key.canRead,
    createdAt: isoTime(key.createdAt),
    expiresAt: isoTimeOrNull(key.expiresAt),
    revokedAt: isoTimeOrNull(key.revokedAt),
    lastUsedAt: isoTimeOrNull(key.lastUsedAt),
  };
}

/** The only time that the key is shown. */
export function presentCreatedKey(created: CreatedKey) {
  const { id, ...rest } = presentKey(created);
  return { id, key: created.key, ...rest };
}
