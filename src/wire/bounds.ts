import type { Problems } from '../lib/errors.ts';
import { isLonger, unitsFor } from '../lib/text.ts';
import { isWhole } from '../lib/whole-number.ts';

export interface PlainSchema {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  anyOf?: PlainSchema[];
  items?: PlainSchema;
  maxItems?: number;
  properties?: Record<string, PlainSchema>;
  additionalProperties?: boolean | PlainSchema;
  /** Of a record. */
  patternProperties?: Record<string, PlainSchema>;
  maxProperties?: number;
  'x-limits'?: Omit<PlainSchema, 'x-limits'>;
}

const SAFE = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
const UNKNOWN_FIELDS_NAMED = 10;

/**
 * Finds what is too long, too large or too many, before anything else is done with it: what it costs to look for other
 * mistakes, or to normalize a text, grows faster than its length. Limits that the domain checks with its own
 * messages are left to it, unless they are far exceeded.
 */
export function findOversized(
  schema: PlainSchema,
  value: unknown,
  problems: Problems,
  name: (path: string) => string,
  path = '',
): void {
  const among = (inner: PlainSchema, each: unknown, at: string) =>
    findOversized(inner, each, problems, name, `${path}/${at}`);
  const add = (message: string) => problems.add(name(path), message);
  for (const branch of schema.anyOf ?? []) findOversized(branch, value, problems, name, path);
  if (problems.isFull) return;
  const takes = (type: string) => [schema.type].flat().includes(type);
  if (typeof value === 'string') {
    const most = takes('string') ? tooLongFor(schema, value) : undefined;
    if (most !== undefined) add(`must not have more than ${most} characters`);
  } else if (typeof value === 'number') {
    if (takes('integer') && Number.isInteger(value) && !isWhole(value, SAFE)) {
      const { minimum, maximum } = { ...SAFE, ...schema, ...schema['x-limits'] };
      add(`must be a whole number from ${minimum} to ${maximum}`);
    }
  } else if (Array.isArray(value)) {
    const most = mostOf(schema, 'maxItems', value.length);
    if (most !== undefined) add(`has more than ${most} values`);
    else if (schema.items) for (const [at, each] of value.entries()) among(schema.items, each, String(at));
  } else if (typeof value === 'object' && value !== null) {
    const { properties = {} } = schema;
    const keys = Object.keys(value);
    const most = mostOf(schema, 'maxProperties', keys.length);
    if (most !== undefined) {
      add(`has more than ${most} keys`);
      return;
    }
    for (const [key, inner] of Object.entries(properties))
      if (Object.hasOwn(value, key)) among(inner, (value as Record<string, unknown>)[key], key);
    const others = othersOf(schema);
    if (others)
      for (const key of keys)
        if (!Object.hasOwn(properties, key)) among(others, (value as Record<string, unknown>)[key], key);
  }
}

/** What the values of any other key are. */
function othersOf({ additionalProperties, patternProperties = {} }: PlainSchema): PlainSchema | undefined {
  return typeof additionalProperties === 'object'
    ? additionalProperties
    : Object.values(patternProperties)[0];
}

/** The limit that a count exceeds: by far, if the domain checks it. */
function mostOf(
  schema: PlainSchema,
  keyword: 'maxItems' | 'maxProperties',
  count: number,
): number | undefined {
  const [own, domains] = [schema[keyword], schema['x-limits']?.[keyword]];
  if (own !== undefined) return count > own ? own : undefined;
  return domains !== undefined && count > unitsFor(domains) ? domains : undefined;
}

/** Where there are fields that the schema does not know, up to ten. */
export function findUnknown(schema: PlainSchema, value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const found = unknownIn(schema, value);
  const inside = (inner: PlainSchema | undefined, key: string | number, each: unknown) => {
    if (!inner || found.length === UNKNOWN_FIELDS_NAMED) return;
    const more = findUnknown(inner, each).slice(0, UNKNOWN_FIELDS_NAMED - found.length);
    found.push(...more.map((at) => `/${key}${at}`));
  };
  if (Array.isArray(value)) for (const [at, each] of value.entries()) inside(schema.items, at, each);
  else
    for (const [key, inner] of Object.entries(schema.properties ?? {}))
      if (Object.hasOwn(value, key)) inside(inner, key, (value as Record<string, unknown>)[key]);
  // What may be one of several things is the one that knows most of its fields.
  const [closest] = (schema.anyOf ?? [])
    .filter(({ type }) => [type].flat().includes(Array.isArray(value) ? 'array' : 'object'))
    .toSorted((a, b) => knownIn(b, value) - knownIn(a, value));
  return closest ? [...found, ...findUnknown(closest, value)].slice(0, UNKNOWN_FIELDS_NAMED) : found;
}

function knownIn({ properties = {} }: PlainSchema, value: object): number {
  return Object.keys(properties).filter((key) => Object.hasOwn(value, key)).length;
}

/** Those of the object itself, up to ten. */
function unknownIn(
  { additionalProperties, properties = {}, patternProperties }: PlainSchema,
  value: object,
): string[] {
  if (additionalProperties !== false || patternProperties || Array.isArray(value)) return [];
  const found: string[] = [];
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(properties, key)) continue;
    found.push(`/${key.slice(0, 64)}`);
    if (found.length === UNKNOWN_FIELDS_NAMED) break;
  }
  return found;
}

/** The limit, if the text is longer. */
function tooLongFor(schema: PlainSchema, text: string): number | undefined {
  const { maxLength } = schema;
  if (maxLength !== undefined)
    return text.length > 2 * maxLength || isLonger(text, maxLength) ? maxLength : undefined;
  const most = schema['x-limits']?.maxLength ?? (isMoment(schema) ? MOMENT_CHARACTERS_MAX : undefined);
  return most !== undefined && text.length > unitsFor(most) ? most : undefined;
}

const MOMENT_CHARACTERS_MAX = 64;
/** Whose format limits its length. */
function isMoment(schema: PlainSchema): boolean {
  const { format = '' } = { ...schema['x-limits'], ...schema };
  return format === 'date-time' || format === 'date';
}

/** The places at which a request could be of any length or size, which must not be. */
export function unboundedPlaces(schema: PlainSchema, path = ''): string[] {
  const { properties = {}, items, anyOf = [] } = schema;
  const others = othersOf(schema);
  const types = [schema.type].flat();
  const limit = { ...schema['x-limits'], ...schema };
  const isChosen = limit.enum !== undefined || limit.const !== undefined;
  const lacks = [
    types.includes('string') &&
      !isChosen &&
      limit.maxLength === undefined &&
      !isMoment(schema) &&
      'maxLength',
    types.includes('integer') && limit.minimum === undefined && 'minimum',
    types.includes('integer') && limit.maximum === undefined && 'maximum',
    types.includes('array') && limit.maxItems === undefined && 'maxItems',
    others && limit.maxProperties === undefined && 'maxProperties',
  ].filter((each) => typeof each === 'string');
  return [
    ...lacks.map((keyword) => `${path || '/'} has no ${keyword}`),
    ...Object.entries(properties).flatMap(([name, each]) => unboundedPlaces(each, `${path}/${name}`)),
    ...(items ? unboundedPlaces(items, `${path}/[]`) : []),
    ...(others ? unboundedPlaces(others, `${path}/*`) : []),
    ...anyOf.flatMap((each) => unboundedPlaces(each, path)),
  ];
}
