import type { Status } from '../../db/tables.ts';
import { countEntries } from '../entries/entries.ts';
import { type EntryView, viewEntries } from '../entries/entry-view.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/directory.ts';
import type { EntryRow } from '../queue/entry-rows.ts';
import { writeCell } from './cells.ts';
import { readExportPage, readExportPageOfStatus } from './export-page.ts';
import type { Format } from './import-file.ts';
import { EXPORT_COLUMNS } from './presets.ts';

const PAGE = 1_000;

export interface ExportOptions {
  format: Format;
  status?: Status;
}

/** A piece of the file, and how many entries are in it and will be in all. */
export interface ExportPiece {
  text: string;
  entries: number;
  total: number;
}

/** Everybody in the order of joining, page by page. Who joins meanwhile is in it, nobody is in it twice. */
export async function* exportEntries(
  context: Context,
  queue: Queue,
  { format, status }: ExportOptions,
): AsyncGenerator<ExportPiece> {
  const write = format === 'csv' ? csvLine : jsonLine;
  if (format === 'csv') yield { text: `${EXPORT_COLUMNS.join(',')}\r\n`, entries: 0, total: 0 };
  // There may be no server that does it; where it is not allowed, on a standby, the export is only slower.
  await context.db.refreshStatistics().catch(() => {});
  const total = await countEntries(context, queue, status);
  for (let after = 0; ; ) {
    const rows = await readPage(context, queue, after, status);
    const entries = viewEntries(context, queue, rows);
    yield { text: entries.map(write).join(''), entries: entries.length, total };
    if (rows.length < PAGE) return;
    after = rows.at(-1)?.seq ?? after;
  }
}

async function readPage(
  { db }: Context,
  { id: queueId }: Queue,
  after: number,
  status: Status | undefined,
): Promise<EntryRow[]> {
  const page = { queueId, after, limit: PAGE };
  return status === undefined
    ? readExportPage.read(db, page)
    : readExportPageOfStatus.read(db, { ...page, status });
}

function csvLine(entry: EntryView): string {
  const cells = EXPORT_COLUMNS.map((column) => {
    const value = entry[column];
    if (value === null) return '';
    return writeCell(typeof value === 'object' ? JSON.stringify(value) : String(value));
  });
  return `${cells.join(',')}\r\n`;
}

function jsonLine(entry: EntryView): string {
  return `${JSON.stringify(entry)}\n`;
}
