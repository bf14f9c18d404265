import { type DestinationStream, type Logger, pino } from 'pino';

/**
 * The part of a logger that code below the process needs. Fields must never contain personal data or secrets.
 */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const STANDARD_OUTPUT = 1;
/** Lines are written in blocks of about this size, and whenever the log is flushed. */
const BLOCK_CHARACTERS = 16 * 1024;
/** If nobody reads the log, further lines are dropped instead of filling memory. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;
let standardOutput: DestinationStream | undefined;

/** JSON lines on standard output. Pass ids, routes, states and counts, never user data. */
export function createLogger(level: string, to?: DestinationStream): Logger {
  standardOutput ??= inBlocks(
    pino.destination({ dest: STANDARD_OUTPUT, sync: false, maxLength: WAITING_BYTES_MAX }),
  );
  return pino(
    { level, base: null, timestamp: timeField(), formatters: { level: (label) => ({ level: label }) } },
    to ?? standardOutput,
  );
}

type Destination = ReturnType<typeof pino.destination>;

/** Pino's destination measures whatever it is given. Line by line, that is 7% of a lookup; for a block, nothing. */
function inBlocks(destination: Destination): DestinationStream & Pick<Destination, 'flush'> {
  let lines: string[] = [];
  let characters = 0;
  const pass = () => {
    if (lines.length === 0) return;
    destination.write(lines.join(''));
    lines = [];
    characters = 0;
  };
  process.on('exit', () => {
    pass();
    destination.flushSync();
  });
  return {
    write: (line) => {
      lines.push(line);
      characters += line.length;
      if (characters >= BLOCK_CHARACTERS) pass();
    },
    flush: (done) => {
      pass();
      destination.flush(done);
    },
  };
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
