import { write, writeSync } from 'node:fs';
import { systemErrorWords } from './files.ts';

/** Until a reader that is behind has taken something. */
const BUSY_MS = 100;
/** How often a process that ends waits for it. */
const BUSY_TRIES = 10;
/** If nobody reads the log, further lines are dropped instead of filling memory. */
const WAITING_CHARACTERS_MAX = 8 * 1024 * 1024;

interface LogOutput {
  write(block: string): void;
  /** Calls back when everything was written or dropped. */
  flush(done?: () => void): void;
  /** For the end of the process. */
  writeRest(): void;
}

interface Watch {
  /** Called when a write fails after others have worked. */
  onFailure(reason: string): void;
  /** Called when a write works again. */
  onDropped(lines: number, reason: string): void;
}

/** Writes in the background. What cannot be written is dropped: a full disk must not stop the server. */
export function openLogOutput(descriptor: number, { onFailure, onDropped }: Watch): LogOutput {
  const waiting: string[] = [];
  const onDrained: (() => void)[] = [];
  let characters = 0;
  let isWriting = false;
  let isClosed = false;
  let isLineCut = false;
  let reason: string | undefined;
  let dropped = 0;

  const drop = (block: string, why: string) => {
    dropped += block.split('\n').length - 1;
    reason ??= why;
  };
  const takeNext = (): string | undefined => {
    const block = waiting.shift();
    characters -= block?.length ?? 0;
    return block;
  };
  const writeNext = () => {
    const block = takeNext();
    isWriting = block !== undefined;
    if (block === undefined) for (const done of onDrained.splice(0)) done();
    else if (isClosed) writeNext();
    else put(block, Buffer.from(isLineCut ? `\n${block}` : block));
  };
  const put = (block: string, bytes: Buffer) => {
    write(descriptor, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') {
        setTimeout(() => put(block, bytes), BUSY_MS);
        return;
      }
      if (error) fail(block, error.code ?? '');
      else if (written < bytes.length) {
        isLineCut = true;
        put(block, bytes.subarray(written));
        return;
      } else succeed();
      writeNext();
    });
  };
  const fail = (block: string, code: string) => {
    isClosed = code === 'EPIPE'; // Nobody will ever read it.
    const words = systemErrorWords(code);
    if (!isClosed && reason === undefined) onFailure(words);
    drop(block, words);
  };
  const succeed = () => {
    isLineCut = false;
    if (reason === undefined) return;
    const [lines, why] = [dropped, reason];
    dropped = 0;
    reason = undefined;
    onDropped(lines, why);
  };

  return {
    write: (block) => {
      if (characters > WAITING_CHARACTERS_MAX) {
        drop(block, 'nobody read it');
        return;
      }
      waiting.push(block);
      characters += block.length;
      if (!isWriting) writeNext();
    },
    flush: (done) => {
      if (done && isWriting) onDrained.push(done);
      else done?.();
    },
    writeRest: () => {
      if (isClosed) return;
      try {
        for (let block = takeNext(); block !== undefined; block = takeNext())
          writeAtOnce(descriptor, isLineCut ? `\n${block}` : block);
      } catch {
        // The process ends, and has nowhere else to say so.
      }
    },
  };
}

function writeAtOnce(descriptor: number, text: string): void {
  let rest = Buffer.from(text);
  for (let tries = 0; rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || ++tries > BUSY_TRIES) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS);
    }
  }
}
