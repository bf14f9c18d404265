import { type DestinationStream, type Logger, pino } from 'pino';

/**
 * The part of a logger that code below the process needs. Fields must never contain personal data or secrets.
 */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const STANDARD_OUTPUT = 1;
/** Lines are written in blocks of this size, and whenever the log is flushed. */
const BLOCK_BYTES = 4 * 1024;
/** If nobody reads the log, further lines are dropped instead of filling memory. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;
let standardOutput: DestinationStream | undefined;

/** JSON lines on standard output. Pass ids, routes, states and counts, never user data. */
export function createLogger(level: string, to?: DestinationStream): Logger {
  standardOutput ??= pino.destination({
    dest: STANDARD_OUTPUT,
    sync: false,
    minLength: BLOCK_BYTES,
    maxLength: WAITING_BYTES_MAX,
  });
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
