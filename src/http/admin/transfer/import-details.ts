import { Readable } from 'node:stream';
import Type from 'typebox';
import { formatId } from '../../../lib/ids.ts';
import { presentNewJob } from '../../../operations/core/new-job.ts';
import { closed } from '../../../operations/core/schemas.ts';
import { openBadRows, readImport } from '../../../waitlist/transfer/import/find-import.ts';
import { startUndo } from '../../../waitlist/transfer/import/undo-import.ts';
import { EXAMPLE_IMPORT_REPORT, ImportSchema, presentImport } from '../../../wire/import.ts';
import { EXAMPLE_JOB, JobSchema } from '../../../wire/job.ts';
import { WORD } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { domainFor, environmentQuery, requireQueue, waitlistParams } from '../core/waitlist-scope.ts';

const tag = 'Import and export';
export const importParams = Type.Object({
  ...waitlistParams,
  jobId: Type.String({ ...WORD, description: 'Id of the import.', examples: [EXAMPLE_JOB.id] }),
});
const querystring = Type.Object(environmentQuery, closed);
export const NO_IMPORT = {
  not_found: {
    when: 'The waitlist, the environment or the import does not exist.',
    message: 'there is no such import',
  },
};

const readSchema = adminSchema({
  operationId: 'getImport',
  tag,
  summary: 'Get an import',
  description:
    'Returns an import or a check: what its columns were taken for, how times were read, what to know about it, and whether it can be undone.',
  role: 'admin',
  params: importParams,
  querystring,
  answer: { description: 'The import.', schema: ImportSchema, example: EXAMPLE_IMPORT_REPORT },
  errors: ['not_found'],
  special: NO_IMPORT,
});

const rowsSchema = adminSchema({
  operationId: 'downloadImportBadRows',
  tag,
  summary: 'Download the bad rows of an import',
  description:
    'Returns the rows that were not imported as CSV, with their line, the reason and their content. Rows of JSON are in one cell. Correct them, and import the file: the first two columns are left out. ' +
    'Bad rows are stored sealed for 24 hours, up to 10 MB. Each download is recorded in the audit trail.',
  role: 'admin',
  params: importParams,
  querystring,
  answer: {
    type: 'text/csv',
    description: 'The bad rows so far.',
    schema: Type.Unsafe<never>(Type.String({ description: 'One line for each row.' })),
    example: 'Doorlist line,Doorlist reason,email\r\n3,email: not an email address,ada@\r\n',
  },
  errors: ['not_found', 'expired'],
  special: {
    ...NO_IMPORT,
    expired: {
      when: 'The import is older than 24 hours.',
      message: 'bad rows are kept for 24 hours: import the file again',
    },
  },
});

const undoSchema = adminSchema({
  operationId: 'undoImport',
  tag,
  summary: 'Undo an import',
  description:
    'Removes everyone that the import added, as if they had never joined. It is possible for 30 days, while none of them was invited and none referred somebody who is not part of the import. ' +
    'Whoever is invited or refers somebody while the job runs stays.',
  role: 'admin',
  write: true,
  params: importParams,
  querystring,
  answer: {
    status: 202,
    description: 'The job that undoes it. Its `result` says how many were `removed` and `kept`.',
    schema: JobSchema,
    example: { ...EXAMPLE_JOB, kind: 'import-undo', state: 'queued', done: 0, subject: EXAMPLE_JOB.id },
  },
  errors: ['not_found', 'conflict'],
  special: {
    ...NO_IMPORT,
    conflict: {
      when: 'The import cannot be undone.',
      message: '3 people of this import were invited since: remove people one by one instead',
    },
  },
});

export function registerImportDetails(app: TypedApp, parts: AdminParts): void {
  const path = '/waitlists/:waitlistId/imports/:jobId';
  app.get(path, { schema: readSchema }, async ({ params, query }) => {
    const queue = await requireQueue(parts, params, query);
    return presentImport(await readImport(parts.waitlists, queue, params.jobId));
  });

  app.get(
    `${path}/bad-rows`,
    { schema: rowsSchema, exposeHeadRoute: false, config: { isLong: true } },
    async (request, reply) => {
      const { params, query } = request;
      const queue = await requireQueue(parts, params, query);
      const rows = await openBadRows(domainFor(parts, request), queue, params.jobId);
      reply.type('text/csv; charset=utf-8');
      reply.header('content-disposition', `attachment; filename="${params.jobId}-bad-rows.csv"`);
      return reply.send(Readable.from(rows, { objectMode: false })) as never;
    },
  );

  app.post(`${path}/undo`, { schema: undoSchema }, async (request, reply) => {
    const { params, query } = request;
    const queue = await requireQueue(parts, params, query);
    const domain = domainFor(parts, request);
    const { id } = await startUndo(domain, queue, params.jobId, 'server');
    reply.code(202);
    return presentNewJob(domain, formatId('job', id));
  });
}
