import Type from 'typebox';
import { EMAIL_MAX_CHARACTERS } from '../../lib/email.ts';
import { findEntry } from '../../waitlist/entries/entries.ts';
import { queueForKey, requireRead } from '../../waitlist/keys/find-key.ts';
import { EntrySchema, EXAMPLE_ENTRY, presentEntry } from '../../wire/entry.ts';
import { limits, withExamples } from '../../wire/schema.ts';
import { WaitlistIdSchema } from '../../wire/waitlist.ts';
import { errorResponses, okResponse } from '../responses.ts';
import type { TypedApp } from '../typed-app.ts';
import type { SdkParts } from './sdk-parts.ts';

const Params = Type.Object({
  waitlistId: WaitlistIdSchema,
  email: Type.String({
    ...limits({ minLength: 1, maxLength: EMAIL_MAX_CHARACTERS }),
    description:
      'Email of the entry, or its phone number in international format. Percent-encode it: `ada@example.com` becomes ' +
      '`ada%40example.com`, and `+14155550123` becomes `%2B14155550123`. A literal `+` is read as a plus sign, not as a space.',
    ...withExamples({
      email: { summary: 'An email, sent as ada%40example.com', value: 'ada@example.com' },
      phone: { summary: 'A phone number, sent as %2B14155550123', value: '+14155550123' },
    }),
  }),
});

const schema = {
  operationId: 'getEntry',
  tags: ['Entries'],
  summary: 'Look up an entry',
  description:
    'Returns an entry with its current position, referrals and status. Look it up by email or by phone number. ' +
    'Requires the `waitlist:read` grant.',
  security: [{ serverKey: [] }],
  params: Params,
  response: {
    200: okResponse({
      description: 'The entry.',
      schema: EntrySchema,
      examples: { entry: { summary: 'A waiting entry', value: EXAMPLE_ENTRY } },
    }),
    ...errorResponses(['invalid_request', 'unauthorized', 'forbidden', 'not_found', 'rate_limited'], {
      invalid_request: { when: 'The path is not valid percent-encoding.' },
      not_found: {
        when: 'The entry or the waitlist does not exist, or the server key does not have access to the waitlist.',
        message: 'there is no entry with this email or phone on the waitlist',
      },
    }),
  },
};

export function registerGetEntry(app: TypedApp, { context, requireKey }: SdkParts): void {
  app.get('/:waitlistId/entries/:email', {
    schema,
    onRequest: requireKey,
    handler: async (request) => {
      requireRead(request.serverKey);
      const { waitlistId, email } = request.params;
      const queue = await queueForKey(context, request.serverKey, waitlistId);
      return presentEntry(await findEntry(context, queue, email));
    },
  });
}
