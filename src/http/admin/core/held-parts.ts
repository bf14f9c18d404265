import type { OperatorContext } from '../../../operators/context.ts';
import type { RecordReading } from '../../../operators/recorded-reads.ts';
import type { HeldContext } from '../../../waitlist/requests/only-once.ts';
import type { AdminParts } from './admin-parts.ts';

/** The same parts, which change and read in the transaction of a request. */
export function heldParts(parts: AdminParts, held: HeldContext): AdminParts {
  const { notices, ...rest } = parts.context;
  const context: OperatorContext = {
    ...rest,
    db: held.db,
    ...(notices ? { notices: { ...notices, wake: () => held.held.afterCommit(notices.wake) } } : {}),
  };
  // Never within the change: the end of the audit trail is locked last.
  const recordReading: RecordReading = async (...reading) => {
    const record = () => parts.recordReading(...reading);
    if (held.held.hasBegun) held.held.afterCommit(record);
    else await record();
  };
  return { ...parts, waitlists: held, context, recordReading };
}
