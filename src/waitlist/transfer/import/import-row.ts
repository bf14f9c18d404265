import { findInexactNumbers, INEXACT_NUMBER } from '../../../json/numbers.ts';
import { type Path, showPath } from '../../../json/path.ts';
import { findExcess } from '../../../json/scan.ts';
import { findStrictProblem, NESTED_TOO_DEEP, NESTING_MAX, PROTO_KEY } from '../../../json/strict.ts';
import { languageOf } from '../../../languages/languages.ts';
import { EMAIL_MAX_CHARACTERS } from '../../../lib/email.ts';
import { Problems } from '../../../lib/errors.ts';
import { isTooLong } from '../../../lib/text.ts';
import { DAY_MS } from '../../../lib/time.ts';
import { PHONE_CHARACTERS_MAX, REFERRER_CHARACTERS_MAX } from '../../people/identity.ts';
import { isObject, METADATA_BYTES_MAX, type Metadata, metadataTooLarge } from '../../people/person.ts';
import type { Standing } from '../../signup/candidate.ts';
import { parseSignup, type Signup } from '../../signup/signup-input.ts';
import type { ColumnPlace } from '../files/columns.ts';
import { readCell } from '../files/csv-record.ts';
import { isMetadataKey, keyIn } from '../files/metadata-columns.ts';
import type { RawRow } from '../files/raw-row.ts';
import { TIME_CHARACTERS_MAX, type TimeReader } from '../files/times.ts';

/** Allows for clock differences, and for times without a time zone. */
const FUTURE_TOLERATED_MS = DAY_MS;

/** Of what other services have in columns of which we need a word or a number. */
const WORDS_CHARACTERS_MAX = 500;

/** What is longer is refused before it is read. */
const CELL_CHARACTERS_MAX = {
  email: EMAIL_MAX_CHARACTERS,
  phone: PHONE_CHARACTERS_MAX,
  referredBy: REFERRER_CHARACTERS_MAX,
  referralCode: REFERRER_CHARACTERS_MAX,
  joinedAt: TIME_CHARACTERS_MAX,
  invitedAt: TIME_CHARACTERS_MAX,
  acceptedAt: TIME_CHARACTERS_MAX,
  position: WORDS_CHARACTERS_MAX,
  status: WORDS_CHARACTERS_MAX,
  language: WORDS_CHARACTERS_MAX,
} as const;

/** Spaces and escapes make JSON longer than what it says. */
const METADATA_CHARACTERS_MAX = 4 * METADATA_BYTES_MAX;

/** More do not fit into so many bytes: a key with its value takes five at least, an element two. */
const METADATA_MOST = {
  nesting: NESTING_MAX,
  values: METADATA_BYTES_MAX / 2,
  keys: METADATA_BYTES_MAX / 5,
  allKeys: METADATA_BYTES_MAX / 5,
};

export interface RowProblem {
  line: number;
  field: string | null;
  reason: string;
}

export interface ImportRow {
  signup: Signup;
  joinedAt: number | undefined;
  /** As in the file: an email, a phone number or a referral code. */
  referredBy: string | undefined;
  referralCode: string | undefined;
  standing: Standing | undefined;
  line: number;
}

/** `nobody`: the person was removed before the export. */
type ReadRow = { row: ImportRow } | { problems: RowProblem[] } | { nobody: true };

class RowProblems extends Problems {
  readonly list: RowProblem[] = [];
  readonly #line: number;

  constructor(line: number) {
    super();
    this.#line = line;
  }

