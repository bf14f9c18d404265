import type { Config } from '../config/config.ts';
import { DURATION_RULE, readDate, parseDuration as readDuration, readTime } from '../lib/time.ts';
import type { OpenDns } from '../mail/sender/dns.ts';
import type { PassphraseCost } from '../vault/backup-format.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { printableLine } from './printable.ts';

/** A value for programs and a text for people. */
export interface Outcome {
  json: unknown;
  text: string;
  exitCode?: number;
  /** Standard output has something else: the text goes to standard error. */
  outputIsData?: true;
}

export type Flags = Record<string, string | string[] | boolean | undefined>;

/** Whether all that a command changes is one change, or it starts a job and works on it. */
export type Once = true | 'job';

export interface Command {
  /** As typed: `key create`. */
  name: string;
  about: string;
  /** What follows the name, such as `KEY_ID`. In brackets if optional. */
  operands?: string[];
  flags?: Record<string, Flag>;
  /** The ids of those that it performs. */
  operations?: readonly string[];
  /** Takes `--idempotency-key`: run again with the same key, it does nothing again. */
  once?: Once | ((operands: readonly string[], flags: Flags) => Once);
  /** What else is asked for by the same words, such as what is in a file. */
  content?: (operands: readonly string[], flags: Flags) => Promise<unknown>;
  /** Opens nothing by itself, for commands that must work on a database that does not open. */
  raw?: (config: Config, operands: string[], flags: Flags, terminal: Terminal) => Promise<Outcome>;
  run?: (context: Context, operands: string[], flags: Flags, config: Config) => Promise<Outcome>;
}

export interface Terminal {
  environment: NodeJS.ProcessEnv;
  /** Supplies variables that the environment does not set, if the file exists. */
  envFile?: string;
  /** Files that only the service manager reads, for a server. Others in tests. */
  filesOfServices?: readonly string[];
  /** Of new backups. Lower in tests. */
  passphraseCost?: PassphraseCost;
  /** Stands in for the DNS, in tests. */
  openDns?: OpenDns;
  out(text: string): void;
  error(text: string): void;
}

export interface Flag {
  about: string;
  /** The name of the flag's value in the help. Without it, the flag takes no value. */
  value?: string;
  required?: boolean;
  /** Can be given several times. Its value is then a list. */
  repeated?: boolean;
  /** The name of this in the domain's messages, if it is not the flag's in camel case. */
  field?: string;
}

/** Wrong usage of a command. */
export class UsageProblem extends Error {
  override name = 'UsageProblem';
}

export function requireText(flags: Flags, name: string): string {
  const value = flags[name];
  if (typeof value !== 'string' || value === '') throw new UsageProblem(`--${name} is required`);
  return value;
}

export function textOr<T>(flags: Flags, name: string, otherwise: T): string | T {
  const value = flags[name];
  return typeof value === 'string' ? value : otherwise;
}

/** As the value of a flag. */
export function parseDuration(text: string, flag: string): number {
  const duration = readDuration(text);
  if (duration === undefined) throw new UsageProblem(`--${flag}: ${DURATION_RULE}`);
  return duration;
}

/** `--expires-in 7d` or `--expires-at 2026-12-01T00:00:00Z`; null with `--no-expiry`; undefined without any. */
export function parseExpiry(flags: Flags, now: number): number | null | undefined {
  const given = ['expires-in', 'expires-at', 'no-expiry'].filter((name) => flags[name] !== undefined);
  if (given.length > 1)
    throw new UsageProblem(`use only one of ${given.map((name) => `--${name}`).join(', ')}`);
  if (flags['no-expiry'] === true) return null;
  const span = textOr(flags, 'expires-in', undefined);
  return span === undefined ? parseTime(flags, 'expires-at') : now + parseDuration(span, 'expires-in');
}

export function parseTime(flags: Flags, name: string): number | undefined {
  const text = textOr(flags, name, undefined);
  return text === undefined ? undefined : parseTimeText(text, name);
}

/** A time, or how long ago: `2026-12-01T00:00:00Z`, `24h`, `7d`. */
export function parseSince(text: string, flag: string, now: number): number {
  return /^[0-9]+[smhd]$/.test(text) ? now - parseDuration(text, flag) : parseTimeText(text, flag);
}

/** A time needs a time zone, because the server's may be different. A date alone is midnight UTC. */
function parseTimeText(text: string, flag: string): number {
  const time = readTime(text) ?? readDate(text);
  if (time === undefined) {
    throw new UsageProblem(
      `--${flag}: must be an ISO 8601 time with a time zone, such as 2026-12-01T00:00:00Z, or a date`,
    );
  }
  return time;
}

export function parseWhole(
  flags: Flags,
  name: string,
  range?: { from: number; to: number },
): number | undefined {
  const text = textOr(flags, name, undefined);
  return text === undefined ? undefined : parseWholeText(text, `--${name}`, range);
}

export function parseWholeText(text: string, what: string, range?: { from: number; to: number }): number {
  const value = Number(text);
  if (!/^[0-9]{1,9}$/.test(text) || (range && (value < range.from || value > range.to))) {
    throw new UsageProblem(
      `${what}: must be a whole number${range ? ` from ${range.from} to ${range.to}` : ''}`,
    );
  }
  return value;
}

export const EXPIRY_FLAGS: Record<string, Flag> = {
  'expires-in': { value: 'DURATION', about: 'Lifetime: 90s, 30m, 24h, 7d.' },
  'expires-at': { value: 'TIME', about: 'Expiry time: 2026-12-01T00:00:00Z, or a date.' },
};

/** What there is of one thing, one property on each line. */
export function lines(shown: object): string {
  return Object.entries(shown)
    .map(([name, value]) => `${name.padEnd(16)}${inWords(value)}`)
    .join('\n');
}

function inWords(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '-');
}

export function table(headings: string[], rows: (string | number | null)[][]): string {
  const cells = [headings, ...rows.map((row) => row.map((cell) => printableLine(String(cell ?? '-'))))];
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Of every command. */
export const COMMON: Record<string, Flag> = {
  json: { about: 'Print the result as JSON.' },
  'env-file': {
    value: 'FILE',
    about: 'Read variables from this file, instead of .env in the working directory.',
  },
  help: { about: 'Show this help.' },
};

const ONCE: Record<string, Flag> = {
  'idempotency-key': {
    value: 'KEY',
    about: 'Run again with the same key within a day, it does nothing again and prints the first result.',
  },
};

/** Of this command. */
export const flagsOf = ({ flags, once }: Command): Record<string, Flag> => ({
  ...flags,
  ...(once ? ONCE : {}),
});
