import { type DestinationStream, destination, type Logger, pino } from 'pino';

/** When nobody reads the log, lines are dropped past this, rather than memory eaten. */
const BUFFER_BYTES_MAX = 8 * 1024 * 1024;

/** JSON lines on standard output. Callers pass ids, routes, states and counts: never what a person sent. */
export function createLogger(level: string, to?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    // Lines are gathered before they are written; `flush` on the way out loses none.
    to ?? destination({ dest: 1, sync: false, minLength: 16_000, maxLength: BUFFER_BYTES_MAX }),
  );
}
