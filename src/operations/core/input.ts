import { compileValidator } from '../../wire/validation.ts';
import type { Operation } from './operation.ts';
import type { Input } from './perform.ts';
import { paramsOf, queryOf } from './scope.ts';

/** What the routes check before they perform an operation, for callers without HTTP. */
export function checkInput(operation: Operation, { params, query, body }: Input): void {
  const check = (schema: object, httpPart: string, value: unknown) => {
    const { error } = compileValidator({ schema, httpPart } as never)(value) as { error?: Error };
    if (error) throw error;
  };
  check(paramsOf(operation), 'params', params);
  check(queryOf(operation), 'querystring', query);
  if (operation.body) check(operation.body, 'body', body);
}
