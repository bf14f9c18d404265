import type { Document, Schema } from './document.ts';

/** A property or a parameter, as a row of a table. */
export interface Field {
  /** With its path: `entries[].email`. */
  name: string;
  type: TypeText[];
  required: boolean;
  description: string;
  /** Its possible values, unless the description lists them. */
  values: string | undefined;
  limits: string[];
}

/** Text, and names of objects that link to their section. */
export type TypeText = string | { object: string; href: string };

/** The named schemas of a document, and the sections of those that have one. */
export interface Schemas {
  named: Record<string, Schema>;
  places: Map<string, string>;
}

/**
 * One row per property, with nested properties after their parent. An object with its own section is only
 * named.
 */
export function fieldsOf(schemas: Schemas, schema: Schema, prefix = ''): Field[] {
  const { properties = {}, required = [] } = merged(schemas, schema);
  return Object.entries(properties).flatMap(([key, property]) => {
    const name = prefix + key;
    const inside = property.items ?? property;
    const nested = schemas.places.has(nameOf(inside) ?? '')
      ? []
      : fieldsOf(schemas, inside, property.items ? `${name}[].` : `${name}.`);
    return [fieldOf(schemas, name, property, required.includes(key)), ...nested];
  });
}

export function fieldOf(schemas: Schemas, name: string, schema: Schema, required: boolean): Field {
  const resolved = resolve(schemas, schema);
  return {
    name,
    type: typeOf(schemas, schema),
    required,
    description: resolved.description ?? '',
    values: valuesOf(resolved),
    limits: limitsOf(resolved),
  };
}

export function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.split('/').at(-1);
}

/** Resolves a reference. Keywords next to the reference take precedence. */
export function resolve({ named }: Schemas, schema: Schema): Schema {
  const { $ref: _, ...rest } = schema;
  return { ...named[nameOf(schema) ?? ''], ...rest };
}

/** The alternatives of a schema that a constant tells apart, such as `valid`. */
export function alternativesOf(schemas: Schemas, schema: Schema): Schema[] {
  return resolve(schemas, schema).oneOf ?? [];
}

/** An object with every property of its alternatives. A property is required if all of them require it. */
function merged(schemas: Schemas, schema: Schema): Schema {
  const resolved = resolve(schemas, schema);
  const name = nameOf(schema);
  if (!resolved.anyOf || name === undefined) return resolved;
  const objects = resolved.anyOf.map((alternative) => resolve(schemas, alternative));
  return {
    properties: Object.assign({}, ...objects.map(({ properties }) => properties)),
    required: objects
      .map(({ required = [] }) => required)
      .reduce((all, each) => all.filter((key) => each.includes(key))),
  };
}

function typeOf(schemas: Schemas, schema: Schema): TypeText[] {
  const name = nameOf(schema);
  const resolved = resolve(schemas, schema);
  if (name && (resolved.properties || resolved.anyOf || resolved.oneOf)) {
    const href = schemas.places.get(name);
    return [href === undefined ? name : { object: name, href }];
  }
  const choice = resolved.oneOf ?? resolved.anyOf;
  if (choice) return choice.flatMap((each, i) => [...(i > 0 ? [' or '] : []), ...typeOf(schemas, each)]);
  if (resolved.items) {
    return ['array of ', ...typeOf(schemas, resolved.items), ...(resolved.items.$ref ? [] : ['s'])];
  }
  if (typeof resolved.const === 'boolean') return [String(resolved.const)];
  const types = [resolved.type ?? 'any'].flat();
  return [
    types
      .map((type) => (resolved.format === 'date-time' && type !== 'null' ? 'timestamp' : type))
      .join(' or '),
  ];
}

function valuesOf({ description = '', enum: values = [], const: constant }: Schema): string | undefined {
  const isTold = values.every((value) => description.includes(`\`${value}\``));
  if (constant !== undefined || isTold) return undefined;
  return `One of ${values.map((value) => `\`${value}\``).join(', ')}.`;
}

/** Longer texts are limited in bytes, and their descriptions say so. */
const LONG_TEXT = 10_000;

function limitsOf(schema: Schema): string[] {
  const { minimum, maximum, minItems, maxItems, minLength, maxLength, default: standard } = schema;
  const limits: string[] = [];
  if (minimum !== undefined && maximum !== undefined) limits.push(`From ${minimum} to ${maximum}.`);
  if (maxItems !== undefined) limits.push(`${minItems ?? 0} to ${maxItems} items.`);
  if (maxLength !== undefined && maxLength < LONG_TEXT) {
    limits.push(`${minLength === undefined ? 'Up' : minLength} to ${maxLength} characters.`);
  }
  if (standard !== undefined) limits.push(`Defaults to \`${standard}\`.`);
  return limits;
}

/** Which named schemas have their own section on the page. The others are shown where they are used. */
export function placesOf(document: Document): Record<'objects' | 'events', Map<string, string>> {
  const names = Object.keys(document.components.schemas).filter((name) => isShared(document, name));
  return {
    objects: new Map(names.map((name) => [name, `#object-${name}`])),
    events: new Map(
      Object.keys(document.components.schemas)
        .filter((name) => document.components.schemas[name]?.discriminator)
        .map((name) => [name, '#section-events']),
    ),
  };
}

/** An object that several others contain, or that describes errors. */
function isShared({ components, paths }: Document, name: string): boolean {
  if (!components.schemas[name]?.properties) return false;
  const holders = Object.values(components.schemas).filter((schema) => holds(schema, name));
  const errors = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ responses }) => Object.entries(responses))
    .filter(([status]) => !status.startsWith('2'))
    .flatMap(([, { content }]) => Object.values(content));
  return holders.length > 1 || errors.some(({ schema }) => nameOf(schema) === name);
}

function holds({ properties = {} }: Schema, name: string): boolean {
  return Object.values(properties).some((property) =>
    [property, property.items ?? {}, ...(property.oneOf ?? [])].some(
      (each) => nameOf(each) === name || holds(each, name),
    ),
  );
}
