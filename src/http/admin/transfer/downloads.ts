import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import { isoTime } from '../../../lib/time.ts';
import { closed } from '../../../operations/core/schemas.ts';
import { importParams, noImport, tag } from '../../../operations/transfer/transfer.ts';
import type { Context } from '../../../waitlist/queue/context.ts';
import type { Queue } from '../../../waitlist/queue/queue.ts';
import {
  type ExportFormat,
  finishExport,
  noteExported,
  type OpenExport,
  openExport,
} from '../../../waitlist/transfer/export/export-job.ts';
import { writeCell } from '../../../waitlist/transfer/files/csv-record.ts';
import { findImport, openBadRows } from '../../../waitlist/transfer/import/find-import.ts';
import { readErrors } from '../../../waitlist/transfer/import/uploads.ts';
import { exportFile } from '../../../wire/export.ts';
import { EXAMPLE_JOB } from '../../../wire/job.ts';
import { WORD } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import type { AdminParts } from '../core/admin-parts.ts';
import { adminSchema } from '../core/operation.ts';
import { domainFor, environmentQuery, queueOfRequest, waitlistParams } from '../core/waitlist-scope.ts';

/** Often enough to watch. Each time is a commit, which signups beside it wait for. */
const NOTED_EVERY_MS = 5_000;

