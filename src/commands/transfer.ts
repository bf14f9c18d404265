import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { STATUSES } from '../db/tables.ts';
import { invalid } from '../lib/errors.ts';
import { findOutputFile, isStandardOutput } from '../lib/files.ts';
import { workOnJob } from '../waitlist/jobs/jobs.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { NO_PRESET } from '../waitlist/transfer/files/columns.ts';
import { PRESETS } from '../waitlist/transfer/files/presets.ts';
import { FORMATS, type Format } from '../waitlist/transfer/files/row-file.ts';
import { ORDERS } from '../waitlist/transfer/files/row-order.ts';
import { TIME_FORMATS } from '../waitlist/transfer/files/times.ts';
import type { ImportResult } from '../waitlist/transfer/import/import-run.ts';
import { type ImportOptions, importFile, resumeImport } from '../waitlist/transfer/import/import-start.ts';
import { runUndo, startUndo } from '../waitlist/transfer/import/undo-import.ts';
import { presentColumn, presentReport } from '../wire/import.ts';
import { type Command, type Flags, textOr, UsageProblem } from './command.ts';
import { writeExport } from './export-file.ts';
import { commandOn, QUEUE_FLAGS, queueOf } from './queue.ts';
import { parseSegment, SEGMENT_FLAGS } from './segment-flags.ts';
import { systemUser } from './system-user.ts';
import { reportLines, transferProgress } from './transfer-text.ts';

export const transfer: Command[] = [
  {
    name: 'import',
    once: 'job',
    about: 'Import people from a CSV or JSON Lines file. Keeps join order and join times.',
    operands: ['FILE'],
    content: ([file = '']) => digestOf(file),
    flags: {
      ...QUEUE_FLAGS,
      format: { value: 'FORMAT', about: `${FORMATS.join(' or ')} (default: detected from the file).` },
      map: {
        value: 'COLUMN=FIELD,…',
        about:
          'Map columns to email, phone, joinedAt, position, referredBy, referralCode, status, language, metadata.KEY or - (skip).',
      },
      preset: {
        value: 'SERVICE',
        about: `Use the columns of another service: ${Object.keys(PRESETS).join(', ')} (default: recognized; ${NO_PRESET}: do not).`,
      },
      'time-format': {
        value: 'FORMAT',
        about: `How times are written: ${TIME_FORMATS.join(', ')} (default: detected from the rows).`,
      },
      'time-zone': {
        value: 'ZONE',
        about:
          'Zone of times that have none, such as Europe/Berlin or PST (default: from the column name, or UTC).',
      },
      'drop-unmapped': { about: 'Skip unmapped columns instead of importing them as metadata.' },
      order: {
        value: 'ORDER',
        about: `Join order: ${ORDERS.join(', ')} (default: joined if the file has join times).`,
      },
      errors: { value: 'FILE', about: 'File to list invalid rows in (default: FILE.errors.jsonl).' },
      'bad-rows': { value: 'FILE', about: 'CSV file to write invalid rows to, with their content.' },
      events: { about: 'Send webhooks for imported people.' },
      confirmed: { about: 'Import people as confirmed. Nobody is asked to confirm their email.' },
      resume: { value: 'JOB_ID', about: 'Resume an interrupted import.' },
      'dry-run': { about: 'Check the file without importing it.' },
    },
    run: async (context, [file = ''], flags) => {
      const queue = await queueOf(context, flags);
      const progress = transferProgress();
      const result = await runImportCommand(context, queue, file, flags, progress).finally(progress.end);
      const { report, ...counts } = result;
      const json = { ...counts, ...presentReport(report), columns: report.columns.map(presentColumn) };
      return { json, text: [importText(counts, queue), ...reportLines(report, counts)].join('\n') };
    },
  },
  {
    name: 'import undo',
    once: 'job',
    about: 'Undo an import: remove everyone it added, while none of them was invited or referred others.',
    operands: ['JOB_ID'],
    flags: QUEUE_FLAGS,
    run: async (context, [jobId = ''], flags) => {
      const queue = await queueOf(context, flags);
      const progress = transferProgress();
      const job = await startUndo(context, queue, jobId, 'command-line');
      const undone = await workOnJob(context, queue, job.lease, () =>
        runUndo(context, queue, job, ({ removed, total }) => progress.people(removed, total)),
      ).finally(progress.end);
      return { json: { jobId: job.publicId, importId: jobId, ...undone }, text: undoText(undone) };
    },
  },
  {
    name: 'export',
    about: 'Export a waitlist as CSV or JSON Lines.',
    flags: {
      ...QUEUE_FLAGS,
      format: { value: 'FORMAT', about: `${FORMATS.join(' or ')} (default: from the file name, else csv).` },
      out: { value: 'FILE', about: 'Output file (default: standard output).' },
      ...SEGMENT_FLAGS,
      status: { value: 'STATUS', about: `Only entries with this status: ${STATUSES.join(', ')}.` },
    },
    run: async (context, _, flags) => {
      const named = textOr(flags, 'out', undefined);
      const out = named !== undefined && isStandardOutput(named) ? undefined : named;
      if (out === undefined && flags.json === true)
        throw new UsageProblem(
          named === undefined
            ? '--out is required when --json is set'
            : '--out: must not be standard output when --json is set',
        );
      const queue = await queueOf(context, flags);
      const { status, ...segment } = await parseSegment(context, queue, flags);
      const options = { format: exportFormat(flags, out), status, segment };
      const entries = await writeExport(context, queue, options, out);
      const text =
        out === undefined ? '' : `Exported ${entries} ${entries === 1 ? 'entry' : 'entries'} to ${out}.`;
      return { json: { file: out ?? null, entries }, text };
    },
  },
];

