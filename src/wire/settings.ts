import Type, { type TUnsafe } from 'typebox';
import type { Settings, ValueOf } from '../lib/setting.ts';

/** The schemas of settings, for what changes and what shows them. */
export function settingSchemas<All extends Settings>(settings: All) {
  const schemas = Object.entries(settings).map(([name, { schema }]) => [name, Type.Unsafe(schema)]);
  return Object.fromEntries(schemas) as { [Name in keyof All]: TUnsafe<ValueOf<All[Name]>> };
}
