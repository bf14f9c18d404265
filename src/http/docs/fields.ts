import type { Schema } from './document.ts';

/** A property of an object or a parameter, as a row of a table. */
export interface Field {
  /** With the way to it: `entries[].email`. */
  name: string;
  type: string;
  /** The object that `type` names. */
  object: string | undefined;
  required: boolean;
  description: string;
  limits: string[];
}

/** One row for each property, those of nested objects behind their parent; shared objects are named, not unfolded. */
export function fieldsOf(schema: Schema, prefix = ''): Field[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([key, property]) => {
    const name = prefix + key;
    const nested = property.items ? fieldsOf(property.items, `${name}[].`) : fieldsOf(property, `${name}.`);
    return [fieldOf(name, property, required.includes(key)), ...nested];
  });
}

export function fieldOf(name: string, schema: Schema, required: boolean): Field {
  const object = objectName(schema.items ?? schema);
  return {
    name,
    type: typeOf(schema),
    object,
    required,
    description: schema.description ?? '',
    limits: limitsOf(schema),
  };
}

export function objectName({ $ref }: Schema): string | undefined {
  return $ref?.split('/').at(-1);
}

function typeOf(schema: Schema): string {
  const name = objectName(schema);
  if (name) return name;
  if (schema.oneOf) return schema.oneOf.map(typeOf).join(' or ');
  if (schema.items) return `array of ${typeOf(schema.items)}${schema.items.$ref ? '' : 's'}`;
  const types = [schema.type ?? 'any']
    .flat()
    .map((type) => (schema.format && type !== 'null' ? 'time' : type));
  return types.join(' or ');
}

function limitsOf(schema: Schema): string[] {
  const { description = '', enum: values, default: standard, minimum, maximum, minItems, maxItems } = schema;
  const limits: string[] = [];
  const untold = values?.some((value) => !description.includes(`\`${value}\``));
  if (values && untold) limits.push(`One of ${values.map((value) => `\`${value}\``).join(', ')}.`);
  if (minimum !== undefined && maximum !== undefined) limits.push(`From ${minimum} to ${maximum}.`);
  if (minItems !== undefined && maxItems !== undefined) limits.push(`${minItems} to ${maxItems} elements.`);
  if (standard !== undefined) limits.push(`Default \`${standard}\`.`);
  return limits;
}
