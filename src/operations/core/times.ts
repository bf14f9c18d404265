import { invalid } from '../../lib/errors.ts';
import { readTime } from '../../lib/time.ts';

export function parseTime(text: string, field: string): number {
  const time = readTime(text);
  if (time === undefined)
    throw invalid(`${field}: must be an ISO 8601 time with a time zone, such as 2026-12-01T00:00:00Z`);
  return time;
}

export function parseTimeOrNull(text: string | null, field: string): number | null {
  return text === null ? null : parseTime(text, field);
}