  override add(path: string, reason: string): void {
    const field = path.replace(/^row\.?/, '');
    this.list.push({ line: this.#line, field: field === '' ? null : field, reason });
  }
}

export interface Fields {
  email?: unknown;
  phone?: unknown;
  referredBy?: unknown;
  referralCode?: unknown;
  joinedAt?: unknown;
  position?: unknown;
  status?: unknown;
  invitedAt?: unknown;
  acceptedAt?: unknown;
  metadata?: unknown;
  language?: unknown;
  /** Metadata from columns of their own. */
  extra?: Metadata;
  /** Keys that two columns give. */
  repeated?: string[];
  inexactNumbers?: Path[];
}

/** Sorts the values of a row by field, ignoring empty ones. */
export function sortValues(
  raw: RawRow,
  columns: readonly string[],
  placeOf: (column: string) => ColumnPlace,
): Fields {
  const fields: Fields = {};
  if (Array.isArray(raw.values)) {
    raw.values.forEach((cell, index) => {
      const column = columns[index];
      if (column !== undefined && cell.trim() !== '') place(fields, placeOf(column), readCell(cell));
    });
  } else {
    for (const [name, value] of Object.entries(raw.values ?? {})) {
      if (value !== null && value !== '') place(fields, placeOf(name), value);
    }
    const inexact = raw.inexactNumbers?.filter(([name]) => placeOf(String(name)).field !== '-');
    if (inexact) fields.inexactNumbers = inexact;
  }
  return fields;
}

function place(fields: Fields, { field, spare }: ColumnPlace, value: unknown): void {
  if (isMetadataKey(field)) addExtra(fields, keyIn(field), value);
  else if (field === '-') return;
  else if (fields[field] === undefined) fields[field] = value;
  else if (spare !== null && isMetadataKey(spare)) addExtra(fields, keyIn(spare), value);
}

function addExtra(fields: Fields, key: string, value: unknown): void {
  fields.extra ??= { __proto__: null } as unknown as Metadata; // A key can be `__proto__`.
  if (key in fields.extra) fields.repeated = [...(fields.repeated ?? []), key];
  fields.extra[key] = value;
}

interface Clockwork {
  now: number;
  readTime: TimeReader;
}

/** Validates a row by the rules of the API. */
export function readRow(
  raw: RawRow,
  columnCount: number,
  fields: Fields,
  { now, readTime }: Clockwork,
): ReadRow {
  const problems = new RowProblems(raw.line);
  const timeOf = (value: unknown, field: string) => checkTime(value, field, { now, readTime }, problems);
  if (raw.values === undefined || raw.problem !== undefined)
    problems.add(raw.field === undefined ? 'row' : `row.${raw.field}`, raw.problem ?? 'cannot be read');
  else checkCells(raw, columnCount, fields, problems);
  if (problems.list.length > 0) return { problems: problems.list };
  const { email, phone } = fields;
  const status = readText(fields.status)?.toLowerCase();
  if (status === 'removed') return { nobody: true };
  const metadata = readMetadata(fields, problems);
  for (const path of fields.inexactNumbers ?? []) problems.add(`row.${showPath(path)}`, INEXACT_NUMBER);
  const input = {
    ...(email === undefined ? {} : { email }),
    ...(phone === undefined ? {} : { phone }),
    ...(metadata === undefined ? {} : { metadata }),
  };
  const language = languageOf(fields.language); // One that we do not have is no reason to refuse a person.
  const signup = { ...parseSignup(input, 'row', problems), ...(language && { language }) };
  const joinedAt = timeOf(fields.joinedAt, 'joinedAt');
  const row: ImportRow = {
    signup,
    joinedAt,
    referredBy: readText(fields.referredBy),
    referralCode: readText(fields.referralCode),
    standing: readStanding(status, fields, joinedAt ?? now, timeOf),
    line: raw.line,
  };
  return problems.list.length > 0 ? { problems: problems.list } : { row };
}

function checkCells({ values }: RawRow, columnCount: number, fields: Fields, problems: RowProblems): void {
  for (const [field, most] of Object.entries(CELL_CHARACTERS_MAX)) {
    const value = fields[field as keyof typeof CELL_CHARACTERS_MAX];
    if (typeof value === 'string' && isTooLong(value, most))
      problems.add(field, `must have at most ${most} characters`);
  }
  if (!Array.isArray(values)) return;
  if (values.slice(columnCount).some((cell) => cell.trim() !== '')) {
    problems.add('row', `has ${values.length} cells, but the file has ${columnCount} columns`);
  }
}

function readMetadata({ metadata, extra, repeated = [] }: Fields, problems: RowProblems): unknown {
  const given = typeof metadata === 'string' ? parseCell(metadata, problems) : metadata;
  if (!extra) return given;
  if ('__proto__' in extra) problems.add('metadata', PROTO_KEY);
  for (const key of repeated) problems.add(`metadata.${key}`, 'is given twice: by two columns');
  if (given === undefined) return extra;
  if (!isObject(given)) return given; // Which is reported as such.
  for (const key of Object.keys(extra)) {
    if (Object.hasOwn(given, key))
      problems.add(`metadata.${key}`, 'is given twice: in the metadata and as a column');
  }
  return { ...given, ...extra };
}

/** By the rules of the API. */
function parseCell(text: string, problems: RowProblems): unknown {
  if (text.length > METADATA_CHARACTERS_MAX) {
    problems.add('metadata', `must have at most ${METADATA_CHARACTERS_MAX} characters`);
    return undefined;
  }
  const excess = text.length > METADATA_BYTES_MAX && findExcess(text, METADATA_MOST);
  if (excess) {
    problems.add('metadata', excess === 'nesting' ? NESTED_TOO_DEEP : metadataTooLarge);
    return undefined;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    problems.add('metadata', 'is not valid JSON');
    return undefined;
  }
  const problem = findStrictProblem(text, value);
  if (problem) {
    problems.add(showPath(['metadata', ...problem.path]), problem.reason);
    return undefined;
  }
  for (const path of findInexactNumbers(text)) problems.add(showPath(['metadata', ...path]), INEXACT_NUMBER);
  return value;
}

/** Accepted people stay accepted, and declined ones declined. Invites are not imported, so people with an open invite wait again. */
function readStanding(
  status: string | undefined,
  { invitedAt, acceptedAt }: Fields,
  joinedAt: number,
  timeOf: (value: unknown, field: string) => number | undefined,
): Standing | undefined {
  if (status === 'declined') return { status };
  if (status !== 'joined') return undefined;
  return {
    status: 'joined',
    invitedAt: timeOf(invitedAt, 'invitedAt') ?? null,
    acceptedAt: timeOf(acceptedAt, 'joinedAt') ?? joinedAt,
  };
}

function checkTime(
  value: unknown,
  field: string,
  { now, readTime }: Clockwork,
  problems: RowProblems,
): number | undefined {
  if (value === undefined) return undefined;
  const time = readTime(value);
  if (time === undefined) problems.add(field, 'is not a date or time as the other rows have it');
  else if (time < 0 || time > now + FUTURE_TOLERATED_MS)
    problems.add(field, 'must be between 1970 and today');
  return time;
}

export function readText(value: unknown): string | undefined {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  return text === '' ? undefined : text;
}
