import { invalid } from '../lib/errors.ts';
import { OPERATIONS } from '../operations/all.ts';
import { methodOf, type Operation } from '../operations/core/operation.ts';
import { parseStrictJson } from '../wire/parse-json.ts';
import { type Command, type Flags, type Outcome, table, textOr } from './command.ts';
import { commandOf } from './command-of.ts';
import { readFileOrInput } from './field-flags.ts';

/** `call updateWave WAVE_ID --waitlist wl_acme --paused on`: operations that have no command of their own, too. */
export function calls(loadCommands: () => Promise<Command[]>): Command[] {
  return [
    {
      name: 'operations',
      about: 'List every operation of the admin API, with the role that it requires and its command.',
      raw: async () => listOperations(await loadCommands()),
    },
    ...OPERATIONS.map(callOf),
  ];
}

function listOperations(commands: readonly Command[]): Outcome {
  const list = OPERATIONS.map(({ id, role, at }) => {
    const own = commands.find(({ name, operations = [] }) => operations.includes(id) && name !== nameOf(id));
    return { id, role, at, command: own?.name ?? nameOf(id) };
  });
  const rows = list.map(({ id, role, at, command }) => [id, role, at, command]);
  return { json: list, text: table(['OPERATION', 'ROLE', 'AT', 'COMMAND'], rows) };
}

function nameOf(id: string): string {
  return `call ${id}`;
}

function callOf(operation: Operation): Command {
  const { id, summary, body } = operation;
  const required = (body as { required?: readonly string[] } | undefined)?.required ?? [];
  const input = { value: 'FILE', about: 'File with the whole input as JSON, or - for standard input.' };
  return commandOf(operation, {
    name: nameOf(id),
    ...(isOnce(operation) ? { once: true } : {}),
    about: `${summary}.`,
    fields: Object.fromEntries(required.map((name) => [name, { required: false }])), // The file can have them.
    isChecked: true,
    ...(body ? { flags: { input }, input: readInput } : {}),
  });
}

/** As over HTTP. */
function isOnce(operation: Operation): boolean {
  return methodOf(operation) === 'POST' && operation.harmless === undefined;
}

function readInput(flags: Flags): object {
  const file = textOr(flags, 'input', undefined);
  if (file === undefined) return {};
  const input = parseStrictJson(Buffer.from(readFileOrInput(file, 'input')));
  if (typeof input !== 'object' || input === null) throw invalid('input: must be a JSON object');
  return input;
}
