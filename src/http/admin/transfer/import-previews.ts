import type { IncomingMessage } from 'node:http';
import Type from 'typebox';
import { DoorlistError, invalid } from '../../../lib/errors.ts';
import { closed } from '../../../operations/core/schemas.ts';
import { linesOfArray } from '../../../waitlist/transfer/files/json-array.ts';
import { previewImport } from '../../../waitlist/transfer/import/import-preview.ts';
import { EXAMPLE_PREVIEW, ImportPreviewSchema, presentImportPreview } from '../../../wire/import.ts';
import { readUpload } from '../../plugins/upload.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { environmentQuery, requireQueue, waitlistParams } from '../core/waitlist-scope.ts';
import { flag, formatOf, readingOf, readingQuery, TYPES } from './import-query.ts';

/** Many rows, and read in a moment. */
const BYTES_MAX = 1024 * 1024;

const previewSchema = {
  ...adminSchema({
    operationId: 'previewImport',
    harmless: 'reads',
    tag: 'Import and export',
    summary: 'Preview an import',
    description:
      'Send the file, or its first rows, up to 1 MB. Returns what each column would be imported as, with examples, and how times would be read. ' +
      'Nothing is stored.',
    role: 'admin',
    params: Type.Object(waitlistParams),
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
    errors: ['not_found'],
    special: {
      not_found: { when: 'The waitlist does not exist.', message: 'there is no waitlist wl_acme' },
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

/** Expects a scope without body parsers: it reads the body itself. */
export function registerImportPreviews(scope: TypedApp, parts: AdminParts): void {
  scope.post(
    '/waitlists/:waitlistId/imports/preview',
    { schema: previewSchema, bodyLimit: BYTES_MAX },
    async (request) => {
      const { params, query, body } = request;
      await requireQueue(parts, params, query);
      const format = query.format ?? formatOf(request);
      if (!body) throw invalid('body: is required');
      const bytes = readUpload(body, { ...parts.uploads, bytesMax: BYTES_MAX });
      const isPartial = query.partial === 'true';
      const file = await collect(format === 'json' ? linesOfArray(bytes) : bytes, isPartial);
      const options = { ...readingOf(query), format: format === 'csv' ? 'csv' : 'jsonl' } as const;
      return presentImportPreview(await previewImport(file, !isPartial, options));
    },
  );
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
