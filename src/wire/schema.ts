import Type, { type Static, type TSchema } from 'typebox';
import { EMAIL_MAX_CHARACTERS } from '../lib/email.ts';
import { limits, named } from '../lib/setting.ts';
import { METADATA_BYTES_MAX, METADATA_KEY_CHARACTERS_MAX } from '../waitlist/people/person.ts';

export { limits, named };

/** Describes a named schema in this place. Its own description stays as it is. */
export function described<T extends TSchema>(schema: T, description: string): T {
  return { ...schema, description, 'x-description': (schema as { description?: string }).description };
}

/** Nobody should see it: the command line takes it from a file. */
export const SECRET = { 'x-secret': true } as const;

/** Named examples of a body or a parameter. */
export const withExamples = (examples: Record<string, { summary: string; value: unknown }>) => ({
  'x-examples': examples,
});

/** A body in the words of a provider, which `shape` chooses. */
export interface ProviderBody {
  schema: TSchema;
  summary: string;
  value: unknown;
}

/** In the document, what a provider sends or gets instead. Only the first schema is validated. */
export const orOf = (name: string, description: string, bodies: Record<string, ProviderBody>) => ({
  'x-others': { name, description, bodies },
});

export const oneOf = <T extends string>(values: readonly T[], options: object = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], ...options });

/** Both keywords, because some client generators only support `const` and some only `enum`. */
export const constant = <T extends string | boolean>(value: T, description: string) =>
  Type.Literal(value, { enum: [value], description });

/** Objects that a constant tells apart. */
export const exactlyOne = <T extends TSchema[]>(alternatives: [...T], options: object) =>
  Type.Unsafe<Static<T[number]>>({ oneOf: alternatives, ...options });

export const nullable = <T>(type: 'string' | 'boolean' | 'integer' | 'number' | 'object', options: object) =>
  Type.Unsafe<T | null>({ type: [type, 'null'], ...options });

export const arrayOrNull = <T extends TSchema>(
  items: T,
  options: { description: string; maxItems?: number },
) => Type.Unsafe<Static<T>[] | null>({ type: ['array', 'null'], items, ...options });

export const time = (description: string) => Type.String({ format: 'date-time', description });
export const timeOrNull = (description: string) =>
  nullable<string>('string', { format: 'date-time', description });

/** Addresses can have letters of any alphabet, which the format `email` does not allow. */
export const EMAIL = { format: 'idn-email', maxLength: EMAIL_MAX_CHARACTERS };
export const idPattern = (prefix: string) => ({
  pattern: `^${prefix}_[0-9a-z]{26}$`,
  maxLength: prefix.length + 27,
});

/** For what a request names something by: an id, a name of ours, a time, a time zone. */
export const WORD = limits({ maxLength: 64 });
/** For an email, a phone number, a code or an id, whichever it is. */
export const IDENTIFIER = limits({ maxLength: EMAIL_MAX_CHARACTERS });
export const METADATA_KEY = limits({ maxLength: METADATA_KEY_CHARACTERS_MAX });
/** In a link that we sign. */
export const LINK_TOKEN = limits({ maxLength: 1_000 });
/** `key=value` of metadata. */
export const PAIR = limits({ maxLength: METADATA_BYTES_MAX });
export const CURSOR_LENGTH = limits({ maxLength: 2_048 });
/** More people than a waitlist can have. */
export const COUNT_MAX = 999_999_999;
export const URL_CHARACTERS_MAX = 2_048;
