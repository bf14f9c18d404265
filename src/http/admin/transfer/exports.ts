import { Readable } from 'node:stream';
import Type from 'typebox';
import { STATUSES } from '../../../db/tables.ts';
import { isoTime } from '../../../lib/time.ts';
import { JobPage, readJobPage } from '../../../operations/core/job-page.ts';
import { presentNewJob } from '../../../operations/core/new-job.ts';
import { pageQuery } from '../../../operations/core/pages.ts';
import { closed } from '../../../operations/core/schemas.ts';
import { agreedStatus, SegmentInput, segmentOfBody } from '../../../operations/core/segments.ts';
import type { Context } from '../../../waitlist/queue/context.ts';
import type { Queue } from '../../../waitlist/queue/queue.ts';
import {
  createExport,
  EXPORT_FORMATS,
  type ExportFormat,
  finishExport,
  noteExported,
  type OpenExport,
  openExport,
} from '../../../waitlist/transfer/export/export-job.ts';
import { exportFile } from '../../../wire/export.ts';
import { EXAMPLE_JOB, JobSchema } from '../../../wire/job.ts';
import { named, oneOf, WORD, withExamples } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { domainFor, environmentQuery, requireQueue, waitlistParams } from '../core/waitlist-scope.ts';

const tag = 'Import and export';
/** Often enough to watch. Each time is a commit, which signups beside it wait for. */
const NOTED_EVERY_MS = 5_000;

const MEDIA_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

const querystring = Type.Object(environmentQuery, closed);

const ExportRequest = Type.Object(
  {
    format: oneOf(EXPORT_FORMATS, { description: 'Format of the file.' }),
    status: Type.Optional(oneOf(STATUSES, { description: 'Only entries with this status.' })),
    segment: Type.Optional(SegmentInput),
  },
  {
    ...named('ExportRequest'),
    ...closed,
    description: 'What to export.',
    ...withExamples({
      waiting: { summary: 'Everyone waiting', value: { format: 'csv', status: 'waiting' } },
    }),
  },
);

const NO_WAITLIST = {
  not_found: { when: 'The waitlist does not exist.', message: 'there is no waitlist wl_acme' },
};
const EXAMPLE_EXPORT = { ...EXAMPLE_JOB, kind: 'export' };

const createSchema = adminSchema({
  operationId: 'createExport',
  tag,
  summary: 'Create an export',
  description:
    'Creates an export and counts its entries: `total` is `null` if more than 10,000 meet the conditions of a segment. ' +
    'Download the file within 24 hours.',
  role: 'admin',
  params: Type.Object(waitlistParams),
  querystring,
  body: ExportRequest,
  answer: {
    status: 202,
    description: 'The export. Its file can be downloaded.',
    schema: JobSchema,
    example: { ...EXAMPLE_EXPORT, done: 0 },
  },
  errors: ['not_found'],
  special: NO_WAITLIST,
});

const listSchema = adminSchema({
  operationId: 'listExports',
  tag,
  summary: 'List exports',
  description: 'Returns the exports of a waitlist, newest first.',
  role: 'admin',
  params: Type.Object(waitlistParams),
  querystring: Type.Object({ ...environmentQuery, ...pageQuery }, closed),
  answer: {
    description: 'A page of exports.',
    schema: JobPage,
    example: { jobs: [EXAMPLE_EXPORT], nextCursor: null },
  },
  errors: ['not_found'],
  special: NO_WAITLIST,
});

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
    schema: Type.Unsafe<never>(Type.String({ description: 'The entries.' })),
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
      when: 'The waitlist, the environment or the export does not exist.',
      message: 'there is no such export',
    },
    conflict: { when: 'The export was cancelled.', message: 'this export was cancelled' },
    expired: {
      when: 'The export is older than 24 hours.',
      message: 'this export has expired: create a new one',
    },
  },
});

export function registerExports(app: TypedApp, parts: AdminParts): void {
  const path = '/waitlists/:waitlistId/exports';
  app.post(path, { schema: createSchema }, async (request, reply) => {
    const { params, query, body } = request;
    const queue = await requireQueue(parts, params, query);
    const domain = domainFor(parts, request);
    const { format, segment } = body;
    const { status: only, ...conditions } = segment ? await segmentOfBody(domain, queue, segment) : {};
    const status = agreedStatus(only, body.status) ?? null;
    const isEveryone = Object.keys(conditions).length === 0;
    const input = { format, status, segment: isEveryone ? null : conditions };
    const id = await createExport(domain, queue, input);
    reply.code(202);
    return presentNewJob(domain, id);
  });

  app.get(path, { schema: listSchema }, async ({ params, query }) => {
    const queue = await requireQueue(parts, params, query);
    return readJobPage(parts.waitlists, queue, query, { kind: 'export' });
  });

  app.get(
    `${path}/:jobId/file`,
    { schema: fileSchema, exposeHeadRoute: false, config: { isLong: true } },
    async (request, reply) => {
      const { params, query } = request;
      const queue = await requireQueue(parts, params, query);
      const domain = domainFor(parts, request);
      const open = await openExport(domain, queue, params.jobId);
      const { format } = open.input;
      const day = isoTime(domain.clock()).slice(0, 10);
      reply.type(MEDIA_TYPES[format]);
      reply.header(
        'content-disposition',
        `attachment; filename="${queue.waitlist.id}-${queue.environment}-${day}.${format}"`,
      );
      // Read as fast as the client takes it. When the client goes away, reading stops.
      return reply.send(
        Readable.from(fileOf(domain, queue, open, parts.makeWay), { objectMode: false }),
      ) as never;
    },
  );
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
