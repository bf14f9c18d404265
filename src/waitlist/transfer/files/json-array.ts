import { invalid } from '../../../lib/errors.ts';

const [QUOTE, BACKSLASH, OPEN, CLOSE, COMMA] = [0x22, 0x5c, 0x5b, 0x5d, 0x2c];
const [BRACE_OPEN, BRACE_CLOSE, SPACE, NEWLINE, RETURN, TAB] = [0x7b, 0x7d, 0x20, 0x0a, 0x0d, 0x09];
const MARK = [0xef, 0xbb, 0xbf];

/** Turns a JSON array into JSON Lines as it arrives: one line for each element. */
export async function* linesOfArray(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const array = new ArrayReader();
  for await (const chunk of bytes) yield array.read(chunk);
  array.finish();
}

/** Between which parts of the array the reader is, or in a `literal`, whose end only the next byte tells. */
type Place = 'start' | 'first' | 'literal' | 'after value' | 'after comma' | 'end';

/** Checks the array itself. Its values are checked when they are read as lines. */
class ArrayReader {
  #place: Place = 'start';
  #depth = 0;
  #quoted = false;
  #escaped = false;
  #line = 1;
  #commaLine = 1;
  #values = 0;

  read(chunk: Buffer): Buffer {
    const out = Buffer.allocUnsafe(chunk.length);
    let length = 0;
    for (const byte of chunk) {
      if (byte === NEWLINE) this.#line += 1;
      if (this.#quoted) {
        // Neither is allowed in a string, but the value must stay one line.
        out[length++] = byte === NEWLINE ? RETURN : byte;
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#quoted = false;
      } else if (this.#depth > 1) {
        if (byte === QUOTE) this.#quoted = true;
        else if (byte === OPEN || byte === BRACE_OPEN) this.#depth += 1;
        else if (byte === CLOSE || byte === BRACE_CLOSE) this.#depth -= 1;
        out[length++] = isBlank(byte) ? SPACE : byte;
      } else if (isBlank(byte)) {
        if (this.#place === 'literal') this.#place = 'after value';
      } else {
        const written = this.#readOutside(byte);
        if (written !== undefined) out[length++] = written;
      }
    }
    return out.subarray(0, length);
  }

  finish(): void {
    if (this.#place === 'start') throw invalid('body: must be a JSON array of objects');
    if (this.#place !== 'end')
      throw invalid('body: must be a JSON array of objects; the ] at its end is missing');
  }

  /** A byte around or between values, or the first of one. Returns what it is in JSON Lines. */
  #readOutside(byte: number): number | undefined {
    const place = this.#place;
    if (place === 'start') return this.#begin(byte);
    if (place === 'end') throw this.#wrong('unexpected text after the array');
    const isAwaited = place === 'first' || place === 'after comma';
    if (byte === COMMA) {
      if (isAwaited) throw this.#wrong('missing value before the comma');
      this.#place = 'after comma';
      this.#commaLine = this.#line;
      return NEWLINE;
    }
    if (byte === CLOSE) {
      if (place === 'after comma')
        throw this.#wrong(`trailing comma after value ${this.#values}`, this.#commaLine);
      this.#place = 'end';
      return NEWLINE;
    }
    if (place === 'after value') {
      const what = byte === BRACE_CLOSE ? 'unexpected }' : 'missing comma';
      throw this.#wrong(`${what} after value ${this.#values}`);
    }
    if (isAwaited) this.#values += 1;
    this.#quoted = byte === QUOTE;
    if (byte === OPEN || byte === BRACE_OPEN) this.#depth += 1;
    this.#place = this.#quoted || this.#depth > 1 ? 'after value' : 'literal';
    return byte;
  }

  #begin(byte: number): undefined {
    if (MARK.includes(byte)) return;
    if (byte !== OPEN) throw invalid('body: must be a JSON array of objects');
    this.#place = 'first';
    this.#depth = 1;
  }

  #wrong(what: string, line = this.#line) {
    return invalid(`body: is not valid JSON: ${what}, on line ${line}`);
  }
}

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === NEWLINE || byte === RETURN || byte === TAB;
}
