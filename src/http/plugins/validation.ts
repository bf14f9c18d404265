import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Problems } from '../../lib/errors.ts';

interface SchemaProblem {
  keyword: string;
  schemaPath: string;
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
    for (const problem of onlyOnce(validator.Errors(input) as SchemaProblem[])) tell(problem, problems);
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

function onlyOnce(problems: SchemaProblem[]): SchemaProblem[] {
  // `boolean` says again what `additionalProperties: false` says, which says again what other schemas there say.
  const told = problems.filter(({ keyword }) => keyword !== 'boolean');
  const isRepeated = (problem: SchemaProblem) =>
    problem.keyword === 'additionalProperties' && told.some((other) => isBelow(other, problem));
  return ofOneBranch(told.filter((problem) => !isRepeated(problem)));
}

/**
 * Where a value may be one thing or another, all of them report what is wrong with it. Only what is wrong with the
 * kind of thing that was sent is worth saying, or else which kinds there are.
 */
function ofOneBranch(problems: SchemaProblem[]): SchemaProblem[] {
  const unions = problems.filter(({ keyword }) => keyword === 'anyOf');
  return unions.reduce((all, union) => {
    const inside = all.filter((problem) => isBelow(problem, union));
    const branches = Map.groupBy(
      inside,
      ({ schemaPath }) => schemaPath.slice(union.schemaPath.length).split('/')[2],
    );
    const isOfOtherKind = (problem: SchemaProblem) =>
      problem.keyword === 'type' && problem.instancePath === union.instancePath;
    const sent = [...branches.values()].find((branch) => !branch.some(isOfOtherKind));
    const kinds = inside.filter(isOfOtherKind).flatMap(({ params }) => params.type);
    const said = sent ?? [{ ...union, keyword: 'type', params: { type: kinds } }];
    return [...all.filter((problem) => problem !== union && !inside.includes(problem)), ...said];
  }, problems);
}

/** A part of the schema reports what another part below it has reported in more detail. */
function isBelow(problem: SchemaProblem, { keyword, schemaPath, instancePath }: SchemaProblem): boolean {
  return (
    problem.schemaPath.startsWith(`${schemaPath}/${keyword}`) &&
    `${problem.instancePath}/`.startsWith(`${instancePath}/`)
  );
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
