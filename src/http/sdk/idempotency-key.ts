import Type from 'typebox';
import { invalid } from '../../lib/errors.ts';
import { limits } from '../../wire/schema.ts';

/** For `headers` of every route that redeems an invite. */
export const idempotencyHeaders = {
  'idempotency-key': Type.Optional(
    Type.String({
      ...limits({ minLength: 1, maxLength: 255, pattern: '^[ -~]+$' }),
      description: 'A unique value you choose, such as a UUID. Printable ASCII characters only.',
      examples: ['4f6b1c1e-9f0a-4c2f-8a53-0d5f5d3c7b21'],
    }),
  ),
};

export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x20-\x7e]{1,255}$/.test(header)) return header;
  throw invalid('Idempotency-Key: must be 1 to 255 printable ASCII characters');
}
