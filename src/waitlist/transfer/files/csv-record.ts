const QUOTE = 0x22;
const RETURN = 0x0d;
const NEWLINE = 0x0a;

interface CsvRecord {
  cells: string[];
  /** After its newline. */
  end: number;
  /** How many lines it spans. */
  lines: number;
}

/**
 * Reads the record at `at` according to RFC 4180. A quote inside an unquoted cell is an ordinary character.
 * `open`: a quoted cell continues past the bytes. `broken`: something follows a closing quote. Not from a
 * library, because reading must continue after a broken record without starting over.
 */
export function readCsvRecord(
  bytes: Buffer,
  at: number,
  lineEnd: number,
  delimiter: string,
  isEnd: boolean,
): CsvRecord | 'open' | 'broken' {
  if (bytes.subarray(at, lineEnd).indexOf(QUOTE) < 0) {
    const cells = bytes.toString('utf8', at, withoutLineBreak(bytes, at, lineEnd)).split(delimiter);
    return { cells, end: lineEnd, lines: 1 };
  }
  return readQuotedRecord(bytes, at, delimiter, isEnd);
}

function readQuotedRecord(
  bytes: Buffer,
  start: number,
  delimiter: string,
  isEnd: boolean,
): CsvRecord | 'open' | 'broken' {
  const mark = delimiter.charCodeAt(0);
  const cells: string[] = [];
  const finish = (end: number) => ({ cells, end, lines: countLines(bytes, start, end) });
  for (let at = start; ; ) {
    if (bytes[at] === QUOTE) {
      const close = findClosingQuote(bytes, at + 1);
      if (close === undefined) return 'open';
      cells.push(bytes.toString('utf8', at + 1, close).replaceAll('""', '"'));
      const next = bytes[close + 1] === RETURN ? close + 2 : close + 1;
      if (next >= bytes.length) return isEnd ? finish(bytes.length) : 'open';
      if (bytes[next] === NEWLINE) return finish(next + 1);
      if (bytes[close + 1] !== mark) return 'broken';
      at = close + 2;
    } else {
      const newline = bytes.indexOf(NEWLINE, at);
      if (newline < 0 && !isEnd) return 'open';
      const lineEnd = newline < 0 ? bytes.length : newline + 1;
      const next = bytes.subarray(at, lineEnd).indexOf(mark);
      const end = next < 0 ? withoutLineBreak(bytes, at, lineEnd) : at + next;
      cells.push(bytes.toString('utf8', at, end));
      if (next < 0) return finish(lineEnd);
      at = end + 1;
    }
  }
}

function findClosingQuote(bytes: Buffer, from: number): number | undefined {
  for (let at = bytes.indexOf(QUOTE, from); at >= 0; at = bytes.indexOf(QUOTE, at + 2)) {
    if (bytes[at + 1] !== QUOTE) return at;
  }
  return undefined;
}

function withoutLineBreak(bytes: Buffer, from: number, lineEnd: number): number {
  let end = lineEnd;
  if (end > from && bytes[end - 1] === NEWLINE) end -= 1;
  if (end > from && bytes[end - 1] === RETURN) end -= 1;
  return end;
}

function countLines(bytes: Buffer, from: number, to: number): number {
  let lines = bytes[to - 1] === NEWLINE ? 0 : 1;
  for (let at = bytes.indexOf(NEWLINE, from); at >= 0 && at < to; at = bytes.indexOf(NEWLINE, at + 1))
    lines += 1;
  return lines;
}

/**
 * Splits a malformed line into cells. A quoted cell ends at the first quote before a delimiter or the end.
 */
export function readCsvLine(line: string, delimiter: string): string[] | undefined {
  const text = line.replace(/\r?\n$/, '');
  const cells: string[] = [];
  for (let at = 0; at <= text.length; ) {
    const quoted = text[at] === '"';
    let end = text.indexOf(quoted ? '"' : delimiter, at + (quoted ? 1 : 0));
    while (quoted && end >= 0 && end + 1 < text.length && text[end + 1] !== delimiter) {
      end = text.indexOf('"', end + 1);
    }
    if (quoted && end < 0) return undefined;
    const stop = end < 0 ? text.length : end;
    const cell = text.slice(quoted ? at + 1 : at, stop);
    if (quoted && cell.includes(`${delimiter}"`)) return undefined; // Ambiguous: it could also be two cells.
    cells.push(quoted ? cell.replaceAll('""', '"') : cell);
    at = stop + (quoted ? 2 : 1);
  }
  return cells;
}

/** Text that a spreadsheet would treat as a formula, including after apostrophes that are already there. */
const FORMULA = /^'*[=+\-@\t\r]/;
const ESCAPED_FORMULA = /^'+[=+\-@\t\r]/;

/**
 * A leading apostrophe makes a spreadsheet display the cell instead of evaluating it. `readCell` removes it.
 */
export function writeCell(value: string): string {
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function readCell(cell: string): string {
  return ESCAPED_FORMULA.test(cell) ? cell.slice(1) : cell;
}
