import Type, { type Static } from 'typebox';
import { DURATION_MAX_MS } from '../../lib/time.ts';
import {
  idPattern,
  limits,
  named,
  nullable,
  time,
  timeOrNull,
  WORD,
  withExamples,
} from '../../wire/schema.ts';
import { nextCursorSchema, PAGE_LIMIT_MAX } from '../core/pages.ts';
import { closed } from '../core/schemas.ts';

const KeyObject = Type.Object(
  {
    id: Type.String({ ...idPattern('key'), description: 'Unique id of the key.' }),
    hint: Type.String({ description: 'Last four characters of the key.' }),
    name: Type.String({ description: 'What operators call it. Empty if it has no name.' }),
    waitlistId: nullable<string>('string', {
      description: 'Waitlist that the key is for. `null` for a product key, which covers every waitlist.',
    }),
    environment: Type.String({ description: 'Environment that the key is for.' }),
    canRead: Type.Boolean({ description: 'Whether the key has the `waitlist:read` grant.' }),
    createdAt: time('When the key was created.'),
    expiresAt: timeOrNull('When the key stops working. `null`: never.'),
    revokedAt: timeOrNull('When the key was revoked.'),
    lastUsedAt: timeOrNull('When the key was last used, to the minute.'),
  },
  { ...named('ServerKey'), description: 'A server key. The key itself is shown only once.' },
);

export type KeyShape = Static<typeof KeyObject>;

export const EXAMPLE_KEY: KeyShape = {
  id: 'key_06gxx2p9r1yn1vp1ryss481fhw',
  hint: 'x7Qa',
  name: 'Website backend',
  waitlistId: 'wl_acme',
  environment: 'production',
  canRead: true,
  createdAt: '2026-11-15T09:30:00.000Z',
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
};
export const EXAMPLE_SECRET = 'dl_live_0Hx3Vb8NqT2mYz5KcR7wLs9PfJd4Ge1AuX7Qa';

export const CreatedKeyObject = Type.Object(
  { ...KeyObject.properties, key: Type.String({ description: 'The key. It is shown only here.' }) },
  { ...named('CreatedServerKey'), description: 'A new server key.' },
);

export const KeyPage = Type.Object(
  {
    keys: Type.Array(KeyObject, {
      maxItems: PAGE_LIMIT_MAX,
      description: 'In the order in which they were created, including expired and revoked ones.',
    }),
    nextCursor: nextCursorSchema,
  },
  { ...named('ServerKeyPage'), description: 'One page of server keys.' },
);

export const keyName = Type.Optional(
  Type.String({
    ...limits({ maxLength: 100 }),
    description: 'What to call it, so that you can tell keys apart.',
    examples: ['Website backend'],
  }),
);

export const expiresAt = Type.Optional(
  nullable<string>('string', {
    ...limits({ format: 'date-time' }),
    description: 'ISO 8601 time after which the key stops working. Omit it for a key that does not expire.',
  }),
);

export const Rotation = Type.Object(
  {
    overlapMs: Type.Optional(
      Type.Integer({
        ...limits({ minimum: 0, maximum: DURATION_MAX_MS }),
        description: 'How long the old key keeps working, in milliseconds. Default: 86400000 (24 hours).',
      }),
    ),
  },
  {
    ...named('KeyRotation'),
    ...closed,
    description: 'How to replace the key.',
    ...withExamples({
      hour: { summary: 'Keep the old key for an hour', value: { overlapMs: 3_600_000 } },
      leaked: { summary: 'Revoke a leaked key immediately', value: { overlapMs: 0 } },
    }),
  },
);

export const keyId = Type.String({ ...WORD, description: 'Id of the key.', examples: [EXAMPLE_KEY.id] });
