import { type ImportSource, READ_BYTES } from './raw-row.ts';

const [QUOTE, RETURN, NEWLINE] = [0x22, 0x0d, 0x0a];

/** Where a record ends, after its newline, and how many lines it spans. */
interface RecordEnd {
  end: number;
  lines: number;
}

/**
 * Follows a record that is too long to keep. By the rules of `readCsvRecord`, so that it is `open` if a quoted cell never
 * ends, and `broken` if something follows a closing quote.
 */
export async function findRecordEnd(
  file: ImportSource,
  delimiter: string,
  from: number,
): Promise<RecordEnd | 'open' | 'broken'> {
  const mark = delimiter.charCodeAt(0);
  const chunk = Buffer.allocUnsafe(READ_BYTES);
  let state: 'start' | 'plain' | 'quoted' | 'closed' | 'return' = 'start';
  let lines = 0;
  for (let at = from; ; ) {
    const { bytesRead } = await file.read(chunk, 0, READ_BYTES, at);
    if (bytesRead === 0) return state === 'quoted' ? 'open' : { end: at, lines: lines + 1 };
    for (let index = 0; index < bytesRead; index += 1) {
      const byte = chunk[index];
      if (byte === NEWLINE) {
        lines += 1;
        if (state !== 'quoted') return { end: at + index + 1, lines };
      } else if (state === 'quoted') state = byte === QUOTE ? 'closed' : state;
      else if (state === 'return') return 'broken';
      else if (byte === mark) state = 'start';
      else if (state === 'start') state = byte === QUOTE ? 'quoted' : 'plain';
      else if (state === 'closed') {
        if (byte !== QUOTE && byte !== RETURN) return 'broken';
        state = byte === QUOTE ? 'quoted' : 'return';
      }
    }
    at += bytesRead;
  }
}
