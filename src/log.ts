import { type DestinationStream, type Logger, pino } from 'pino';
import { type LogWriter, logWriter } from './log-writer.ts';

/**
 * The part of a logger that code below the process needs. Fields must never contain personal data or secrets.
 */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const STANDARD_OUTPUT = 1;
let standardOutput: LogWriter | undefined;

/** JSON lines on standard output. Pass ids, routes, states and counts, never user data. */
export function createLogger(level: string, to?: DestinationStream): Logger {
  standardOutput ??= logWriter(STANDARD_OUTPUT);
  return pino(
    { level, base: null, timestamp: timeField(), formatters: { level: (label) => ({ level: label }) } },
    to ?? standardOutput,
  );
}

/** Lines of the same millisecond share one text. */
function timeField(): () => string {
  let at = 0;
  let field = '';
  return () => {
    const now = Date.now();
    if (now !== at) {
      at = now;
      field = `,"time":"${new Date(now).toISOString()}"`;
    }
    return field;
  };
}
