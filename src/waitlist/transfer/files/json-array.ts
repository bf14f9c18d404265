import { invalid } from '../../../lib/errors.ts';

const [QUOTE, BACKSLASH, OPEN, CLOSE, COMMA] = [0x22, 0x5c, 0x5b, 0x5d, 0x2c];
const [BRACE_OPEN, BRACE_CLOSE, SPACE, NEWLINE, RETURN, TAB] = [0x7b, 0x7d, 0x20, 0x0a, 0x0d, 0x09];
const MARK = [0xef, 0xbb, 0xbf];

/** Turns a JSON array into JSON Lines as it arrives: one line for each element. */
export async function* linesOfArray(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let depth = 0;
  let quoted = false;
  let escaped = false;
  let ended = false;
  let any = false;
  for await (const chunk of bytes) {
    const out = Buffer.allocUnsafe(chunk.length);
    let length = 0;
    for (const byte of chunk) {
      const blank = byte === SPACE || byte === NEWLINE || byte === RETURN || byte === TAB;
      if (depth === 0) {
        if (blank || (!any && MARK.includes(byte))) continue;
        if (ended || byte !== OPEN) throw invalid('body: must be a JSON array of objects');
        depth = 1;
        any = true;
      } else if (quoted) {
        out[length++] = byte;
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) quoted = false;
      } else if (depth === 1 && byte === COMMA) out[length++] = NEWLINE;
      else if (depth === 1 && byte === CLOSE) {
        depth = 0;
        ended = true;
        out[length++] = NEWLINE;
      } else {
        if (byte === QUOTE) quoted = true;
        else if (byte === OPEN || byte === BRACE_OPEN) depth += 1;
        else if ((byte === CLOSE || byte === BRACE_CLOSE) && depth > 1) depth -= 1;
        out[length++] = blank ? SPACE : byte;
      }
    }
    yield out.subarray(0, length);
  }
  if (!ended) throw invalid('body: must be a JSON array of objects');
}
