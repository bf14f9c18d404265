import type { OperatorContext } from '../../../operators/context.ts';
import { recordReadings } from '../../../operators/recorded-reads.ts';
import type { HeldContext } from '../../../waitlist/requests/only-once.ts';
import type { AdminParts } from './parts.ts';

/** The same parts, which change and read in the transaction of a request. */
export function heldParts(parts: AdminParts, held: HeldContext): AdminParts {
  const { notices, ...rest } = parts.context;
  const context: OperatorContext = {
    ...rest,
    db: held.db,
    ...(notices ? { notices: { ...notices, wake: () => held.held.afterCommit(notices.wake) } } : {}),
  };
  return { ...parts, waitlists: held, context, recordReading: recordReadings(context) };
}
