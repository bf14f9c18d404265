import { Problems } from './errors.ts';

/** A setting, said once: its type, its check, its schema and its default follow from this. */
export interface Setting<Value> {
  default: Value;
  /** What it is, in the words of JSON Schema. */
  schema: { type: string | readonly string[]; description: string; enum?: readonly unknown[] };
  /** Bounds in the words of JSON Schema, which `problem` checks in words of its own. */
  bounds?: object;
  /** What is wrong with a value, to be read after the name of the setting. */
  problem(value: Value): string | false;
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;
export type ValueOf<One> = One extends Setting<infer Value> ? Value : never;
export type ValuesOf<All extends Settings> = { -readonly [Name in keyof All]: ValueOf<All[Name]> };

/** For the compiler, which would not infer the type of the value from its uses. */
export function setting<Value>(one: Setting<Value>): Setting<Value> {
  return one;
}

export function defaultsOf<All extends Settings>(settings: All): ValuesOf<All> {
  const defaults = Object.entries(settings).map(([name, one]) => [name, one.default]);
  return Object.fromEntries(defaults) as ValuesOf<All>;
}

/** Throws all that is wrong with the values. */
export function checkSettings<All extends Settings>(settings: All, values: ValuesOf<All>): void {
  const problems = new Problems();
  for (const [name, one] of Object.entries(settings)) {
    const problem = one.problem(values[name]);
    if (problem !== false) problems.add(name, problem);
  }
  problems.throwIfAny();
}
