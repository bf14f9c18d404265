import { type DestinationStream, type Logger, pino } from 'pino';
import { openLogOutput } from './log-output.ts';

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
  const output = openLogOutput(STANDARD_OUTPUT, {
    onFailure: (reason) =>
      process.stderr.write(
        `doorlist: cannot write the log to standard output: ${reason}. The server keeps running, and drops lines until this works again.\n`,
      ),
    onDropped: (lines, reason) => {
      const time = new Date().toISOString();
      blocks.write(
        `${JSON.stringify({ level: 'warn', time, lines, reason, msg: 'log: lines were dropped' })}\n`,
      );
    },
  });
  const blocks = inBlocks(output.write);
  process.on('exit', () => {
    blocks.pass();
    output.writeRest();
  });
  return {
    write: blocks.write,
    flush: (done?: () => void) => {
      blocks.pass();
      output.flush(done);
    },
  } as DestinationStream;
}

/** A write for each line would take a good part of the time of a lookup. */
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
