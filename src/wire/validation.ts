import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Settings } from 'typebox/system';
import { Problems } from '../lib/errors.ts';
import { findOversized, findUnknown, type PlainSchema, unboundedPlaces } from './bounds.ts';

/** A value that may be of several kinds has a problem for each. The usual eight would not name ten fields. */
Settings.Set({ maxErrors: 100 });

interface SchemaProblem {
  keyword: string;
  schemaPath: string;
  instancePath: string;
  params: Record<string, unknown>;
  message: string;
}

/** Validates a part of a request against its schema, and reports problems by field. */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const unbounded = unboundedPlaces(schema);
  if (unbounded.length > 0) throw new Error(`a ${httpPart} is not limited: ${unbounded.join(', ')}`);
  let validator: ReturnType<typeof Compile> | undefined;
  const integers = httpPart === 'querystring' ? integerFields(schema) : [];
  return (input: Record<string, unknown>) => {
    validator ??= Compile(schema); // On the first request: most servers never use most of the routes.
    for (const field of integers) readInteger(input, field);
    const problems = new Problems();
    // Paths and headers are short, and what is too long to be an id is one that does not exist.
    if (httpPart === 'body' || httpPart === 'querystring') findOversized(schema, input, problems, showPath);
    if (problems.any) return { error: problems.toError() };
    if (validator.Check(input)) return { value: input };
    if (httpPart === 'querystring') findRepeated(schema, input, problems);
    if (problems.any) return { error: problems.toError() };
    for (const at of findUnknown(schema, input)) problems.add(showPath(at), 'unknown field');
    if (problems.isFull) return { error: problems.toError() };
    for (const problem of onlyOnce(validator.Errors(input) as SchemaProblem[])) {
      tell(problem, problems);
      if (problems.isFull) break;
    }
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

/** A parameter that is there more than once is read as a list. */
function findRepeated(schema: PlainSchema, query: Record<string, unknown>, problems: Problems): void {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const takesLists = [field, ...(field.anyOf ?? [])].some(({ type }) => type === 'array');
    if (Array.isArray(query[name]) && !takesLists) problems.add(name, 'is given more than once');
  }
}

function onlyOnce(problems: SchemaProblem[]): SchemaProblem[] {
  // Both are about unknown fields, which are told already.
  return ofOneBranch(problems.filter(({ keyword }) => keyword !== 'boolean')).filter(
    ({ keyword }) => keyword !== 'additionalProperties',
  );
}

/**
 * Where a value may be one kind of thing or another, each reports what is wrong with it. Only what is wrong with the
 * kind that was sent is worth saying, or else which kinds there are.
 */
function ofOneBranch(problems: SchemaProblem[]): SchemaProblem[] {
  const ofOtherKinds = problems.filter(
    ({ keyword, schemaPath }) => keyword === 'type' && /\/anyOf\/\d+$/.test(schemaPath),
  );
  const said = problems.filter((problem) => problem.keyword !== 'anyOf' && !ofOtherKinds.includes(problem));
  const choices = Map.groupBy(
    ofOtherKinds,
    ({ schemaPath, instancePath }) => `${instancePath} ${schemaPath.replace(/\d+$/, '')}`,
  );
  for (const kinds of choices.values()) {
    const [first] = kinds as [SchemaProblem];
    const choice = first.schemaPath.replace(/\d+$/, '');
    if (!said.some((problem) => isIn(problem, choice, first.instancePath)))
      said.push({ ...first, params: { type: kinds.flatMap(({ params }) => params.type) } });
  }
  return said;
}

function isIn(problem: SchemaProblem, schemaPath: string, instancePath: string): boolean {
  return (
    problem.schemaPath.startsWith(schemaPath) && `${problem.instancePath}/`.startsWith(`${instancePath}/`)
  );
}

function tell({ keyword, instancePath, params, message }: SchemaProblem, problems: Problems): void {
  const at = showPath(instancePath);
  const inside = (name: string) => (at === '' ? name : `${at}.${name}`);
  switch (keyword) {
    case 'required':
      for (const name of params.requiredProperties as string[]) problems.add(inside(name), 'is required');
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

function showPath(instancePath: string): string {
  return instancePath
    .replace(/\/([0-9]+)(?=\/|$)/g, '[$1]')
    .replace(/\//g, '.')
    .replace(/^\./, '');
}
