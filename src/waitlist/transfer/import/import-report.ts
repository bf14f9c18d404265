import { plainName, type ResolvedColumn, resolveColumns } from '../files/columns.ts';
import { PRESETS, type Target } from '../files/presets.ts';
import type { TimesFound } from '../files/time-evidence.ts';
import type { TimeFormat } from '../files/times.ts';
import type { ImportPlan } from './import-plan.ts';
import type { Found } from './import-progress.ts';

/** What a file was taken for, and what to know before it is imported. */
export interface ImportReport {
  /** The service whose export it looks like, by its name, or null. */
  service: string | null;
  columns: ResolvedColumn[];
  times: TimesFound | null;
  warnings: string[];
}

type Reported = Pick<ImportPlan, 'shape' | 'choice' | 'times'>;

/** What was found in the rows, once they have been read. */
interface Outcome {
  rows: number;
  found: Found;
}

export const TIME_FORMAT_NAMES: Record<TimeFormat, string> = {
  iso: 'ISO 8601',
  mdy: 'month/day/year',
  dmy: 'day/month/year',
  words: 'month in words',
  unix: 'seconds since 1970',
  'unix-ms': 'milliseconds since 1970',
};

export function reportOn({ shape, choice, times = null }: Reported, outcome?: Outcome): ImportReport {
  const columns = resolveColumns(choice, shape.columns);
  const service = choice.own ? 'Doorlist' : choice.preset === null ? null : nameOf(choice.preset);
  const warnings = [
    ...warnAboutPeople(columns),
    ...warnAboutShared(columns),
    ...warnAboutTimes(columns, times, outcome),
    ...warnAboutReferrals(columns, outcome),
    ...warnAboutCodes(columns, outcome),
    ...warnAboutStatuses(outcome),
    ...warnAboutService(choice.preset, columns),
    ...warnAboutUnknown(columns, choice.dropUnmapped),
  ];
  return { service, columns, times, warnings };
}

function nameOf(preset: string): string | null {
  return PRESETS[preset]?.name ?? null;
}

function namesOf(columns: readonly ResolvedColumn[], field: Target): string[] {
  return columns.filter((column) => column.field === field).map(({ name }) => `"${name}"`);
}

function warnAboutPeople(columns: readonly ResolvedColumn[]): string[] {
  const has = columns.some(({ field }) => field === 'email' || field === 'phone');
  return has ? [] : ['No column has emails or phones. Choose one.'];
}

/** Such as `email` and `E-Mail`. */
function warnAboutShared(columns: readonly ResolvedColumn[]): string[] {
  const shared = columns.filter(({ spare }) => spare !== null);
  return [...new Set(shared.map(({ field }) => field))].map((field) => {
    const names = namesOf(shared, field);
    const [both, others] = names.length === 2 ? ['both', 'the other is'] : ['all', 'the others are'];
    const rest = shared.some(({ spare }) => spare === '-') ? 'left out' : 'kept as metadata';
    const list = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
    return `Columns ${list} are ${both} ${field}. In each row, the first that is not empty counts; ${others} ${rest}.`;
  });
}

function warnAboutTimes(
  columns: readonly ResolvedColumn[],
  times: TimesFound | null,
  outcome: Outcome | undefined,
): string[] {
  const [name] = namesOf(columns, 'joinedAt');
  if (name === undefined) return ['No column says when people joined. Everyone gets the time of the import.'];
  const warnings: string[] = [];
  if (times?.isFormatGuess && times.format !== null)
    warnings.push(
      `Dates in ${name} can be read in two ways. They are read as ${TIME_FORMAT_NAMES[times.format]}.`,
    );
  if (!outcome || outcome.rows === 0) return warnings;
  const { times: read, timesUnread } = outcome.found;
  if (read === 0 && timesUnread === 0)
    warnings.push(`${name} is empty. Everyone gets the time of the import.`);
  if (timesUnread > 0)
    warnings.push(
      `${counted(timesUnread, 'time')} in ${name} could not be read. ${timesUnread === 1 ? 'Its row is a bad row' : 'Their rows are bad rows'}.`,
    );
  return warnings;
}

function warnAboutReferrals(columns: readonly ResolvedColumn[], outcome: Outcome | undefined): string[] {
  const [name] = namesOf(columns, 'referredBy');
  if (name === undefined) return ['No column says who referred whom.'];
  if (!outcome || outcome.rows === 0) return [];
  const { referrals, referralsUnresolved: missing, referralsCircular: circular } = outcome.found;
  if (referrals === 0) return [`${name} is empty. Nobody was referred.`];
  const warnings: string[] = [];
  if (missing > 0) {
    const who = missing === 1 ? 'This person is' : 'These people are';
    const hint = namesOf(columns, 'referralCode').length === 0 ? ' No column has people’s own codes.' : '';
    warnings.push(
      `${counted(missing, 'referrer')} in ${name} could not be found, neither in the file nor on the waitlist. ${who} imported without one.${hint}`,
    );
  }
  if (circular > 0)
    warnings.push(
      circular === 1
        ? `1 referral in ${name} is a self-referral or in a circle. It credits nobody.`
        : `${counted(circular, 'referral')} in ${name} are self-referrals or in a circle. They credit nobody.`,
    );
  return warnings;
}

function warnAboutCodes(columns: readonly ResolvedColumn[], outcome: Outcome | undefined): string[] {
  const unusable = outcome?.found.codesUnusable ?? 0;
  const [name = 'the file'] = namesOf(columns, 'referralCode');
  if (unusable === 0) return [];
  return [
    `${counted(unusable, 'referral code')} in ${name} cannot be used by signups. ${unusable === 1 ? 'This person gets a new one' : 'These people get new ones'}.`,
  ];
}

function warnAboutStatuses(outcome: Outcome | undefined): string[] {
  const unread = outcome?.found.statusesUnread ?? 0;
  if (unread === 0) return [];
  return [`${counted(unread, 'row')} with another status than Doorlist has. They join as new people do.`];
}

/** Mailchimp exports contacts who must not be mailed in files of their own. */
function warnAboutService(preset: string | null, columns: readonly ResolvedColumn[]): string[] {
  const names = columns.map(({ name }) => plainName(name));
  const isOfThose = preset === 'mailchimp' && ['unsubtime', 'cleantime'].some((name) => names.includes(name));
  return isOfThose ? ['This looks like a file of unsubscribed or cleaned contacts.'] : [];
}

function warnAboutUnknown(columns: readonly ResolvedColumn[], isDropped: boolean): string[] {
  const unknown = columns.filter(({ isUnknown }) => isUnknown).map(({ name }) => `"${name}"`);
  if (unknown.length === 0) return [];
  const [what, verb] = unknown.length === 1 ? ['A column', 'is'] : ['Columns', 'are'];
  const rest = isDropped ? 'left out' : 'kept as metadata';
  return [`${what} that Doorlist does not know ${verb} ${rest}: ${unknown.join(', ')}.`];
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
