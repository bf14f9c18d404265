import Type from 'typebox';
import { STATUSES } from '../../db/tables.ts';
import { formatId } from '../../lib/ids.ts';
import { createExport, EXPORT_FORMATS } from '../../waitlist/transfer/export/export-job.ts';
import { readImport } from '../../waitlist/transfer/import/find-import.ts';
import { startUndo } from '../../waitlist/transfer/import/undo-import.ts';
import { EXAMPLE_IMPORT_REPORT, ImportSchema, presentImport } from '../../wire/import.ts';
import { EXAMPLE_JOB, JobSchema } from '../../wire/job.ts';
import { named, oneOf, WORD, withExamples } from '../../wire/schema.ts';
import { JobPage, readJobPage } from '../core/job-page.ts';
import { presentNewJob } from '../core/new-job.ts';
import { operation } from '../core/operation.ts';
import { pageQuery } from '../core/pages.ts';
import { closed } from '../core/schemas.ts';
import { agreedStatus, SegmentInput, segmentOfBody } from '../core/segments.ts';

export const tag = 'Import and export';

const role = 'admin';
const scope = 'queue';

export const importParams = {
  jobId: Type.String({ ...WORD, description: 'Id of the import.', examples: [EXAMPLE_JOB.id] }),
};
export const noImport = {
  not_found: { when: 'The waitlist or the import does not exist.', message: 'there is no such import' },
};
const EXAMPLE_EXPORT = { ...EXAMPLE_JOB, kind: 'export' };

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

export const listImports = operation({
  id: 'listImports',
  at: 'GET /waitlists/:waitlistId/imports',
  tag,
  summary: 'List imports',
  description: 'Returns the imports of a waitlist, newest first.',
  role,
  scope,
  query: pageQuery,
  answer: {
    description: 'A page of imports.',
    schema: JobPage,
    example: { jobs: [{ ...EXAMPLE_JOB, kind: 'import' }], nextCursor: null },
  },
  run: ({ context, queue, query }) => readJobPage(context, queue, query, { kind: 'import' }),
});

export const getImport = operation({
  id: 'getImport',
  at: 'GET /waitlists/:waitlistId/imports/:jobId',
  tag,
  summary: 'Get an import',
  description:
    'Returns an import or a check: what its columns were taken for, how times were read, what to know about it, and whether it can be undone.',
  role,
  scope,
  params: importParams,
  answer: { description: 'The import.', schema: ImportSchema, example: EXAMPLE_IMPORT_REPORT },
  errors: noImport,
  run: async ({ context, queue, params }) => presentImport(await readImport(context, queue, params.jobId)),
});

export const undoImport = operation({
  id: 'undoImport',
  at: 'POST /waitlists/:waitlistId/imports/:jobId/undo',
  tag,
  summary: 'Undo an import',
  description:
    'Removes everyone that the import added, as if they had never joined. It is possible for 30 days, while none of them was invited and none referred somebody who is not part of the import. ' +
    'Whoever is invited or refers somebody while the job runs stays.',
  role,
  scope,
  params: importParams,
  answer: {
    status: 202,
    description: 'The job that undoes it. Its `result` says how many were `removed` and `kept`.',
    schema: JobSchema,
    example: { ...EXAMPLE_JOB, kind: 'import-undo', state: 'queued', done: 0, subject: EXAMPLE_JOB.id },
  },
  errors: {
    ...noImport,
    conflict: {
      when: 'The import cannot be undone.',
      message: '3 people of this import were invited since: remove people one by one instead',
    },
  },
  run: async ({ context, queue, params }) => {
    const { id } = await startUndo(context, queue, params.jobId, 'server');
    return presentNewJob(context, formatId('job', id));
  },
});

export const exportOperations = [
  operation({
    id: 'createExport',
    at: 'POST /waitlists/:waitlistId/exports',
    tag,
    summary: 'Create an export',
    description:
      'Creates an export and counts its entries: `total` is `null` if more than 10,000 meet the conditions of a segment. ' +
      'Download the file within 24 hours.',
    role,
    scope,
    body: ExportRequest,
    answer: {
      status: 202,
      description: 'The export. Its file can be downloaded.',
      schema: JobSchema,
      example: { ...EXAMPLE_EXPORT, done: 0 },
    },
    run: async ({ context, queue, body }) => {
      const { format, segment } = body;
      const { status: only, ...conditions } = segment ? await segmentOfBody(context, queue, segment) : {};
      const status = agreedStatus(only, body.status) ?? null;
      const isEveryone = Object.keys(conditions).length === 0;
      const input = { format, status, segment: isEveryone ? null : conditions };
      return presentNewJob(context, await createExport(context, queue, input));
    },
  }),
  operation({
    id: 'listExports',
    at: 'GET /waitlists/:waitlistId/exports',
    tag,
    summary: 'List exports',
    description: 'Returns the exports of a waitlist, newest first.',
    role,
    scope,
    query: pageQuery,
    answer: {
      description: 'A page of exports.',
      schema: JobPage,
      example: { jobs: [EXAMPLE_EXPORT], nextCursor: null },
    },
    run: ({ context, queue, query }) => readJobPage(context, queue, query, { kind: 'export' }),
  }),
];

/** In the order of the reference, without the downloads among them. */
export const transfer = [listImports, getImport, undoImport, ...exportOperations];
