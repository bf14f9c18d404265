import { readFileSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { invalid } from '../lib/errors.ts';
import { OPERATIONS } from '../operations/all.ts';
import { checkInput, queryOf } from '../operations/core/input.ts';
import { openOperationParts } from '../operations/core/open-parts.ts';
import type { Operation } from '../operations/core/operation.ts';
import { perform } from '../operations/core/perform.ts';
import { COMMAND_LINE } from '../operators/roles.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { parseStrictJson } from '../wire/parse-json.ts';
import { flagsFor, inputOf } from './call-flags.ts';
import { type Command, type Flag, type Flags, type Outcome, table, textOr } from './command.ts';
import { QUEUE_FLAGS } from './queue.ts';

/** `call updateWave WAVE_ID --waitlist wl_acme --paused on`: operations that have no command of their own, too. */
export const calls: Command[] = [
  {
    name: 'operations',
    about: 'List every operation of the admin API, with the role that it requires and its command.',
    raw: async () => {
      const list = OPERATIONS.map(({ id, role, at }) => ({ id, role, at, command: `call ${id}` }));
      const rows = list.map(({ id, role, at, command }) => [id, role, at, command]);
      return { json: list, text: table(['OPERATION', 'ROLE', 'AT', 'COMMAND'], rows) };
    },
  },
  ...OPERATIONS.map(callOf),
];

function callOf(operation: Operation): Command {
  const { id, summary, params, scope, body } = operation;
  const { waitlist, env } = QUEUE_FLAGS;
  return {
    name: `call ${id}`,
    about: `${summary}.`,
    operands: Object.keys(params).map(operandOf),
    flags: {
      ...(scope !== 'installation' && waitlist ? { waitlist } : {}),
      ...(scope === 'queue' && env ? { env } : {}),
      ...flagsFor(operation.query),
      ...(body
        ? {
            ...withoutRequired(flagsFor(body)),
            input: { value: 'FILE', about: 'File with the whole input as JSON, or - for standard input.' },
          }
        : {}),
    },
    run: (context, operands, flags, config) => callIt(operation, context, operands, flags, config),
  };
}

async function callIt(
  operation: Operation,
  context: Context,
  operands: readonly string[],
  flags: Flags,
  config: Config,
): Promise<Outcome> {
  const waitlistId = textOr(flags, 'waitlist', undefined);
  const environment = textOr(flags, 'env', undefined);
  const input = {
    params: {
      ...(waitlistId === undefined ? {} : { waitlistId }),
      ...Object.fromEntries(Object.keys(operation.params).map((name, at) => [name, operands[at] ?? ''])),
    },
    query: { ...(environment === undefined ? {} : { environment }), ...inputOf(queryOf(operation), flags) },
    body: operation.body ? { ...readInput(flags), ...inputOf(operation.body, flags) } : undefined,
  };
  checkInput(operation, input);
  const { value } = await perform(operation, await openOperationParts(context, config), COMMAND_LINE, input);
  return { json: value, text: JSON.stringify(value, null, 2) };
}

/** What is secret belongs here: other users of the machine can see the arguments of a command. */
function readInput(flags: Flags): object {
  const file = textOr(flags, 'input', undefined);
  if (file === undefined) return {};
  const input = parseStrictJson(readFileSync(file === '-' ? 0 : file));
  if (typeof input !== 'object' || input === null) throw invalid('input: must be a JSON object');
  return input;
}

/** They can be in the file of `--input`. */
function withoutRequired(flags: Record<string, Flag>): Record<string, Flag> {
  return Object.fromEntries(Object.entries(flags).map(([name, { required: _, ...flag }]) => [name, flag]));
}

function operandOf(parameter: string): string {
  return parameter.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
