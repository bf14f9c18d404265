import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { DoorlistError, invalid } from '../../../lib/errors.ts';
import { presentNewJob } from '../../../operations/core/new-job.ts';
import { closed } from '../../../operations/core/schemas.ts';
import { tag } from '../../../operations/transfer/transfer.ts';
import { linesOfArray } from '../../../waitlist/transfer/files/json-array.ts';
import { ORDERS } from '../../../waitlist/transfer/files/row-order.ts';
import { previewImport } from '../../../waitlist/transfer/import/import-preview.ts';
import { startUploadedImport } from '../../../waitlist/transfer/import/import-upload.ts';
import { EXAMPLE_PREVIEW, ImportPreviewSchema, presentImportPreview } from '../../../wire/import.ts';
import { EXAMPLE_JOB, JobSchema } from '../../../wire/job.ts';
import { oneOf } from '../../../wire/schema.ts';
import { HttpError } from '../../plugins/errors.ts';
import { readUpload, type UploadLimits, UploadTooLarge } from '../../plugins/upload.ts';
import type { TypedApp } from '../../typed-app.ts';
import type { AdminParts } from '../core/admin-parts.ts';
import { adminSchema } from '../core/operation.ts';
import { domainFor, environmentQuery, queueOfRequest, waitlistParams } from '../core/waitlist-scope.ts';
import { flag, formatOf, readingOf, readingQuery, TYPES } from './import-query.ts';

/** Many rows, and read in a moment. */
const PREVIEW_BYTES_MAX = 1024 * 1024;

const common = {
  tag,
  role: 'admin',
  params: Type.Object(waitlistParams),
  errors: ['not_found'],
} as const;
const NO_WAITLIST = {
  not_found: { when: 'The waitlist does not exist.', message: 'there is no waitlist wl_acme' },
};

const createSchema = {
  ...adminSchema({
    ...common,
    operationId: 'createImport',
    summary: 'Import people',
    description:
      'Send the file as the body: CSV, a JSON array of objects, or JSON Lines, up to 200 MB. It may take any time to arrive, at 8 KB a second or more. ' +
      'It is stored sealed until the job that imports it has ended. Bad columns are refused at once; bad rows are skipped and listed.',
    querystring: Type.Object(
      {
        ...environmentQuery,
        ...readingQuery,
        order: Type.Optional(
          oneOf(ORDERS, {
            description: 'Join order. Default: by time if the file has one.',
            examples: ['file'],
          }),
        ),
        events: flag('Send webhooks for imported people.'),
        confirmed: flag('Import people as confirmed. Nobody is asked to confirm their email.'),
        dryRun: flag('Check everything and write nothing.'),
      },
      closed,
    ),
    body: Type.Unsafe<IncomingMessage | undefined>({ description: 'The file.' }),
    answer: {
      status: 202,
      description: 'The import.',
      schema: JobSchema,
      example: { ...EXAMPLE_JOB, kind: 'import', state: 'queued', done: 0 },
    },
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

const previewSchema = {
  ...adminSchema({
    ...common,
    operationId: 'previewImport',
    harmless: 'reads',
    summary: 'Preview an import',
    description:
      'Send the file, or its first rows, up to 1 MB. Returns what each column would be imported as, with examples, and how times would be read. ' +
      'Nothing is stored.',
    querystring: Type.Object(
      { ...environmentQuery, ...readingQuery, partial: flag('The file continues after these bytes.') },
      closed,
    ),
    body: Type.Unsafe<IncomingMessage | undefined>({ description: 'The file, or its beginning.' }),
    answer: {
      description: 'What the file was taken for.',
      schema: ImportPreviewSchema,
      example: EXAMPLE_PREVIEW,
    },
    special: {
      ...NO_WAITLIST,
      payload_too_large: {
        when: 'The body is larger than 1 MB.',
        message: 'the file is larger than 1 MB',
      },
      unsupported_media_type: {
        when: 'The content type is none of those.',
        message: 'the body must be sent as text/csv, application/json or application/x-ndjson',
      },
    },
  }),
  consumes: Object.values(TYPES),
};

/** Awaited, so that routes stay in the order of registration. */
export async function registerUploads(app: TypedApp, parts: AdminParts): Promise<void> {
  const { uploads } = parts;
  const path = '/waitlists/:waitlistId/imports';
  const options = { schema: createSchema, bodyLimit: uploads.bytesMax, config: { isLong: true } };
  await app.register(async (scope: TypedApp) => {
    scope.removeAllContentTypeParsers();
    // The routes read the body themselves, piece by piece.
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    scope.post(path, options, async (request, reply) => {
      const { params, query, caller } = request;
      const queue = await queueOfRequest(parts, params, query);
      const format = query.format ?? formatOf(request);
      refuseUnread(request, uploads);
      if (!request.body) throw invalid('body: is required');
      const bytes = readUpload(request.body, uploads);
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
    });
    scope.post(
      `${path}/preview`,
      { schema: previewSchema, bodyLimit: PREVIEW_BYTES_MAX },
      async (request) => {
        const { params, query, body } = request;
        await queueOfRequest(parts, params, query);
        const format = query.format ?? formatOf(request);
        if (!body) throw invalid('body: is required');
        const bytes = readUpload(body, { ...uploads, bytesMax: PREVIEW_BYTES_MAX });
        const isPartial = query.partial === 'true';
        const file = await collect(format === 'json' ? linesOfArray(bytes) : bytes, isPartial);
        const reading = { ...readingOf(query), format: format === 'csv' ? 'csv' : 'jsonl' } as const;
        return presentImportPreview(await previewImport(file, !isPartial, reading));
      },
    );
  });
}

function refuseUnread({ headers }: Pick<FastifyRequest, 'headers'>, limits: UploadLimits): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    throw new HttpError('unsupported_media_type', 'the body must be sent without a Content-Encoding');
  if (Number(headers['content-length']) > limits.bytesMax) throw new UploadTooLarge(limits);
}

/** The end of an array that is cut off cannot be found, which is no mistake. */
async function collect(bytes: AsyncIterable<Buffer>, isPartial: boolean): Promise<Buffer> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of bytes) pieces.push(Buffer.from(piece));
  } catch (error) {
    if (!isPartial || !(error instanceof DoorlistError) || pieces.length === 0) throw error;
  }
  return Buffer.concat(pieces);
}
