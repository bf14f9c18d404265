import { describeZone } from '../waitlist/transfer/files/zones.ts';
import type { ImportProgress } from '../waitlist/transfer/import/import-progress.ts';
import { type ImportReport, TIME_FORMAT_NAMES } from '../waitlist/transfer/import/import-report.ts';
import type { ImportResult } from '../waitlist/transfer/import/import-run.ts';
import { table } from './command.ts';
import { progressLine } from './progress.ts';

const BAR_CHARACTERS = 24;
/** Often enough for a pipe or a log. */
const LINE_EVERY_MS = 5_000;

/** A bar on a terminal, lines in a log. On standard error, because standard output has only the result. */
export function transferProgress() {
  const watched = process.stderr.isTTY === true;
  let shown = false;
  let lastLineAt = performance.now();
  const show = (part: number, text: string) => {
    if (watched) {
      shown = true;
      const filled = Math.round(Math.min(1, part) * BAR_CHARACTERS);
      progressLine(`${'█'.repeat(filled)}${'░'.repeat(BAR_CHARACTERS - filled)} ${text}`);
    } else if (performance.now() - lastLineAt >= LINE_EVERY_MS) {
      lastLineAt = performance.now();
      process.stderr.write(`${Math.floor(part * 100)} %: ${text}\n`);
    }
  };
  return {
    rows: (progress: ImportProgress, part: number) => {
      const { phase, rows, created, skipped, failed } = progress;
      const counts = `${rows} rows: ${created} imported, ${skipped} duplicates, ${failed} invalid`;
      show(part, phase === 'rows' ? counts : `${counts}; linking referrals`);
    },
    entries: (written: number, total: number) => show(written / total, `${written} of ${total} entries`),
    people: (removed: number, total: number) => show(total === 0 ? 1 : removed / total, `${removed} removed`),
    say: (text: string) => process.stderr.write(`${text}\n`),
    end: () => {
      if (shown) process.stderr.write('\n');
      shown = false;
    },
  };
}

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
