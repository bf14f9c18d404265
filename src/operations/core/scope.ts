import Type from 'typebox';
import { WORD } from '../../wire/schema.ts';
import { WaitlistIdSchema } from '../../wire/waitlist.ts';

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
