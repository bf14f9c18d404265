const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|UTC|GMT|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?)?$/i;

/**
 * ISO 8601, optionally with a space instead of the T, or seconds or milliseconds since 1970. Without a time
 * zone, UTC. Other formats are rejected, because 03/04/2026 is ambiguous.
 */
export function parseImportedTime(value: unknown): number | undefined {
  const text = String(value).trim();
  if (/^\d{9,10}(\.\d+)?$/.test(text)) return Math.floor(Number(text) * 1000);
  if (/^\d{12,13}$/.test(text)) return Number(text);
  const match = ISO.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '0', zone = 'Z'] = match;
  const milliseconds = Math.floor(Number(`0.${fraction}`) * 1000);
  const local = new Date(
    Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)),
  );
  const isReal =
    local.getUTCFullYear() === Number(year) &&
    local.getUTCMonth() === Number(month) - 1 &&
    local.getUTCDate() === Number(day) &&
    local.getUTCHours() === Number(hour);
  return isReal && Number(minute) < 60 && Number(second) < 60
    ? local.getTime() + milliseconds - zoneMs(zone)
    : undefined;
}

function zoneMs(zone: string): number {
  const match = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone);
  if (!match) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  return (match[1] === '-' ? -minutes : minutes) * 60_000;
}
