import { ApiError } from '../../api/client.ts';
import { recordsOf } from './csv-records.ts';

export interface BadRow {
  line: string;
  field: string;
  reason: string;
}

/** Enough for the first rows. The whole list can have 10 MB. */
const READ_CHARS = 16 * 1024;

/** The beginning of the list of bad rows. */
export async function readBadRows(url: string, most: number): Promise<BadRow[]> {
  const response = await fetch(url);
  if (!response.ok) throw new ApiError(response.status, 'unknown', 'the bad rows could not be read');
  return badRowsOf(await beginningOf(response), most);
}

function badRowsOf(csv: string, most: number): BadRow[] {
  const complete = csv.slice(0, csv.lastIndexOf('\n') + 1);
  const [, ...rows] = recordsOf(complete, ',', most + 1);
  return rows
    .map(([line = '', field = '', reason = '']) => ({ line, field, reason }))
    .toSorted((a, b) => Number(a.line) - Number(b.line));
}

async function beginningOf({ body }: Response): Promise<string> {
  if (body === null) return '';
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (text.length < READ_CHARS) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += value;
  }
  await reader.cancel();
  return text;
}
