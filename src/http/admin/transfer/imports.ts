import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { invalid } from '../../../lib/errors.ts';
import { JobPage, readJobPage } from '../../../operations/core/job-page.ts';
import { presentNewJob } from '../../../operations/core/new-job.ts';
import { pageQuery } from '../../../operations/core/pages.ts';
import { closed } from '../../../operations/core/schemas.ts';
import type { Context } from '../../../waitlist/queue/context.ts';
import type { Queue } from '../../../waitlist/queue/queue.ts';
import { writeCell } from '../../../waitlist/transfer/files/csv-record.ts';
import { linesOfArray } from '../../../waitlist/transfer/files/json-array.ts';
import { ORDERS } from '../../../waitlist/transfer/files/row-order.ts';
import { findImport } from '../../../waitlist/transfer/import/find-import.ts';
import { startUploadedImport } from '../../../waitlist/transfer/import/import-upload.ts';
import { readErrors } from '../../../waitlist/transfer/import/uploads.ts';
import { EXAMPLE_JOB, JobSchema } from '../../../wire/job.ts';
import { oneOf } from '../../../wire/schema.ts';
import { HttpError } from '../../plugins/errors.ts';
import { readUpload, type UploadLimits, UploadTooLarge } from '../../plugins/upload.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { domainFor, environmentQuery, requireQueue, waitlistParams } from '../core/waitlist-scope.ts';
import { importParams, NO_IMPORT, registerImportDetails } from './import-details.ts';
import { registerImportPreviews } from './import-previews.ts';
import { flag, formatOf, readingOf, readingQuery, TYPES } from './import-query.ts';

const tag = 'Import and export';

const ImportQuery = Type.Object(
  {
    ...environmentQuery,
    ...readingQuery,
    order: Type.Optional(
      oneOf(ORDERS, { description: 'Join order. Default: by time if the file has one.', examples: ['file'] }),
    ),
    events: flag('Send webhooks for imported people.'),
    confirmed: flag('Import people as confirmed. Nobody is asked to confirm their email.'),
    dryRun: flag('Check everything and write nothing.'),
  },
  closed,
);

const NO_WAITLIST = {
  not_found: { when: 'The waitlist does not exist.', message: 'there is no waitlist wl_acme' },
};
const EXAMPLE_IMPORT = { ...EXAMPLE_JOB, kind: 'import' };

const createSchema = {
  ...adminSchema({
    operationId: 'createImport',
    tag,
    summary: 'Import people',
    description:
      'Send the file as the body: CSV, a JSON array of objects, or JSON Lines, up to 200 MB. It may take any time to arrive, at 8 KB a second or more. ' +
      'It is stored sealed until the job that imports it has ended. Bad columns are refused at once; bad rows are skipped and listed.',
    role: 'admin',
    params: Type.Object(waitlistParams),
    querystring: ImportQuery,
    body: Type.Unsafe<IncomingMessage | undefined>({ description: 'The file.' }),
    answer: {
      status: 202,
      description: 'The import.',
      schema: JobSchema,
      example: { ...EXAMPLE_IMPORT, state: 'queued', done: 0 },
    },
    errors: ['not_found'],
    special: {
      ...NO_WAITLIST,
      payload_too_large: {
        when: 'The file is larger than 200 MB.',
        message: 'the file is larger than 200 MB',
      },
      unsupported_media_type: {
        when: 'The content type is none of those, or the body has a `Content-Encoding`.',
        message: 'the body must be sent as text/csv, application/json or application/x-ndjson',
      },
    },
  }),
  consumes: Object.values(TYPES),
};

const listSchema = adminSchema({
  operationId: 'listImports',
  tag,
  summary: 'List imports',
  description: 'Returns the imports of a waitlist, newest first.',
  role: 'admin',
  params: Type.Object(waitlistParams),
  querystring: Type.Object({ ...environmentQuery, ...pageQuery }, closed),
  answer: {
    description: 'A page of imports.',
    schema: JobPage,
    example: { jobs: [EXAMPLE_IMPORT], nextCursor: null },
  },
  errors: ['not_found'],
  special: NO_WAITLIST,
});

const errorsSchema = adminSchema({
  operationId: 'downloadImportErrors',
  tag,
  summary: 'Download the errors of an import',
  description: 'Lists the rows that were not imported as CSV: line, field and reason, without their data.',
  role: 'admin',
  params: importParams,
  querystring: Type.Object(environmentQuery, closed),
  answer: {
    type: 'text/csv',
    description: 'The bad rows so far.',
    schema: Type.Unsafe<never>(Type.String({ description: 'One line for each problem.' })),
    example: 'line,field,reason\r\n3,email,not an email address\r\n',
  },
  errors: ['not_found'],
  special: NO_IMPORT,
});

/** Awaited, so that routes stay in the order of registration. */
export async function registerImports(app: TypedApp, parts: AdminParts): Promise<void> {
  const path = '/waitlists/:waitlistId/imports';
  await app.register(async (scope: TypedApp) => {
    scope.removeAllContentTypeParsers();
    // The route reads the body itself, piece by piece.
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    scope.post(
      path,
      { schema: createSchema, bodyLimit: parts.uploads.bytesMax, config: { isLong: true } },
      async (request, reply) => {
        const { params, query, caller } = request;
        const queue = await requireQueue(parts, params, query);
        const format = query.format ?? formatOf(request);
        refuseUnread(request, parts.uploads);
        if (!request.body) throw invalid('body: is required');
        const bytes = readUpload(request.body, parts.uploads);
        const { order } = query;
        const domain = domainFor(parts, request);
        const id = await startUploadedImport(domain, queue, format === 'json' ? linesOfArray(bytes) : bytes, {
          format: format === 'csv' ? 'csv' : 'jsonl',
          ...readingOf(query),
          ...(order === undefined ? {} : { order }),
          ...(query.confirmed === 'true' ? { confirmedBy: caller.actor.name ?? caller.actor.kind } : {}),
          events: query.events === 'true',
          dryRun: query.dryRun === 'true',
        });
        reply.code(202);
        return presentNewJob(domain, id);
      },
    );
    registerImportPreviews(scope, parts);
  });

  app.get(path, { schema: listSchema }, async ({ params, query }) => {
    const queue = await requireQueue(parts, params, query);
    return readJobPage(parts.waitlists, queue, query, { kind: 'import' });
  });

  app.get(
    `${path}/:jobId/errors`,
    { schema: errorsSchema, exposeHeadRoute: false },
    async (request, reply) => {
      const { params, query } = request;
      const queue = await requireQueue(parts, params, query);
      const { id } = await findImport(parts.waitlists, queue, params.jobId);
      reply.type('text/csv; charset=utf-8');
      reply.header('content-disposition', `attachment; filename="${params.jobId}-errors.csv"`);
      return reply.send(
        Readable.from(errorsFile(parts.waitlists, queue, id), { objectMode: false }),
      ) as never;
    },
  );
  registerImportDetails(app, parts);
}

function refuseUnread({ headers }: Pick<FastifyRequest, 'headers'>, limits: UploadLimits): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    throw new HttpError('unsupported_media_type', 'the body must be sent without a Content-Encoding');
  if (Number(headers['content-length']) > limits.bytesMax) throw new UploadTooLarge(limits);
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
