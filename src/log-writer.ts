import { write, writeSync } from 'node:fs';

/** Lines are written in chunks of about this size, or on a flush. */
const PIECE_CHARACTERS = 16 * 1024;
/** If the log is not being read, lines above this limit are dropped, to save memory. */
const WAITING_CHARACTERS_MAX = 8 * 1024 * 1024;

export interface LogWriter {
  write(line: string): void;
  flush(done?: (error?: Error) => void): void;
}

/**
 * Collects lines and writes many at once, one write at a time, outside the requests. Measuring or copying
 * each line individually would cost a signup more than sealing it.
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
      writing = false; // Failed writes are lost: the log must not stop the service.
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
