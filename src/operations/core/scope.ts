import Type, { type TObject } from 'typebox';
import { EXAMPLE_ADMIN_ENTRY } from '../../wire/entry.ts';
import { WORD } from '../../wire/schema.ts';
import { WaitlistIdSchema } from '../../wire/waitlist.ts';
import type { Operation, Scope } from './operation.ts';
import { closed } from './schemas.ts';

/** Of the path, for everything below a waitlist. */
export const waitlistParams = { waitlistId: WaitlistIdSchema };

/** Of the path, for what is about one entry. */
export const entryParams = {
  entryId: Type.String({ ...WORD, description: 'Id of the entry.', examples: [EXAMPLE_ADMIN_ENTRY.id] }),
};

/** Of the query, for everything that concerns one environment of a waitlist. */
export const environmentQuery = {
  environment: Type.Optional(
    Type.String({
      ...WORD,
      description: 'Environment of the waitlist. Default: `production`.',
      examples: ['development'],
    }),
  ),
};

export function hasWaitlist(scope: Scope): boolean {
  return scope === 'waitlist' || scope === 'queue';
}

export function hasEnvironment(scope: Scope): boolean {
  return scope === 'environment' || scope === 'queue';
}

/** All parameters of the path. */
export function paramsOf({ scope, params }: Operation): TObject {
  return Type.Object({ ...(hasWaitlist(scope) ? waitlistParams : {}), ...params });
}

export function queryOf({ scope, query }: Operation): TObject {
  return Type.Object({ ...(hasEnvironment(scope) ? environmentQuery : {}), ...query }, closed);
}
