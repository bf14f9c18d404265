import type { FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { NO_PRESET } from '../../../waitlist/transfer/files/columns.ts';
import { PRESETS } from '../../../waitlist/transfer/files/presets.ts';
import { TIME_FORMATS } from '../../../waitlist/transfer/files/times.ts';
import { limits, oneOf, WORD } from '../../../wire/schema.ts';
import { HttpError } from '../../plugins/errors.ts';

export const TYPES = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
} as const;
type UploadFormat = keyof typeof TYPES;
const FORMATS = Object.keys(TYPES) as UploadFormat[];
const YES_OR_NO = ['true', 'false'] as const;

export const flag = (description: string) =>
  Type.Optional(oneOf(YES_OR_NO, { description: `${description} Default: \`false\`.`, examples: ['true'] }));

/** How a file is read. */
export const readingQuery = {
  format: Type.Optional(
    oneOf(FORMATS, {
      description: 'Format of the file. Default: that of the content type.',
      examples: ['csv'],
    }),
  ),
  preset: Type.Optional(
    Type.String({
      ...limits({ enum: [...Object.keys(PRESETS), NO_PRESET] }),
      description:
        'Service whose columns the file has. Default: recognized by its columns. `none` turns that off.',
      examples: [Object.keys(PRESETS)[0]],
    }),
  ),
  map: Type.Optional(
    Type.String({
      maxLength: 8_000,
      description:
        'What columns mean: `COLUMN=FIELD`, separated by commas, as in the `import` command. Each field for one column, except `-`.',
      examples: ['Mail=email,Joined=joinedAt'],
    }),
  ),
  timeFormat: Type.Optional(
    oneOf(TIME_FORMATS, {
      description:
        'How times are written: `mdy` is month, day, year, and `dmy` is day, month, year. Default: what the rows say.',
      examples: ['dmy'],
    }),
  ),
  timeZone: Type.Optional(
    Type.String({
      ...WORD,
      description:
        'Zone of times that have none: an IANA name, an abbreviation or an offset. Default: the one in the name of the column, or UTC.',
      examples: ['Europe/Berlin'],
    }),
  ),
  dropUnmapped: flag('Skip columns without a meaning instead of importing them as metadata.'),
};

type Reading = Static<Type.TObject<typeof readingQuery>>;

export function readingOf({ map, preset, timeFormat, timeZone, dropUnmapped }: Reading) {
  return {
    ...(map === undefined ? {} : { map }),
    ...(preset === undefined ? {} : { preset }),
    ...(timeFormat === undefined ? {} : { timeFormat }),
    ...(timeZone === undefined ? {} : { timeZone }),
    dropUnmapped: dropUnmapped === 'true',
  };
}

export function formatOf({ headers }: Pick<FastifyRequest, 'headers'>): UploadFormat {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const format = FORMATS.find((name) => TYPES[name] === type.trim().toLowerCase());
  if (format) return format;
  throw new HttpError(
    'unsupported_media_type',
    `the body must be sent as ${FORMATS.map((name) => TYPES[name]).join(', ')}`,
  );
}
