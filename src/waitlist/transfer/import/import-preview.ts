import { detectShape } from '../files/file-shape.ts';
import type { ImportSource, RawRow } from '../files/raw-row.ts';
import { type FileShape, type Format, readRows } from '../files/row-file.ts';
import { surveyFile } from '../files/survey.ts';
import { timeReader, UTC_TIMES } from '../files/times.ts';
import { type ImportReport, reportOn } from './import-report.ts';
import { chooseFrom, type ImportOptions, wishesOf } from './import-start.ts';

const EXAMPLES = 3;
const EXAMPLE_CHARACTERS = 100;
/** Rows in which examples are looked for. */
const ROWS_READ = 200;

interface Example {
  /** As it is in the file. */
  text: string;
  /** For a time: what it was read as, or null if it cannot be read. */
  time?: number | null;
}

export interface ImportPreview extends ImportReport {
  format: Format;
  /** For each column, in the same order. */
  examples: Example[][];
}

/** What the beginning of a file was taken for. Nothing is stored. */
export async function previewImport(
  bytes: Buffer,
  isWhole: boolean,
  options: Pick<ImportOptions, 'map' | 'preset' | 'dropUnmapped' | 'timeFormat' | 'timeZone'> & {
    format: Format;
  },
): Promise<ImportPreview> {
  const file = sourceOf(bytes);
  const found = await detectShape(file, 'the file', options.format);
  const choice = chooseFrom(found, options);
  const { columns, times } = await surveyFile(file, found, choice, wishesOf(options));
  const shape = { ...found, columns };
  const report = reportOn({ shape, choice, times });
  const rows = await firstRows(file, shape);
  // The last row may be cut off.
  const complete = isWhole || rows.length < 2 ? rows : rows.slice(0, -1);
  const readTime = timeReader(times ?? UTC_TIMES);
  const examples = report.columns.map(({ name, field }) =>
    examplesOf(complete, shape, name).map((text): Example => {
      if (field !== 'joinedAt') return { text };
      return { text, time: readTime(text) ?? null };
    }),
  );
  return { ...report, format: shape.format, examples };
}

function sourceOf(bytes: Buffer): ImportSource {
  return {
    read: async (into, offset, length, position) => ({
      bytesRead: position >= bytes.length ? 0 : bytes.copy(into, offset, position, position + length),
    }),
  };
}

async function firstRows(file: ImportSource, shape: FileShape): Promise<RawRow[]> {
  const rows: RawRow[] = [];
  for await (const some of readRows(file, shape, shape.first)) {
    rows.push(...some);
    if (rows.length >= ROWS_READ) break;
  }
  return rows;
}

/** The first values that differ. */
function examplesOf(rows: readonly RawRow[], { columns }: FileShape, name: string): string[] {
  const index = columns.indexOf(name);
  const texts = new Set<string>();
  for (const { values } of rows) {
    const value = Array.isArray(values)
      ? values[index]
      : values && Object.hasOwn(values, name) && values[name];
    const text = textOf(value);
    if (text !== '') texts.add(text.slice(0, EXAMPLE_CHARACTERS));
    if (texts.size === EXAMPLES) break;
  }
  return [...texts];
}

function textOf(value: unknown): string {
  if (value === undefined || value === null || value === false) return '';
  return typeof value === 'string' ? value.trim() : JSON.stringify(value);
}
