import { readFileSync } from 'node:fs';
import { type Flag, type Flags, parseDuration, UsageProblem } from './command.ts';

/** A field of what an operation takes, as its schema says. */
export interface FieldSchema {
  type?: string | readonly string[];
  enum?: readonly unknown[];
  anyOf?: readonly FieldSchema[];
  description?: string;
  minimum?: number;
  maximum?: number;
  'x-limits'?: { minimum?: number; maximum?: number };
  'x-secret'?: true;
}

/** How a field is given, where it is not as its schema says. */
export interface FieldWords extends Partial<Flag> {
  /** The name of its flag. */
  flag?: string;
  /** Its flag takes no value, and means this. */
  alone?: unknown;
  read?(text: string, flag: string): unknown;
}

type Kind = 'text' | 'texts' | 'secret' | 'choice' | 'switch' | 'duration' | 'whole' | 'number' | 'json';

/** `--keep-open 200`, `--invite-reminder 7d`, `--paused on`, `--from none`, `--secret-file FILE`. */
export function flagFor(
  name: string,
  schema: FieldSchema,
  words: FieldWords = {},
): readonly [name: string, flag: Flag] {
  const { flag = flagOf(name, schema), alone, read: _, ...said } = words;
  const value = alone === undefined ? { value: valueName(name, schema) } : {};
  const repeated = kindOf(name, schema) === 'texts' ? { repeated: true } : {};
  const about = (schema.description ?? '').replaceAll('`null`', 'none').replaceAll('`', '');
  return [flag, { ...value, about, field: name, ...repeated, ...said }];
}

/** What the flags say about a field, as its schema wants it. */
export function readField(
  name: string,
  schema: FieldSchema,
  flags: Flags,
  { flag = flagOf(name, schema), alone, read }: FieldWords = {},
): unknown {
  const given = flags[flag];
  if (given === undefined || given === false) return undefined;
  if (given === true) return alone;
  if (typeof given !== 'string') return given;
  return read ? read(given, flag) : readText(given, name, schema, flag);
}

/** Whether it is given as JSON, which only its schema can check. */
export function isJson(name: string, schema: FieldSchema, { read }: FieldWords = {}): boolean {
  return read === undefined && kindOf(name, schema) === 'json';
}

export function readFileOrInput(file: string, flag: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new UsageProblem(`--${flag}: cannot read ${file} (${(error as NodeJS.ErrnoException).code})`);
  }
}

function readText(text: string, name: string, schema: FieldSchema, flag: string): unknown {
  if (text === 'none' && typesOf(schema).includes('null')) return null;
  switch (kindOf(name, schema)) {
    case 'duration':
      return parseDuration(text, flag);
    case 'switch':
      return readSwitch(text, flag);
    case 'choice':
      return readChoice(text, schema, flag);
    case 'whole':
    case 'number':
      return readNumber(text, name, schema, flag);
    case 'json':
      return readJson(text, flag);
    case 'secret':
      return readFileOrInput(text, flag);
    default:
      return text;
  }
}

function readSwitch(text: string, flag: string): boolean {
  if (text === 'on' || text === 'true') return true;
  if (text === 'off' || text === 'false') return false;
  throw new UsageProblem(`--${flag}: must be on or off`);
}

function readChoice(text: string, schema: FieldSchema, flag: string): string {
  if (schema.enum?.includes(text)) return text;
  throw new UsageProblem(`--${flag}: must be one of ${choicesOf(schema).join(', ')}`);
}

function readNumber(text: string, name: string, schema: FieldSchema, flag: string): number {
  const value = Number(text);
  const isWhole = kindOf(name, schema) === 'whole';
  const { minimum, maximum } = { ...schema, ...schema['x-limits'] };
  const isWithin = value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity);
  if (isWithin && (isWhole ? /^-?[0-9]{1,15}$/ : /^-?[0-9.]{1,15}$/).test(text)) return value;
  const range = minimum === undefined || maximum === undefined ? '' : ` from ${minimum} to ${maximum}`;
  throw new UsageProblem(`--${flag}: must be a ${isWhole ? 'whole ' : ''}number${range}`);
}

function readJson(text: string, flag: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageProblem(`--${flag}: must be JSON`);
  }
}

function valueName(name: string, schema: FieldSchema): string {
  const orNone = typesOf(schema).includes('null') ? '|none' : '';
  const kind = kindOf(name, schema);
  if (kind === 'choice') return choicesOf(schema).join('|');
  if (kind === 'switch') return `on|off${orNone}`;
  const names = { text: 'TEXT', texts: 'TEXT', secret: 'FILE', duration: 'DURATION', json: 'JSON' };
  return (kind === 'whole' || kind === 'number' ? 'NUMBER' : names[kind]) + orNone;
}

function choicesOf({ enum: values = [] }: FieldSchema): string[] {
  return values.map((value) => String(value ?? 'none'));
}

function kindOf(name: string, schema: FieldSchema): Kind {
  const types = typesOf(schema);
  if (schema['x-secret']) return 'secret';
  if (types.includes('boolean')) return 'switch';
  if (types.includes('string')) return schema.enum ? 'choice' : types.includes('array') ? 'texts' : 'text';
  if (types.includes('integer')) return name.endsWith('Ms') ? 'duration' : 'whole';
  return types.includes('number') ? 'number' : 'json';
}

function typesOf({ type = [], anyOf = [] }: FieldSchema): readonly string[] {
  return [type, ...anyOf.map(typesOf)].flat();
}

/** `inviteReminderMs` is `--invite-reminder`, because it is given as a duration. */
function flagOf(name: string, schema: FieldSchema): string {
  const words = name.replace(/Ms$/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return schema['x-secret'] ? `${words}-file` : words;
}
