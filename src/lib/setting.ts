import { Problems } from './errors.ts';

/**
 * Limits that the domain checks with its own messages. They are documented, but not validated by the schema.
 */
export const limits = (keywords: object) => ({ 'x-limits': keywords });

/** Names a schema in the OpenAPI document, where it becomes a shared component. */
export const named = (name: string) => ({ 'x-name': name });

/** What is wrong with a setting, and where in it, such as `.text`. */
type Tell = (problem: string, place?: string) => void;

/** A setting, said once: its type, its check, its schema, its default and where it is kept follow from this. */
export interface Setting<Value> {
  default: Value;
  /** What it is, in the words of JSON Schema. */
  schema: { type: string | readonly string[]; description: string; [keyword: string]: unknown };
  check?(value: Value, tell: Tell): void;
}

/** A setting with a column of its own. */
export interface ColumnSetting<Value, Column extends string = string, Stored = unknown>
  extends Setting<Value> {
  column: Column;
  write(value: Value): Stored;
  /** Undefined if it is damaged: then the default applies, and all else still works. */
  read(stored: Stored): Value | undefined;
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;
export type ColumnSettings = Readonly<Record<string, ColumnSetting<unknown>>>;
export type ValueOf<One> = One extends Setting<infer Value> ? Value : never;
export type ValuesOf<All extends Settings> = { -readonly [Name in keyof All]: ValueOf<All[Name]> };

/** For the compiler, which would not infer the type of the value from its uses. */
export function setting<Value>(one: Setting<Value>): Setting<Value> {
  return one;
}

/** What is left out is as by default. */
export function withDefaults<All extends Settings>(
  settings: All,
  given?: Readonly<Partial<ValuesOf<All>>>,
): ValuesOf<All> {
  const values = Object.entries(settings).map(([name, one]) => {
    const value = given?.[name];
    return [name, value === undefined ? one.default : value];
  });
  return Object.fromEntries(values) as ValuesOf<All>;
}

/** Only the settings of something that has more. */
export function valuesOf<All extends Settings, Of extends object>(
  settings: All,
  of: Of,
): Pick<Of, keyof Of & keyof All> {
  const names = Object.keys(settings) as (keyof Of & keyof All)[];
  const given = names.filter((name) => of[name] !== undefined).map((name) => [name, of[name]]);
  return Object.fromEntries(given) as Pick<Of, keyof Of & keyof All>;
}

/** Throws all that is wrong with what is given. */
export function checkSettings<All extends Settings>(
  settings: All,
  given: Readonly<Partial<ValuesOf<All>>>,
  problems = new Problems(),
): void {
  for (const [name, one] of Object.entries(settings)) {
    const value = given[name];
    if (value !== undefined) one.check?.(value, (problem, place = '') => problems.add(name + place, problem));
  }
  problems.throwIfAny();
}

/** What is stored of all settings, by column. */
export type RowOf<All extends ColumnSettings> = {
  [Name in keyof All as All[Name]['column']]: ReturnType<All[Name]['write']>;
};
type RowWith<All extends ColumnSettings> = Readonly<Record<All[keyof All]['column'], unknown>>;

export function columnsOf<All extends ColumnSettings>(settings: All): All[keyof All]['column'][] {
  return Object.values(settings).map(({ column }) => column);
}

/** What is stored for what is given. */
export function rowOf<All extends ColumnSettings>(settings: All, values: ValuesOf<All>): RowOf<All>;
export function rowOf<All extends ColumnSettings>(
  settings: All,
  given: Readonly<Partial<ValuesOf<All>>>,
): Partial<RowOf<All>>;
export function rowOf(settings: ColumnSettings, given: Readonly<Record<string, unknown>>): object {
  const stored = Object.entries(settings)
    .filter(([name]) => given[name] !== undefined)
    .map(([name, { column, write }]) => [column, write(given[name])]);
  return Object.fromEntries(stored);
}

export function readRow<All extends ColumnSettings>(settings: All, row: RowWith<All>): ValuesOf<All> {
  const values = Object.entries(settings).map(([name, one]) => [name, readColumn(one, row)]);
  return Object.fromEntries(values) as ValuesOf<All>;
}

export function readColumn<Value, Column extends string>(
  one: ColumnSetting<Value, Column>,
  row: Readonly<Record<Column, unknown>>,
): Value {
  const value = one.read(row[one.column]);
  return value === undefined ? one.default : value;
}