async function runImportCommand(
  context: Context,
  queue: Queue,
  file: string,
  flags: Flags,
  { rows, say }: ReturnType<typeof transferProgress>,
): Promise<ImportResult> {
  const jobId = textOr(flags, 'resume', undefined);
  if (jobId === undefined) {
    await checkLists(file, flags);
    return importFile(context, queue, file, importOptions(flags), rows, (begun) =>
      say(
        `Started ${begun}. If it is interrupted, continue with: ${commandOn(queue, 'import', file, '--resume', begun)}`,
      ),
    );
  }
  const given = [
    'format',
    'map',
    'preset',
    'drop-unmapped',
    'order',
    'time-format',
    'time-zone',
    'errors',
    'bad-rows',
    'events',
    'confirmed',
    'dry-run',
  ];
  const other = given.find((name) => flags[name] !== undefined);
  if (other) throw new UsageProblem(`--resume keeps the options of the original import: remove --${other}`);
  return resumeImport(context, queue, file, jobId, rows);
}

function importOptions(flags: Flags): ImportOptions {
  const format = oneOf(flags, 'format', FORMATS);
  const order = oneOf(flags, 'order', ORDERS);
  const map = textOr(flags, 'map', undefined);
  const preset = textOr(flags, 'preset', undefined);
  const errorsFile = textOr(flags, 'errors', undefined);
  const badRowsFile = textOr(flags, 'bad-rows', undefined);
  const timeFormat = oneOf(flags, 'time-format', TIME_FORMATS);
  const timeZone = textOr(flags, 'time-zone', undefined);
  return {
    ...(format === undefined ? {} : { format }),
    ...(order === undefined ? {} : { order }),
    ...(map === undefined ? {} : { map }),
    ...(preset === undefined ? {} : { preset }),
    ...(errorsFile === undefined ? {} : { errorsFile }),
    ...(badRowsFile === undefined ? {} : { badRowsFile }),
    ...(timeFormat === undefined ? {} : { timeFormat }),
    ...(timeZone === undefined ? {} : { timeZone }),
    dropUnmapped: flags['drop-unmapped'] === true,
    events: flags.events === true,
    ...(flags.confirmed === true ? { confirmedBy: systemUser() } : {}),
    dryRun: flags['dry-run'] === true,
  };
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('base64url');
}

/** Before the import begins, and with links followed: writing a list replaces the file. */
async function checkLists(file: string, flags: Flags): Promise<void> {
  const imported = path.resolve(await realpath(file).catch(() => file));
  const replaced = async (field: string, name: string) => {
    const { path: found, isStream } = await findOutputFile(name);
    if (path.resolve(found) === imported) throw invalid(`${field}: must not be the imported file`);
    return isStream ? undefined : path.resolve(found);
  };
  const errors = await replaced('errors', textOr(flags, 'errors', `${file}.errors.jsonl`));
  const badRows = textOr(flags, 'bad-rows', undefined);
  if (badRows === undefined) return;
  const rows = await replaced('badRows', badRows);
  if (rows !== undefined && rows === errors) throw invalid('badRows: must not be the same file as --errors');
}

function oneOf<T extends string>(flags: Flags, name: string, choices: readonly T[]): T | undefined {
  const value = flags[name];
  if (value === undefined || choices.includes(value as T)) return value as T | undefined;
  throw new UsageProblem(`--${name}: must be one of ${choices.join(', ')}`);
}

function importText(result: Omit<ImportResult, 'report'>, queue: Queue): string {
  const { jobId, rows, created, skipped, failed, codesTaken, errorsFile, badRowsFile } = result;
  const lines = [
    jobId === null ? `Would import ${created} of ${rows} rows.` : `Imported ${created} of ${rows} rows.`,
    ...(skipped === 0 ? [] : [`Skipped ${skipped} ${skipped === 1 ? 'duplicate' : 'duplicates'}.`]),
    ...(failed === 0 ? [] : [`Skipped ${failed} invalid ${failed === 1 ? 'row' : 'rows'}.`]),
    ...(codesTaken === 0
      ? []
      : [
          `Dropped ${codesTaken} referral ${codesTaken === 1 ? 'code that already belongs' : 'codes that already belong'} to someone else.`,
        ]),
    ...(errorsFile === null ? [] : [`Details: ${errorsFile}`]),
    ...(badRowsFile === null ? [] : [`Invalid rows with their content: ${badRowsFile}`]),
    ...(jobId === null || created === 0
      ? []
      : [`To take it back: ${commandOn(queue, 'import', 'undo', jobId)}`]),
  ];
  return lines.join('\n');
}

function undoText({ removed, kept }: { removed: number; kept: number }): string {
  const people = (count: number) => (count === 1 ? '1 person' : `${count} people`);
  const rest = kept === 0 ? '' : ` Kept ${people(kept)} who were invited or referred others meanwhile.`;
  return `Undone: removed ${people(removed)}.${rest}`;
}

function exportFormat(flags: Flags, out: string | undefined): Format {
  const byName = out !== undefined && /\.(jsonl|ndjson)$/i.test(out) ? 'jsonl' : 'csv';
  return oneOf(flags, 'format', FORMATS) ?? byName;
}
