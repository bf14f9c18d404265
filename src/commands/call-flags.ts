import type { TSchema } from 'typebox';
import { type Flag, type Flags, parseDuration, UsageProblem } from './command.ts';

interface PlainSchema {
  type?: string | readonly string[];
  enum?: readonly unknown[];
  description?: string;
  properties?: Readonly<Record<string, PlainSchema>>;
  required?: readonly string[];
}

/** One flag for each property: `--keep-open 200`, `--invite-reminder 7d`, `--paused on`, `--from none`. */
export function flagsFor(schema: TSchema | undefined): Record<string, Flag> {
  const { properties = {}, required = [] } = (schema ?? {}) as PlainSchema;
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      flagOf(name),
      {
        value: valueName(name, property),
        about: property.description ?? '',
        field: name,
        ...(required.includes(name) ? { required: true } : {}),
      },
    ]),
  );
}

/** The properties that were given, as the schema wants them. */
export function inputOf(schema: TSchema | undefined, flags: Flags): Record<string, unknown> {
  const { properties = {} } = (schema ?? {}) as PlainSchema;
  const given = Object.entries(properties).flatMap(([name, property]) => {
    const text = flags[flagOf(name)];
    return typeof text === 'string' ? [[name, readValue(text, name, property)] as const] : [];
  });
  return Object.fromEntries(given);
}

function readValue(text: string, name: string, property: PlainSchema): unknown {
  const flag = flagOf(name);
  const types = typesOf(property);
  if (text === 'none' && types.includes('null')) return null;
  if (isDuration(name, types)) return parseDuration(text, flag);
  if (types.includes('boolean')) return readSwitch(text, flag);
  if (types.includes('string')) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageProblem(`--${flag}: must be ${isNumber(types) ? 'a number' : 'JSON'}`);
  }
}

function readSwitch(text: string, flag: string): boolean {
  if (text === 'on' || text === 'true') return true;
  if (text === 'off' || text === 'false') return false;
  throw new UsageProblem(`--${flag}: must be on or off`);
}

function valueName(name: string, property: PlainSchema): string {
  const types = typesOf(property);
  const orNone = types.includes('null') ? '|none' : '';
  if (isDuration(name, types)) return `DURATION${orNone}`;
  if (types.includes('boolean')) return 'on|off';
  if (property.enum) return property.enum.map((value) => value ?? 'none').join('|');
  if (types.includes('string')) return `TEXT${orNone}`;
  return (isNumber(types) ? 'NUMBER' : 'JSON') + orNone;
}

function isDuration(name: string, types: readonly string[]): boolean {
  return name.endsWith('Ms') && types.includes('integer');
}

function isNumber(types: readonly string[]): boolean {
  return types.includes('integer') || types.includes('number');
}

function typesOf({ type = [] }: PlainSchema): readonly string[] {
  return typeof type === 'string' ? [type] : type;
}

/** `inviteReminderMs` is `--invite-reminder`, because it is given as a duration. */
function flagOf(name: string): string {
  return name.replace(/Ms$/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
