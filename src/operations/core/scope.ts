import Type from 'typebox';
import { WORD } from '../../wire/schema.ts';
import { WaitlistIdSchema } from '../../wire/waitlist.ts';
import type { Scope } from './operation.ts';

/** Of the path, for everything below a waitlist. */
export const waitlistParams = { waitlistId: WaitlistIdSchema };

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
