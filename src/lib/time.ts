/** ISO 8601 in UTC, with milliseconds. */
export function isoTime(time: number): string {
  return new Date(time).toISOString();
}

export function isoTimeOrNull(time: number | null): string | null {
  return time === null ? null : isoTime(time);
}
