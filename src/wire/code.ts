import Type, { type Static } from 'typebox';
import { CODE_EFFECTS, type CodeEffect } from '../db/tables.ts';
import { isoTime, isoTimeOrNull } from '../lib/time.ts';
import { LIMIT_MAX, PLACES_MAX, TAG_CHARACTERS_MAX } from '../waitlist/codes/change-codes.ts';
import { CODE_LENGTH, CODE_PATTERN, type Code } from '../waitlist/codes/codes.ts';
import type { Mask } from './mask.ts';
import { idPattern, limits, named, nullable, oneOf, time, timeOrNull } from './schema.ts';

export const codeText = Type.String({
  ...limits({ minLength: CODE_LENGTH.least, maxLength: CODE_LENGTH.most, pattern: CODE_PATTERN }),
  description:
    'The code, which no other waitlist and environment may have. Capitals do not matter. Default: one is made up.',
  examples: ['FRIENDS-OF-ADA'],
});
export const codeEffect = oneOf(CODE_EFFECTS, {
  description:
    '`admit`: whoever has it gets in at once. `advance`: whoever names it in a signup counts as having joined `places` places earlier.',
});
export const codePlaces = Type.Integer({
  ...limits({ minimum: 1, maximum: PLACES_MAX }),
  description:
    'For `advance`, and required there: how many places earlier its people count as having joined.',
  examples: [50],
});
export const codeLimit = Type.Integer({
  ...limits({ minimum: 1, maximum: LIMIT_MAX }),
  description: 'How many people can use it.',
  examples: [100],
});
export const codeTag = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  ...limits({ minLength: 1, maxLength: TAG_CHARACTERS_MAX }),
  description: 'Goes to `tag` in the metadata of everybody who uses it. `null` for none.',
  examples: ['podcast'],
});

export const CodeSchema = Type.Object(
  {
    id: Type.String({ ...idPattern('cod'), description: 'Unique id of the code.' }),
    code: nullable<string>('string', {
      description: 'The code. `null` for viewers, and if it cannot be decrypted.',
    }),
    url: nullable<string>('string', {
      description:
        'Link to share. `null` where `code` is, and for `advance` while the form is off: name the code in signups then.',
    }),
    does: codeEffect,
    places: nullable<number>('integer', {
      minimum: 1,
      maximum: PLACES_MAX,
      description:
        'How many places earlier its people count as having joined. `null` unless it does `advance`.',
    }),
    limit: Type.Integer({ minimum: 1, maximum: LIMIT_MAX, description: 'How many people can use it.' }),
    used: Type.Integer({
      minimum: 0,
      maximum: LIMIT_MAX,
      description: 'How many people have used it. Whoever is removed within a day is not counted.',
    }),
    expiresAt: timeOrNull('When it expires; `null` if it does not.'),
    tag: nullable<string>('string', {
      description: 'Goes to `tag` in the metadata of everybody who uses it. `null` for viewers.',
    }),
    createdAt: time('When the code was created.'),
  },
  { ...named('Code'), description: 'A code that several people can use.' },
);

export const EXAMPLE_CODE: Static<typeof CodeSchema> = {
  id: 'cod_06gxx2p9r1yn1vp1ryss481fhw',
  code: 'FRIENDS-OF-ADA',
  url: 'https://waitlist.example.com/join/FRIENDS-OF-ADA',
  does: 'admit',
  places: null,
  limit: 100,
  used: 12,
  expiresAt: '2026-12-01T00:00:00.000Z',
  tag: 'podcast',
  createdAt: '2026-11-15T09:30:00.000Z',
};

export function presentCode(
  code: Code,
  mask: Mask,
  linkTo: (code: string, does: CodeEffect) => string | null,
): Static<typeof CodeSchema> {
  const { id, does, places, limit, used } = code;
  const url = code.code === null ? null : linkTo(code.code, does);
  return {
    id,
    code: mask.secret(code.code),
    url: mask.secret(url),
    ...{ does, places, limit, used },
    expiresAt: isoTimeOrNull(code.expiresAt),
    tag: mask.secret(code.tag),
    createdAt: isoTime(code.createdAt),
  };
}
