import Type, { type Static } from 'typebox';
import { isoTime } from '../lib/time.ts';
import type { JobSummary } from '../waitlist/jobs/find-jobs.ts';
import { FORMATS } from '../waitlist/transfer/files/row-file.ts';
import { TIME_FORMATS } from '../waitlist/transfer/files/times.ts';
import { describeZone } from '../waitlist/transfer/files/zones.ts';
import type { ImportPreview } from '../waitlist/transfer/import/import-preview.ts';
import type { ImportReport } from '../waitlist/transfer/import/import-report.ts';
import type { UndoState } from '../waitlist/transfer/import/undo-import.ts';
import { EXAMPLE_JOB, JobSchema, presentJob } from './job.ts';
import { UNMASKED } from './mask.ts';
import { named, nullable, oneOf } from './schema.ts';

const columnFields = {
  name: Type.String({ description: 'Name of the column.' }),
  field: Type.String({
    description: 'What it is imported as: a field, `metadata.KEY`, or `-` if it is left out.',
    examples: ['joinedAt'],
  }),
  isGuess: Type.Boolean({ description: 'Whether its name only suggests this.' }),
  isUnknown: Type.Boolean({
    description: 'Whether nothing is known about it, so that it becomes metadata or is left out.',
  }),
};

const ImportColumn = Type.Object(columnFields, {
  ...named('ImportColumn'),
  description: 'What a column was taken for.',
});

const PreviewColumn = Type.Object(
  {
    ...columnFields,
    examples: Type.Array(
      Type.Object({
        text: Type.String({ description: 'A value, shortened.' }),
        time: nullable<string>('string', {
          format: 'date-time',
          description:
            'For the time of joining: what it is read as. `null` if it cannot be read, or is none.',
        }),
      }),
      { description: 'Different values of the first rows, at most three.' },
    ),
  },
  { ...named('ImportPreviewColumn'), description: 'What a column was taken for, with examples.' },
);

const ImportTimes = Type.Object(
  {
    column: Type.String({ description: 'First column with times.' }),
    format: Type.Union([oneOf(TIME_FORMATS), Type.Null()], {
      description: 'How the times are written. `null` if none can be read.',
    }),
    isFormatGuess: Type.Boolean({ description: 'Whether the dates can be read in two ways.' }),
    timeZone: Type.String({ description: 'Zone of times that have none.', examples: ['PST'] }),
    timeZoneName: Type.String({ description: 'The zone with its offset.', examples: ['PST (UTC-8)'] }),
    isTimeZoneGuess: Type.Boolean({
      description: 'Whether neither the file nor the request says which zone it is.',
    }),
  },
  { ...named('ImportTimes'), description: 'How times are read.' },
);

const reportFields = {
  service: nullable<string>('string', {
    description:
      'Service whose export the file looks like, such as `GetWaitlist`. `null` if none is recognized.',
  }),
  times: Type.Union([ImportTimes, Type.Null()], {
    description: 'How the times of joining are read. `null` if no column has any.',
  }),
  warnings: Type.Array(Type.String(), { description: 'What to know before the file is imported.' }),
};

export const ImportPreviewSchema = Type.Object(
  {
    format: oneOf(FORMATS, { description: 'Format of the file. A JSON array counts as `jsonl`.' }),
    ...reportFields,
    columns: Type.Array(PreviewColumn, { description: 'The columns, in the order of the file.' }),
  },
  { ...named('ImportPreview'), description: 'What the beginning of a file was taken for.' },
);

export const ImportSchema = Type.Object(
  {
    job: JobSchema,
    ...reportFields,
    columns: Type.Array(ImportColumn, { description: 'The columns, in the order of the file.' }),
    undo: Type.Object(
      {
        isPossible: Type.Boolean({ description: 'Whether the import can be undone.' }),
        reason: nullable<string>('string', { description: 'Why it cannot. `null` if it can.' }),
        jobId: nullable<string>('string', { description: 'Id of the job that is undoing it.' }),
      },
      { description: 'Whether the import can be undone.' },
    ),
  },
  { ...named('Import'), description: 'An import, and what its file was taken for.' },
);

export function presentImportPreview({
  examples,
  columns,
  ...preview
}: ImportPreview): Static<typeof ImportPreviewSchema> {
  return {
    format: preview.format,
    ...presentReport(preview),
    columns: columns.map((column, index) => ({
      ...presentColumn(column),
      examples: (examples[index] ?? []).map(({ text, time }) => ({
        text,
        time: time === undefined || time === null ? null : timeOrNull(time),
      })),
    })),
  };
}

/** A number can be too large for a date. */
function timeOrNull(time: number): string | null {
  return Math.abs(time) <= 8.64e15 ? isoTime(time) : null;
}

export function presentImport({
  job,
  report,
  undo,
}: {
  job: JobSummary;
  report: ImportReport;
  undo: UndoState;
}): Static<typeof ImportSchema> {
  const { isPossible, reason, jobId } = undo;
  return {
    job: presentJob(job, UNMASKED),
    ...presentReport(report),
    columns: report.columns.map(presentColumn),
    undo: { isPossible, reason, jobId },
  };
}

export function presentReport({
  service,
  times,
  warnings,
}: Pick<ImportReport, 'service' | 'times' | 'warnings'>) {
  return {
    service,
    times: times && {
      column: times.column,
      format: times.format,
      isFormatGuess: times.isFormatGuess,
      timeZone: times.zone,
      timeZoneName: describeZone(times.zone),
      isTimeZoneGuess: times.isZoneGuess,
    },
    warnings: [...warnings],
  };
}

export function presentColumn({ name, field, isGuess, isUnknown }: ImportReport['columns'][number]) {
  return { name, field, isGuess, isUnknown };
}

const EXAMPLE_TIMES = {
  column: 'Signed up (PST)',
  format: 'mdy',
  isFormatGuess: false,
  timeZone: 'PST',
  timeZoneName: 'PST (UTC-8)',
  isTimeZoneGuess: false,
} as const;
const EXAMPLE_REPORT = {
  service: null,
  times: EXAMPLE_TIMES,
  warnings: ['No column says who referred whom.'],
};
const EXAMPLE_COLUMN = { name: 'Signed up (PST)', field: 'joinedAt', isGuess: true, isUnknown: false };

export const EXAMPLE_PREVIEW: Static<typeof ImportPreviewSchema> = {
  format: 'csv',
  ...EXAMPLE_REPORT,
  columns: [
    { ...EXAMPLE_COLUMN, examples: [{ text: '11/15/2025 9:30 AM', time: '2025-11-15T17:30:00.000Z' }] },
  ],
};

export const EXAMPLE_IMPORT_REPORT: Static<typeof ImportSchema> = {
  job: {
    ...EXAMPLE_JOB,
    kind: 'import',
    state: 'done',
    done: 2000,
    finishedAt: '2026-11-15T09:30:05.000Z',
    result: {
      ...{ rows: 2000, created: 1990, skipped: 10, failed: 0, codesTaken: 0 },
      found: {
        ...{
          times: 2000,
          timesUnread: 0,
          referrals: 0,
          referralsUnresolved: 0,
          referralsCircular: 0,
          codesUnusable: 0,
        },
        ...{ statuses: 0, statusesUnread: 0, phones: 12 },
      },
    },
  },
  ...EXAMPLE_REPORT,
  columns: [EXAMPLE_COLUMN],
  undo: { isPossible: true, reason: null, jobId: null },
};
