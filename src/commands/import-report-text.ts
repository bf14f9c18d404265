import { describeZone } from '../waitlist/transfer/files/zones.ts';
import { type ImportReport, TIME_FORMAT_NAMES } from '../waitlist/transfer/import/import-report.ts';
import type { ImportResult } from '../waitlist/transfer/import/import-run.ts';
import { table } from './command.ts';

/** What a file was taken for, as the dashboard says it. After an import, only what came of it. */
export function reportLines(
  { service, columns, times, warnings }: ImportReport,
  { jobId, found }: Pick<ImportResult, 'jobId' | 'found'>,
): string[] {
  const unknown = columns.filter(({ isUnknown }) => isUnknown).length;
  const rows = columns.map(({ name, field, isGuess, isUnknown }) => [
    name,
    field === '-' ? 'left out' : field,
    isGuess ? 'guess' : isUnknown ? 'unknown column' : '',
  ]);
  const mapping = [
    ...(service === null ? [] : [`Looks like a ${service} export.`]),
    ...['', table(['COLUMN', 'IMPORTED AS', ''], rows), ''],
    ...(times === null ? [] : [timesLine(times)]),
  ];
  return [
    ...(jobId === null ? mapping : []),
    foundLine(found, unknown),
    ...warnings.map((warning) => `Warning: ${warning}`),
  ];
}

function timesLine({ format, isFormatGuess, zone, isZoneGuess }: NonNullable<ImportReport['times']>): string {
  const written = format === null ? 'in no known format' : `as ${TIME_FORMAT_NAMES[format]}`;
  const guess = (isOne: boolean) => (isOne ? ' (guess)' : '');
  return `Times are read ${written}${guess(isFormatGuess)}, in ${describeZone(zone)}${guess(isZoneGuess)}.`;
}

function foundLine(found: ImportResult['found'], unknown: number): string {
  const counted = (count: number, noun: string, many = `${noun}s`) => `${count} ${count === 1 ? noun : many}`;
  const parts = [
    counted(found.times, 'time'),
    counted(found.referrals, 'referral'),
    counted(found.statuses, 'status', 'statuses'),
    counted(found.phones, 'phone'),
    counted(unknown, 'unknown column'),
  ];
  return `Found ${parts.join(', ')}.`;
}
