import { write, writeSync } from 'node:fs';

/** Lines are written in pieces of about this size, or whenever somebody asks for a flush. */
const PIECE_CHARACTERS = 16 * 1024;
/** When nobody reads the log, lines are dropped past this, rather than memory eaten. */
const WAITING_CHARACTERS_MAX = 8 * 1024 * 1024;

export interface LogWriter {
  write(line: string): void;
  flush(done?: (error?: Error) => void): void;
}

/**
 * Gathers lines and writes many at once, one write at a time, away from the requests that made them. To measure or
 * copy each line by itself would cost a signup more than sealing it.
 */
export function logWriter(descriptor: number): LogWriter {
  let lines: string[] = [];
  let waiting = 0;
  let writing = false;
  let whenEmpty: ((error?: Error) => void)[] = [];

  const settle = (error?: Error) => {
    const told = whenEmpty;
    whenEmpty = [];
    for (const done of told) done(error);
  };
  const next = () => {
    if (writing) return;
    if (lines.length === 0) return settle();
    const piece = Buffer.from(lines.join(''));
    lines = [];
    waiting = 0;
    writing = true;
    writeAll(piece, 0);
  };
  const writeAll = (piece: Buffer, from: number) => {
    write(descriptor, piece, from, piece.length - from, null, (error, written) => {
      if (error?.code === 'EAGAIN') {
        setTimeout(() => writeAll(piece, from), 10);
        return;
      }
      if (!error && from + written < piece.length) {
        writeAll(piece, from + written);
        return;
      }
      writing = false; // What could not be written is lost: a log must not stop the service.
      if (error) settle(error);
      else if (whenEmpty.length > 0 || waiting >= PIECE_CHARACTERS) next();
    });
  };

  process.on('exit', () => {
    if (lines.length === 0) return;
    try {
      writeSync(descriptor, lines.join(''));
    } catch {}
  });
  return {
    write: (line) => {
      if (waiting + line.length > WAITING_CHARACTERS_MAX) return;
      lines.push(line);
      waiting += line.length;
      if (waiting >= PIECE_CHARACTERS) next();
    },
    flush: (done) => {
      if (done) whenEmpty.push(done);
      next();
    },
  };
}
