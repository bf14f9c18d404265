import { queryOptions } from '@tanstack/react-query';
import { ApiError, call, type Schemas } from '../../api/client.ts';
import { answered, keyFor } from '../../api/idempotency-keys.ts';
import type { Job } from '../../api/jobs.ts';
import { BASE_PATH } from '../../base-path.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { type ColumnMap, mapText } from './column-map.ts';

export interface FilePreview extends ImportPreview {
  /** A file with a header and nothing else has none. */
  hasRows: boolean;
}
type ImportPreview = Schemas['ImportPreview'];
export type TimeFormat = NonNullable<Schemas['ImportTimes']['format']>;

export interface ImportOptions {
  /** `auto`: recognized by its columns. */
  preset: string;
  /** `auto`: what the file says. */
  timeFormat: 'auto' | TimeFormat;
  timeZone: string;
  order: 'auto' | 'file';
  confirmed: boolean;
  dropUnmapped: boolean;
  events: boolean;
  map: ColumnMap;
}

const BYTES_MAX = 200 * 1024 ** 2;
const TYPES: Record<string, string> = {
  csv: 'text/csv',
  json: 'application/json',
  jsonl: 'application/x-ndjson',
  ndjson: 'application/x-ndjson',
};
export const ACCEPTED = Object.keys(TYPES)
  .map((ending) => `.${ending}`)
  .join(',');

/** What is wrong with a file, before it is sent. */
export function problemOf({ name, size }: File): string | undefined {
  if (typeOf(name) === undefined) return 'Choose a .csv, .json, .jsonl or .ndjson file.';
  if (size === 0) return 'This file is empty.';
  if (size > BYTES_MAX) return 'This file is larger than 200 MB. Split it, or use the import command.';
  return undefined;
}

function typeOf(name: string): string | undefined {
  return TYPES[name.slice(name.lastIndexOf('.') + 1).toLowerCase()];
}

interface Upload {
  dryRun: boolean;
  /** How many bytes have been sent. */
  onSent: (bytes: number) => void;
  signal: AbortSignal;
}

/** How the file is to be read. */
function readingQuery(
  environment: string,
  { preset, timeFormat, timeZone, dropUnmapped, map }: ImportOptions,
): URLSearchParams {
  const query = new URLSearchParams({ environment });
  for (const [name, value] of Object.entries({ preset, timeFormat, timeZone })) {
    if (value !== 'auto') query.set(name, value);
  }
  const columns = mapText(map);
  if (columns !== '') query.set('map', columns);
  if (dropUnmapped) query.set('dropUnmapped', 'true');
  return query;
}

/** Enough rows to tell what columns are. A file may be larger than memory. */
const PREVIEW_BYTES = 256 * 1024;

/** What the server takes the beginning of a file for. */
export const previewQuery = ({ waitlistId, environment }: Scope, file: File, options: ImportOptions) => {
  const query = readingQuery(environment, options);
  if (file.size > PREVIEW_BYTES) query.set('partial', 'true');
  const url = `${BASE_PATH}/admin/v1/waitlists/${waitlistId}/imports/preview?${query}`;
  return queryOptions({
    queryKey: ['import-preview', file.name, file.size, file.lastModified, url],
    queryFn: async ({ signal }): Promise<FilePreview> => {
      const type = typeOf(file.name) ?? 'text/csv';
      const body = await readStart(file, PREVIEW_BYTES);
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
        signal,
      });
      if (response.ok) {
        const preview: ImportPreview = await response.json();
        const hasRows = preview.format !== 'csv' || file.size > PREVIEW_BYTES || hasSecondLine(body);
        return { ...preview, hasRows };
      }
      const error = await response.json().catch(() => undefined);
      return call<FilePreview>(Promise.resolve({ error, response })).catch(refusedFile);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
};

function hasSecondLine(bytes: ArrayBuffer): boolean {
  return /[\r\n]/.test(new TextDecoder().decode(bytes).trim());
}

/** A browser reads a file only as it was when it was chosen. */
function readStart(file: File, bytes: number): Promise<ArrayBuffer> {
  return file
    .slice(0, bytes)
    .arrayBuffer()
    .catch(() => {
      throw new ApiError(
        0,
        'file_changed',
        'the file was changed or moved after you chose it: choose it again',
      );
    });
}

/** The file is the body of the request. */
function refusedFile(error: unknown): never {
  const { status, code, message, fields } = ApiError.from(error);
  const named = fields.map((field) => (field.name === 'body' ? { ...field, name: 'the file' } : field));
  throw new ApiError(status, code, message, named);
}

/** Sends the file as it is. */
export function startImport(
  { waitlistId, environment }: Scope,
  file: File,
  options: ImportOptions,
  { dryRun, onSent, signal }: Upload,
): Promise<Job> {
  const query = readingQuery(environment, options);
  query.set('dryRun', String(dryRun));
  const { order, confirmed, events } = options;
  if (order === 'file') query.set('order', order);
  if (confirmed) query.set('confirmed', 'true');
  if (events) query.set('events', 'true');
  const url = `${BASE_PATH}/admin/v1/waitlists/${waitlistId}/imports?${query}`;
  return call(post(url, file, onSent, signal)).catch(refusedFile);
}

/** Unlike `fetch`, this can tell how far it has come. */
function post(url: string, file: File, onSent: (bytes: number) => void, signal: AbortSignal) {
  const request = new XMLHttpRequest();
  request.open('POST', url);
  request.setRequestHeader('content-type', typeOf(file.name) ?? 'text/csv');
  const what = [url, file.name, file.size, file.lastModified].join(' ');
  request.setRequestHeader('idempotency-key', keyFor(what));
  request.upload.onprogress = ({ loaded }) => onSent(loaded);
  return new Promise<{ data?: Job; error?: unknown; response: { ok: boolean; status: number; url: string } }>(
    (resolve, reject) => {
      signal.addEventListener('abort', () => request.abort());
      request.onabort = () => reject(new ApiError(0, 'cancelled', 'the upload was cancelled'));
      request.onerror = () =>
        readStart(file, 1).then(() => reject(new TypeError('the upload failed')), reject);
      request.onload = () => {
        const { status, responseURL, responseText } = request;
        const ok = status >= 200 && status < 300;
        if (status < 500) answered(what);
        const response = { ok, status, url: responseURL };
        try {
          const body = JSON.parse(responseText);
          resolve(ok ? { data: body, response } : { error: body, response });
        } catch (error) {
          if (ok) reject(error);
          else resolve({ response });
        }
      };
      request.send(file);
    },
  );
}
