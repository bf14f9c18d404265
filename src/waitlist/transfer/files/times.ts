import { findZone, type Zone } from './zones.ts';

/** How times are written. ISO 8601 and months in words can only be read in one way. */
export const TIME_FORMATS = ['iso', 'mdy', 'dmy', 'words', 'unix', 'unix-ms'] as const;
export type TimeFormat = (typeof TIME_FORMATS)[number];

/** What an import needs to know to read its times. */
export interface TimeReading {
  /** null if the file has no times. */
  format: TimeFormat | null;
  /** Of times without one. */
  zone: string;
}

export const UTC_TIMES: TimeReading = { format: null, zone: 'UTC' };
export type TimeReader = (value: unknown) => number | undefined;

export const TIME_CHARACTERS_MAX = 80;
const CLOCK = String.raw`(\d{1,2})[:.-](\d{2})(?:[:.-](\d{2})(?:[.,](\d{1,9}))?)?\s*([ap]\.?m\b\.?)?`;
const CLOCK_AFTER = String.raw`(?:(?:[t_]|,?\s+(?:at\s+)?)${CLOCK})?\s*(.*)$`;
const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
];
const MONTH = String.raw`([a-z]{3,9})\.?`;
const YEAR_FIRST = new RegExp(String.raw`^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})${CLOCK_AFTER}`, 'i');
const YEAR_LAST = new RegExp(String.raw`^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})${CLOCK_AFTER}`, 'i');
const WEEKDAY = String.raw`^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+)?`;
const DAY_MONTH = new RegExp(
  String.raw`${WEEKDAY}(\d{1,2})(?:st|nd|rd|th)?[\s.-]+${MONTH},?[\s-]+(\d{4})${CLOCK_AFTER}`,
  'i',
);
const MONTH_DAY = new RegExp(
  String.raw`${WEEKDAY}${MONTH}\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})${CLOCK_AFTER}`,
  'i',
);

/** A time as it is written: its parts, without deciding which of two numbers is the month. */
interface WrittenTime {
  kind: 'iso' | 'words' | 'numbers' | 'unix' | 'unix-ms';
  /** For `numbers`: what comes first and second, and the mark between them. Else month and day. */
  first: number;
  second: number;
  mark: string;
  year: number;
  /** Milliseconds since midnight, or undefined if there is no such time. */
  clock: number | undefined;
  /** The zone as written, or empty. */
  zone: string;
}

/** Returns undefined if it is no time at all. */
export function dissectTime(value: unknown): WrittenTime | undefined {
  const text = String(value).trim();
  if (text.length > TIME_CHARACTERS_MAX) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return dissectNumber(text);
  const numeric = YEAR_FIRST.exec(text);
  if (numeric) {
    const [, year, mark = '', month, day, ...rest] = numeric;
    return written('iso', { year, first: month, second: day, mark }, rest);
  }
  const last = YEAR_LAST.exec(text);
  if (last) {
    const [, first, mark = '', second, year = '', ...rest] = last;
    const full = year.length === 2 ? `20${year}` : year;
    return written('numbers', { year: full, first, second, mark }, rest);
  }
  const dayFirst = DAY_MONTH.exec(text);
  const [, a, b, year, ...rest] = dayFirst ?? MONTH_DAY.exec(text) ?? [];
  if (a === undefined || b === undefined) return undefined;
  const [month, day] = dayFirst ? [b, a] : [a, b];
  const first = monthOf(month.toLowerCase());
  if (first === 0) return undefined;
  return written('words', { year, first: String(first), second: day, mark: ' ' }, rest);
}

/** 0 if it is none. */
function monthOf(word: string): number {
  const short = word === 'sept' ? 'sep' : word;
  return MONTHS.findIndex((month) => month === short || month.slice(0, 3) === short) + 1;
}

/** Seconds have 9 or 10 digits from 1973 on, milliseconds 12 or 13. */
function dissectNumber(text: string): WrittenTime | undefined {
  const [whole = ''] = text.split('.');
  const kind = whole.length <= 10 ? 'unix' : 'unix-ms';
  if (whole.length < 9 || whole.length === 11 || whole.length > 13) return undefined;
  return { kind, first: 0, second: 0, mark: '', year: 0, clock: Number(text), zone: '' };
}

function written(
  kind: WrittenTime['kind'],
  date: { year: string | undefined; first: string | undefined; second: string | undefined; mark: string },
  [hour, minute, second, fraction, half, zone = '']: (string | undefined)[],
): WrittenTime {
  return {
    kind,
    first: Number(date.first),
    second: Number(date.second),
    mark: date.mark,
    year: Number(date.year),
    clock: clockMs(hour, minute, second, fraction, half),
    zone: zone.trim(),
  };
}

function clockMs(hour = '0', minute = '0', second = '0', fraction = '0', half?: string): number | undefined {
  let hours = Number(hour);
  if (half !== undefined) {
    if (hours < 1 || hours > 12) return undefined;
    hours = (hours % 12) + (half.toLowerCase().startsWith('p') ? 12 : 0);
  }
  if (hours > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const milliseconds = Math.floor(Number(`0.${fraction}`) * 1000);
  return ((hours * 60 + Number(minute)) * 60 + Number(second)) * 1000 + milliseconds;
}

/** Reads the times of a column. A zone that a time has itself counts more than that of the column. */
export function timeReader({ format, zone: name }: TimeReading): TimeReader {
  const ofColumn = findZone(name) ?? findZone('UTC');
  return (value) => {
    const parts = dissectTime(value);
    if (!parts && format === 'unix') return readNumber(value, 1000);
    if (!parts && format === 'unix-ms') return readNumber(value, 1);
    if (!parts || parts.clock === undefined) return undefined;
    if (parts.kind === 'unix') return Math.floor(parts.clock * 1000);
    if (parts.kind === 'unix-ms') return Math.floor(parts.clock);
    if (parts.kind === 'numbers' && format !== 'mdy' && format !== 'dmy') return undefined;
    const zone = parts.zone === '' ? ofColumn : findZone(parts.zone);
    return zone && localTime(parts, parts.kind === 'numbers' && format === 'dmy', zone);
  };
}

/** For numbers of another length. */
function readNumber(value: unknown, factor: number): number | undefined {
  const text = String(value).trim();
  return /^\d{1,15}(\.\d+)?$/.test(text) ? Math.floor(Number(text) * factor) : undefined;
}

function localTime(
  { first, second, year, clock = 0 }: WrittenTime,
  isDayFirst: boolean,
  zone: Zone,
): number | undefined {
  const [month, day] = isDayFirst ? [second, first] : [first, second];
  const midnight = Date.UTC(year, month - 1, day);
  const date = new Date(midnight);
  const isReal =
    date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal ? zone.utcOf(midnight + clock) : undefined;
}
