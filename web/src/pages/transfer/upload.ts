import { ApiError, call } from '../../api/client.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import type { Job } from './jobs.ts';

export interface ImportOptions {
  preset: string;
  order: 'auto' | 'file';
  confirmed: boolean;
  dropUnmapped: boolean;
  events: boolean;
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

/** Sends the file as it is. */
export function startImport(
  { waitlistId, environment }: Scope,
  file: File,
  { preset, order, confirmed, dropUnmapped, events }: ImportOptions,
  dryRun: boolean,
): Promise<Job> {
  const query = new URLSearchParams({ environment, dryRun: String(dryRun) });
  if (preset !== 'none') query.set('preset', preset);
  if (order === 'file') query.set('order', order);
  for (const [name, on] of Object.entries({ confirmed, dropUnmapped, events })) {
    if (on) query.set(name, 'true');
  }
  const sent = fetch(`/admin/v1/waitlists/${waitlistId}/imports?${query}`, {
    method: 'POST',
    headers: { 'content-type': typeOf(file.name) ?? 'text/csv' },
    body: file,
  });
  return call(sent.then(readAnswer));
}

async function readAnswer(response: Response) {
  const body: unknown = await response.json().catch(() => {
    throw new ApiError(response.status, 'unknown', 'the server sent an answer that makes no sense');
  });
  return response.ok ? { data: body as Job, response } : { error: body, response };
}
