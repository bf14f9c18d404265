import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

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
/** How often a server flushes it. */
export const LOG_FLUSH_EVERY_MS = 1_000;
/** If nobody reads the log, further lines are dropped instead of filling memory. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;
let standardOutput: DestinationStream | undefined;

/** JSON lines on standard output. Pass ids, routes, states and counts, never user data. */
export function createLogger(level: string, to?: DestinationStream): Logger {
  standardOutput ??= openStandardOutput();
  return pino(
    { level, base: null, timestamp: timeField(), formatters: { level: (label) => ({ level: label }) } },
    to ?? standardOutput,
  );
}

/** For a thread whose lines another one writes, in blocks: two that write would mix their lines. */
export function createThreadLogger(level: string, send: (lines: string) => void): Logger {
  const blocks = inBlocks(send);
  process.on('exit', blocks.pass);
  return createLogger(level, {
    write: blocks.write,
    flush: (done?: () => void) => {
      blocks.pass();
      done?.();
    },
  } as DestinationStream);
}

/** Lines of another thread's logger. */
export function writeLines(lines: string): void {
  standardOutput?.write(lines);
}

function openStandardOutput(): DestinationStream {
  const destination = pino.destination({
    dest: STANDARD_OUTPUT,
    sync: false,
    maxLength: WAITING_BYTES_MAX,
  });
  const blocks = inBlocks((block) => destination.write(block));
  process.on('exit', () => {
    blocks.pass();
    destination.flushSync();
  });
  return {
    write: blocks.write,
    flush: (done?: () => void) => {
      blocks.pass();
      destination.flush(done);
    },
  } as DestinationStream;
}

/** Pino's destination measures whatever it is given. Line by line, that is 7% of a lookup; for a block, nothing. */
function inBlocks(send: (block: string) => void): { write(line: string): void; pass(): void } {
  let lines: string[] = [];
  let characters = 0;
  const pass = () => {
    if (lines.length === 0) return;
    send(lines.join(''));
    lines = [];
    characters = 0;
  };
  return {
    pass,
    write: (line) => {
      lines.push(line);
      characters += line.length;
      if (characters >= BLOCK_CHARACTERS) pass();
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
