import { invalid } from '../../../lib/errors.ts';

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

export function parseTime(text: string, field: string): number {
  const time = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw invalid(`${field}: must be an ISO 8601 time with a time zone, such as 2026-12-01T00:00:00Z`);
  return time;
}

export function parseTimeOrNull(text: string | null, field: string): number | null {
  return text === null ? null : parseTime(text, field);
}
