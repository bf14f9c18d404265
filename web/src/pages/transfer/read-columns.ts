/** A column of a file, and its first value. */
export interface FileColumn {
  name: string;
  example: string;
}

/** Headers are at the beginning. A file may be larger than memory. */
const READ_BYTES = 64 * 1024;
const DELIMITERS = [',', ';', '\t', '|'];

/** The columns of a file, to choose what they mean. None if they cannot be told: the server reads it anyway. */
export async function readColumns(file: File): Promise<FileColumn[]> {
  const text = (await file.slice(0, READ_BYTES).text()).replace(/^\uFEFF/, '');
  return file.name.toLowerCase().endsWith('.csv') ? columnsOfCsv(text) : columnsOfJson(text);
}

function columnsOfCsv(text: string): FileColumn[] {
  const [header = ''] = text.replace(/"(?:[^"]|"")*"/g, '').split('\n', 1);
  const count = (mark: string) => header.split(mark).length;
  const delimiter = DELIMITERS.reduce((best, each) => (count(each) > count(best) ? each : best));
  const [names = [], values = []] = recordsOf(text, delimiter, 2);
  return distinct(names.map((name, index) => ({ name: name.trim(), example: values[index] ?? '' })));
}

/** The first records. Quoted cells may contain delimiters, quotes and line breaks. */
export function recordsOf(text: string, delimiter: string, most: number): string[][] {
  const records: string[][] = [];
  const record: string[] = [];
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^${delimiter}\\r\\n]*))([${delimiter}]|\\r?\\n|$)`, 'y');
  while (records.length < most && cell.lastIndex < text.length) {
    const [found, quoted, plain = '', end = ''] = cell.exec(text) ?? [];
    if (found === undefined) break;
    record.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== delimiter) records.push(record.splice(0));
  }
  if (record.length > 0) records.push(record);
  return records.slice(0, most);
}

/** Of the first object: in a list, or on the first line. */
function columnsOfJson(text: string): FileColumn[] {
  for (let end = text.indexOf('}'); end >= 0; end = text.indexOf('}', end + 1)) {
    try {
      const first: object = JSON.parse(text.slice(text.indexOf('{'), end + 1));
      return distinct(Object.entries(first).map(([name, value]) => ({ name, example: shown(value) })));
    } catch {
      // Not the end of the object yet.
    }
  }
  return [];
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A name with an equals sign, a second one or none cannot be mapped by name. */
function distinct(columns: FileColumn[]): FileColumn[] {
  const names = columns.map(({ name }) => name);
  return columns.filter(
    ({ name }, index) => name !== '' && !name.includes('=') && names.indexOf(name) === index,
  );
}