const CSV = 'text/csv; charset=utf-8';
const MEDIA_TYPES: Record<ExportFormat, string> = {
  csv: CSV,
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

const params = Type.Object({ ...waitlistParams, ...importParams });
const querystring = Type.Object(environmentQuery, closed);
const file = (description: string) => Type.Unsafe<never>(Type.String({ description }));

const errorsSchema = adminSchema({
  operationId: 'downloadImportErrors',
  tag,
  summary: 'Download the errors of an import',
  description: 'Lists the rows that were not imported as CSV: line, field and reason, without their data.',
  role: 'admin',
  params,
  querystring,
  answer: {
    type: 'text/csv',
    description: 'The bad rows so far.',
    schema: file('One line for each problem.'),
    example: 'line,field,reason\r\n3,email,not an email address\r\n',
  },
  errors: ['not_found'],
  special: noImport,
});

export function registerImportErrors(app: TypedApp, parts: AdminParts): void {
  const path = '/waitlists/:waitlistId/imports/:jobId/errors';
  app.get(path, { schema: errorsSchema, exposeHeadRoute: false }, async ({ params, query }, reply) => {
    const queue = await queueOfRequest(parts, params, query);
    const { id } = await findImport(parts.waitlists, queue, params.jobId);
    return sendFile(reply, CSV, `${params.jobId}-errors.csv`, errorsFile(parts.waitlists, queue, id));
  });
}

async function* errorsFile(context: Context, queue: Queue, id: Buffer): AsyncGenerator<Buffer> {
  yield Buffer.from('line,field,reason\r\n');
  for await (const problems of readErrors(context, queue, id)) {
    const lines = problems.map(({ line, field, reason }) =>
      [line === null ? '' : String(line), field ?? '', reason].map(writeCell).join(','),
    );
    yield Buffer.from(lines.map((line) => `${line}\r\n`).join(''));
  }
}

const rowsSchema = adminSchema({
  operationId: 'downloadImportBadRows',
  tag,
  summary: 'Download the bad rows of an import',
  description:
    'Returns the rows that were not imported as CSV, with their line, the reason and their content. Rows of JSON are in one cell. Correct them, and import the file: the first two columns are left out. ' +
    'Bad rows are stored sealed for 24 hours, up to 10 MB. Each download is recorded in the audit trail.',
  role: 'admin',
  params,
  querystring,
  answer: {
    type: 'text/csv',
    description: 'The bad rows so far.',
    schema: file('One line for each row.'),
    example: 'Doorlist line,Doorlist reason,email\r\n3,email: not an email address,ada@\r\n',
  },
  errors: ['not_found', 'expired'],
  special: {
    ...noImport,
    expired: {
      when: 'The import is older than 24 hours.',
      message: 'bad rows are kept for 24 hours: import the file again',
    },
  },
});

export function registerBadRows(app: TypedApp, parts: AdminParts): void {
  const path = '/waitlists/:waitlistId/imports/:jobId/bad-rows';
  const options = { schema: rowsSchema, exposeHeadRoute: false, config: { isLong: true } };
  app.get(path, options, async (request, reply) => {
    const { params, query } = request;
    const queue = await queueOfRequest(parts, params, query);
    const rows = await openBadRows(domainFor(parts, request), queue, params.jobId);
    return sendFile(reply, CSV, `${params.jobId}-bad-rows.csv`, rows);
  });
}

const ExportedEntry = Type.Object(
  {},
  { additionalProperties: true, description: 'An entry, as the public API shows it, and its language.' },
);
const EXPORTED = { id: 'ent_06gxx2p9r1yn1vp1ryss481fhw', email: 'ada@example.com', phone: null };

const fileSchema = adminSchema({
  operationId: 'downloadExport',
  tag,
  summary: 'Download an export',
  description:
    'Streams the entries as they are now, in joining order, with the same columns as the `export` command. Doorlist keeps no copy. ' +
    'Each download is recorded in the audit trail. The `done` of the job moves with the first one.',
  role: 'admin',
  params: Type.Object({
    ...waitlistParams,
    jobId: Type.String({ ...WORD, description: 'Id of the export.', examples: [EXAMPLE_JOB.id] }),
  }),
  querystring,
  answer: {
    type: 'text/csv',
    description: 'The file: `text/csv`, `application/json` or `application/x-ndjson`, as requested.',
    schema: file('The entries.'),
    example: 'id,email,phone\r\nent_06gxx2p9r1yn1vp1ryss481fhw,ada@example.com,\r\n',
    otherTypes: {
      'application/json': {
        schema: Type.Array(ExportedEntry, { description: 'The entries.' }),
        examples: { example: { summary: 'The file as JSON.', value: [EXPORTED] } },
      },
      'application/x-ndjson': {
        schema: Type.String({ description: 'The entries, one JSON object on each line.' }),
        examples: { example: { summary: 'The file as JSON Lines.', value: `${JSON.stringify(EXPORTED)}\n` } },
      },
    },
  },
  errors: ['not_found', 'conflict', 'expired'],
  special: {
    not_found: {
      when: 'The waitlist or the export does not exist.',
      message: 'there is no such export',
    },
    conflict: { when: 'The export was cancelled.', message: 'this export was cancelled' },
    expired: {
      when: 'The export is older than 24 hours.',
      message: 'this export has expired: create a new one',
    },
  },
});

export function registerExportFile(app: TypedApp, parts: AdminParts): void {
  const path = '/waitlists/:waitlistId/exports/:jobId/file';
  const options = { schema: fileSchema, exposeHeadRoute: false, config: { isLong: true } };
  app.get(path, options, async (request, reply) => {
    const { params, query } = request;
    const queue = await queueOfRequest(parts, params, query);
    const domain = domainFor(parts, request);
    const open = await openExport(domain, queue, params.jobId);
    const { format } = open.input;
    const day = isoTime(domain.clock()).slice(0, 10);
    const name = `${queue.waitlist.id}-${queue.environment}-${day}.${format}`;
    return sendFile(reply, MEDIA_TYPES[format], name, fileOf(domain, queue, open, parts.makeWay));
  });
}

async function* fileOf(
  context: Context,
  queue: Queue,
  { id, input, isFirst }: OpenExport,
  makeWay: AdminParts['makeWay'],
) {
  let done = 0;
  let notedAt = performance.now();
  const reading = { ...context, db: await context.db.replica() };
  for await (const { text, entries } of exportFile(reading, queue, input)) {
    if (text !== '') yield Buffer.from(text);
    await makeWay();
    done += entries;
    if (isFirst && performance.now() - notedAt >= NOTED_EVERY_MS) {
      notedAt = performance.now();
      await noteExported(context, queue, id, done);
    }
  }
  if (isFirst) await finishExport(context, queue, id, done);
}

/** Read as fast as the client takes it. When the client goes away, reading stops. */
function sendFile(
  reply: FastifyReply,
  type: string,
  name: string,
  content: AsyncIterable<Uint8Array>,
): never {
  reply.type(type);
  reply.header('content-disposition', `attachment; filename="${name}"`);
  return reply.send(Readable.from(content, { objectMode: false })) as never;
}
