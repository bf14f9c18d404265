import type { Language } from '../../languages/languages.ts';
import { type Email, emailProblem, parseEmail } from '../../lib/email.ts';
import { invalid, Problems } from '../../lib/errors.ts';
import { isLonger } from '../../lib/text.ts';
import { type Identifier, PHONE_PROBLEM, parsePhone, parseReferrer } from '../people/identity.ts';
import { isObject, type Metadata, parseMetadata } from '../people/person.ts';

export const SIGNUP_ENTRIES_MAX = 100;

/** A signup that has passed all checks. */
export interface Signup {
  readonly email: Email | null;
  readonly phone: string | null;
  readonly metadata: Metadata | null;
  readonly referrer: Identifier | null;
  /** As it was typed: it may be none of ours. */
  readonly code?: string;
  /** Of the page on which the person signed up. */
  readonly language?: Language;
  /** Came through the public form. */
  readonly byForm?: true;
}

const REQUEST_FIELDS = new Set(['waitlistId', 'entries']);
const ENTRY_FIELDS = new Set(['email', 'phone', 'metadata', 'referredBy', 'code']);

/** Checks one element of `entries` and adds its problems under `path`. */
export function parseSignup(input: unknown, path: string, problems: Problems): Signup {
  const nothing: Signup = { email: null, phone: null, metadata: null, referrer: null };
  const at = (field: string) => (path === '' ? field : `${path}.${field}`);
  if (!isObject(input)) {
    problems.add(path, 'must be an object');
    return nothing;
  }
  nameUnknown(input, ENTRY_FIELDS, at, problems);
  if (input.email === undefined && input.phone === undefined)
    problems.add(path, 'email or phone is required');
  const code = parseField(input.code, at('code'), problems, readCode, () => CODE_PROBLEM);
  return {
    email: parseField(input.email, at('email'), problems, parseEmail, emailProblem),
    phone: parseField(input.phone, at('phone'), problems, parsePhone, () => PHONE_PROBLEM),
    metadata: parseMetadata(input.metadata, at('metadata'), problems),
    referrer: parseField(
      input.referredBy,
      at('referredBy'),
      problems,
      (text) => parseReferrer(text) ?? null,
      () => '',
    ),
    ...(code !== null && { code }),
  };
}

/** Longer than any code or invite, so that nothing people may have in their clipboard loses a signup. */
export const NAMED_CODE_CHARACTERS_MAX = 200;
const CODE_PROBLEM = `must be 1 to ${NAMED_CODE_CHARACTERS_MAX} characters`;

function readCode(text: string): string | undefined {
  return text === '' || isLonger(text, NAMED_CODE_CHARACTERS_MAX) ? undefined : text;
}

/** A few of an object are told: there can be as many as a body has room for. */
const UNKNOWN_NAMED = 10;

function nameUnknown(
  input: object,
  known: ReadonlySet<string>,
  at: (field: string) => string,
  problems: Problems,
): void {
  let found = 0;
  for (const field in input) {
    if (known.has(field)) continue;
    problems.add(at(field.slice(0, 64)), 'unknown field');
    found += 1;
    if (found === UNKNOWN_NAMED) return;
  }
}

/** One person, with the same rules. */
export function parsePerson(input: unknown): Signup {
  const problems = new Problems();
  const signup = parseSignup(input, '', problems);
  problems.throwIfAny();
  return signup;
}

function parseField<T>(
  value: unknown,
  path: string,
  problems: Problems,
  parse: (text: string) => T | undefined,
  complaint: (text: string) => string,
): T | null {
  if (value === undefined) return null;
  if (typeof value !== 'string') {
    problems.add(path, 'must be a string');
    return null;
  }
  const parsed = parse(value);
  if (parsed === undefined) problems.add(path, complaint(value));
  return parsed ?? null;
}

export function parseSignupRequest(body: unknown): { waitlistId: string; entries: Signup[] } {
  if (!isObject(body)) throw invalid('body: must be a JSON object');
  const problems = new Problems();
  nameUnknown(body, REQUEST_FIELDS, (field) => field, problems);
  if (typeof body.waitlistId !== 'string') {
    problems.add('waitlistId', body.waitlistId === undefined ? 'is required' : 'must be a string');
  }
  const entries = parseEntries(body.entries, problems);
  problems.throwIfAny();
  return { waitlistId: body.waitlistId as string, entries };
}

function parseEntries(entries: unknown, problems: Problems): Signup[] {
  if (!Array.isArray(entries)) {
    problems.add('entries', entries === undefined ? 'is required' : 'must be an array');
    return [];
  }
  if (entries.length === 0 || entries.length > SIGNUP_ENTRIES_MAX) {
    problems.add('entries', `must have 1 to ${SIGNUP_ENTRIES_MAX} elements, has ${entries.length}`);
    return [];
  }
  return entries.map((entry, index) => parseSignup(entry, `entries[${index}]`, problems));
}
