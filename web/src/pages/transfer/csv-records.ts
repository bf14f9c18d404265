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
