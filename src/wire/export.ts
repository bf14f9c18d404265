import type { Status } from '../db/tables.ts';
import type { Language } from '../languages/languages.ts';
import { formatId } from '../lib/ids.ts';
import { isoTime } from '../lib/time.ts';
import type { Entry } from '../waitlist/entries/entry.ts';
import type { Segment } from '../waitlist/entries/segment.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import type { ExportInput } from '../waitlist/transfer/export/export-job.ts';
import type { PersonExport } from '../waitlist/transfer/export/export-person.ts';
import { COMMAND_PAGES, readAllEntries, readSegment } from '../waitlist/transfer/export/read-all-entries.ts';
import { writeCell } from '../waitlist/transfer/files/csv-record.ts';
import { EXPORT_COLUMNS } from '../waitlist/transfer/files/presets.ts';
import type { Format } from '../waitlist/transfer/files/row-file.ts';
import { type PresentedEntry, presentEntry } from './entry.ts';
import { presentInviteDetails } from './invite.ts';
import { presentWaitlistReference } from './waitlist.ts';

export interface ExportOptions {
  format: Format;
  status?: Status | undefined;
  /** Empty for everyone. */
  segment?: Omit<Segment, 'status'>;
}

/** A chunk of the file, the number of entries in it, and the expected total, or 0 if that is not known. */
interface ExportPiece {
  text: string;
  entries: number;
  total: number;
}

/** The file of the `export` command. */
export async function* exportEntries(
  context: Context,
  queue: Queue,
  { format, status, segment = {} }: ExportOptions,
): AsyncGenerator<ExportPiece> {
  const write = format === 'csv' ? csvLine : jsonLine;
  if (format === 'csv') yield { text: CSV_HEADER, entries: 0, total: 0 };
  const isEveryone = Object.keys(segment).length === 0;
  const pages = isEveryone
    ? readAllEntries(context, queue, status, COMMAND_PAGES)
    : ofSegment(context, queue, { ...segment, ...(status ? { status } : {}) });
  for await (const { entries, total } of pages) {
    const text = entries.map((entry) => write(presentExported(entry))).join('');
    yield { text, entries: entries.length, total };
  }
}

/** The file of an export over the API. */
export async function* exportFile(
  context: Context,
  queue: Queue,
  { format, status, segment }: ExportInput,
): AsyncGenerator<Omit<ExportPiece, 'total'>> {
  const pages = segment
    ? readSegment(context, queue, { ...segment, ...(status ? { status } : {}) })
    : everyone(context, queue, status ?? undefined);
  const write = { csv: csvLine, ndjson: jsonLine, json: jsonElement }[format];
  if (format !== 'ndjson') yield { text: format === 'csv' ? CSV_HEADER : '[', entries: 0 };
  let isFirst = true;
  for await (const entries of pages) {
    const lines = entries.map((entry) => write(presentExported(entry)));
    const separator = format === 'json' ? ',' : '';
    const text = lines.join(separator);
    yield { text: isFirst || text === '' ? text : separator + text, entries: entries.length };
    isFirst &&= text === '';
  }
  if (format === 'json') yield { text: '\n]\n', entries: 0 };
}

/** How many there are is only known at the end. */
async function* ofSegment(context: Context, queue: Queue, segment: Segment) {
  for await (const entries of readSegment(context, queue, segment, COMMAND_PAGES))
    yield { entries, total: 0 };
}

async function* everyone(context: Context, queue: Queue, status: Status | undefined) {
  for await (const { entries } of readAllEntries(context, queue, status)) yield entries;
}

interface ExportedEntry extends PresentedEntry {
  language?: Language;
}

/** With the language of those who signed up through the form, so that moving to another installation keeps it. */
function presentExported(entry: Entry): ExportedEntry {
  return { ...presentEntry(entry), ...(entry.language && { language: entry.language }) };
}

const CSV_HEADER = `${EXPORT_COLUMNS.join(',')}\r\n`;

function csvLine(entry: ExportedEntry): string {
  const cells = EXPORT_COLUMNS.map((column) => {
    const value = entry[column] ?? null;
    if (value === null) return '';
    return writeCell(typeof value === 'object' ? JSON.stringify(value) : String(value));
  });
  return `${cells.join(',')}\r\n`;
}

function jsonLine(entry: ExportedEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

function jsonElement(entry: ExportedEntry): string {
  return `\n${JSON.stringify(entry)}`;
}

/** All data stored about one person, for that person to read. */
export function presentPerson(person: PersonExport) {
  const { queue, entry, operatorConfirmation, decisions, invites, events } = person;
  return {
    waitlist: presentWaitlistReference(queue.waitlist),
    environment: queue.environment,
    entry: entry && presentEntry(entry),
    language: entry?.language ?? null,
    importedCode: entry?.importedCode ?? null,
    operatorConfirmation: operatorConfirmation && {
      source: operatorConfirmation.source,
      by: operatorConfirmation.by,
      at: isoTime(operatorConfirmation.at),
    },
    decisions: decisions.map(({ at, ...decision }) => ({ at: isoTime(at), ...decision })),
    invites: invites.map(presentInviteDetails),
    events: events.map(({ id, kind, at, body }) => ({
      id: formatId('evt', id),
      kind,
      at: isoTime(at),
      body,
    })),
  };
}

/** In place of what would tell who somebody else is. */
const SOMEBODY_ELSE = 'another person';

/** For people who help themselves: what is stored about them, and nothing about others, whom nobody asked. */
export function presentOwnData(person: PersonExport) {
  // What the team decided is not theirs to see: nobody is told of a decline.
  const { entry, operatorConfirmation, decisions: _, events, ...shown } = presentPerson(person);
  return {
    ...shown,
    entry: entry && withoutReferrer(entry),
    operatorConfirmation: operatorConfirmation && {
      source: operatorConfirmation.source,
      at: operatorConfirmation.at,
    },
    events: events
      .filter(({ body }) => entry !== null && isOnlyAbout(body as EventBody, entry))
      .map(({ body, ...event }) => ({ ...event, body: withoutOthers(body as EventBody) })),
  };
}

/** What a webhook received, or what an email is made from. null if it is damaged. */
type EventBody = {
  data?: { entry?: { id: string; status?: string; referredBy?: string | null } | null };
  to?: string;
  test?: boolean;
  mail?: string;
} | null;

/** Events of people whom they referred have their data, too, and tests go to operators. */
function isOnlyAbout(body: EventBody, { id }: PresentedEntry): boolean {
  if (body?.test || body?.data?.entry?.status === 'declined') return false;
  if (body?.mail === 'declined') return false; // It may not have been sent.
  const about = body?.data?.entry?.id;
  return about === undefined || about === id;
}

function withoutOthers(body: EventBody): EventBody {
  const entry = body?.data?.entry;
  return entry ? { ...body, data: { ...body?.data, entry: withoutReferrer(entry) } } : body;
}

function withoutReferrer<T extends { referredBy?: string | null }>(entry: T): T {
  return entry.referredBy ? { ...entry, referredBy: SOMEBODY_ELSE } : entry;
}
