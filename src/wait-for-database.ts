import { DatabaseUnavailable } from './db/database.ts';
import { isWorthWaitingFor } from './db/postgres-errors.ts';
import { inWords } from './service.ts';
import { reportState } from './state-log.ts';
import type { Log } from './waitlist/context.ts';

const RETRY_AFTER_MS = 500;

/** A database that starts beside the service may be there in a moment; what will not get better is thrown at once. */
export async function waitForDatabase<T>(open: () => Promise<T>, timeoutMs: number, log: Log): Promise<T> {
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!isWorthWaitingFor(error)) throw error;
      const reason = inWords(error as Error);
      if (performance.now() >= giveUpAt) {
        const message = `The database was not available within ${timeoutMs / 1_000} s: ${reason}`;
        throw new DatabaseUnavailable(message, { cause: error });
      }
      reportState(log, 'database', 'unavailable', { reason });
      await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
    }
  }
}
