import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Problems } from '../../lib/errors.ts';

interface SchemaProblem {
  keyword: string;
  instancePath: string;
  params: Record<string, unknown>;
  message: string;
}

/** Validates a part of a request against its schema, and reports problems by field. */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  let validator: ReturnType<typeof Compile> | undefined;
  const integers = httpPart === 'querystring' ? integerFields(schema) : [];
  return (input: Record<string, unknown>) => {
    validator ??= Compile(schema); // On the first request: most servers never use most of the routes.
    for (const field of integers) readInteger(input, field);
    if (validator.Check(input)) return { value: input };
    const problems = new Problems();
    for (const problem of validator.Errors(input) as SchemaProblem[]) tell(problem, problems);
    return { error: problems.toError() };
  };
};

function integerFields(schema: TSchema): string[] {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  return Object.keys(properties).filter((name) => properties[name]?.type === 'integer');
}

/** A query string contains only text. What looks like an integer is converted; the schema checks the rest. */
function readInteger(query: Record<string, unknown>, field: string): void {
  const text = query[field];
  if (typeof text === 'string' && /^-?[0-9]{1,15}$/.test(text)) query[field] = Number(text);
}

function tell({ keyword, instancePath, params, message }: SchemaProblem, problems: Problems): void {
  const at = instancePath
    .replace(/\/([0-9]+)(?=\/|$)/g, '[$1]')
    .replace(/\//g, '.')
    .replace(/^\./, '');
  const inside = (name: string) => (at === '' ? name : `${at}.${name}`);
  switch (keyword) {
    case 'required':
      for (const name of params.requiredProperties as string[]) problems.add(inside(name), 'is required');
      return;
    case 'additionalProperties':
      for (const name of params.additionalProperties as string[]) {
        problems.add(inside(name.slice(0, 64)), 'unknown field');
      }
      return;
    case 'boolean': // Says again what `additionalProperties` says.
      return;
    case 'enum':
      problems.add(at, `must be one of ${(params.allowedValues as string[]).join(', ')}`);
      return;
    case 'type':
      problems.add(
        at === '' ? 'body' : at,
        `must be ${/^[aio]/.test(String(params.type)) ? 'an' : 'a'} ${[params.type].flat().join(' or ')}`,
      );
      return;
    default:
      problems.add(at, message);
  }
}
