import type { TObject } from 'typebox';
import type { Config } from '../config/config.ts';
import type { Operation } from '../operations/core/operation.ts';
import { PAGE_LIMIT_MAX, pageQuery } from '../operations/core/pages.ts';
import type { Input } from '../operations/core/perform.ts';
import { paramsOf, queryOf } from '../operations/core/scope.ts';
import { COMMAND_LINE } from '../operators/roles.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Command, Flag, Flags, Outcome } from './command.ts';
import { type FieldSchema, type FieldWords, flagFor, isJson, readField } from './field-flags.ts';
import { QUEUE_FLAGS } from './queue.ts';

/** What a command says by itself. The rest follows from its operation. */
export interface CommandWords<Answer> {
  name: string;
  about: string;
  /** See `Command`. */
  once?: Command['once'];
  /**
   * Fields that are given without a flag: `{ WAVE_ID: 'waveId' }`. `false`: it is no field, and `input` reads it. Default: those
   * of the path, but for the waitlist.
   */
  operands?: Readonly<Record<string, string | false>>;
  /** How fields are given, where it is not as their schema says. `false`: not at all, or by `flags`. `none`: only its queue is. */
  fields?: Readonly<Record<string, FieldWords | false>> | 'none';
  /** Flags that are no fields. */
  flags?: Readonly<Record<string, Flag>>;
  /** Fields that neither flags of their own nor operands give. */
  input?(flags: Flags, context: Context, operands: readonly string[]): object | Promise<object>;
  /** Whether the schemas check what is given. Default: only JSON, because loading what checks takes long. */
  isChecked?: true;
  /** The property of a page with what it lists. All pages are read, and `show` gets what is on them. */
  all?: string;
  /** Default: as JSON. */
  show?(answer: Answer, given: Given): Outcome | Promise<Outcome>;
}

export interface Given {
  operands: readonly string[];
  flags: Flags;
  context: Context;
  config: Config;
}

/** Makes commands of the operations of a room, which it names by their ids. */
export function commandsFor(operations: readonly Operation[]) {
  return <Answer>(id: string, words: CommandWords<Answer>): Command =>
    commandOf(operationIn(operations, id), words);
}

export function operationIn(operations: readonly Operation[], id: string): Operation {
  const found = operations.find((operation) => operation.id === id);
  if (!found) throw new Error(`there is no operation ${id}`);
  return found;
}

export function commandOf<Answer>(operation: Operation, words: CommandWords<Answer>): Command {
  const { name, about, once, operands = operandsOf(operation), flags: own = {}, show = asJson } = words;
  const fields = fieldsOf(operation, words).filter((field) => !Object.values(operands).includes(field.name));
  return {
    ...{ name, about, operations: [operation.id], operands: Object.keys(operands) },
    ...(once ? { once } : {}),
    flags: { ...Object.fromEntries(fields.map(flagOf)), ...own },
    run: async (context, given, flags, config) => {
      const values = {
        ...(await words.input?.(flags, context, given)),
        ...Object.fromEntries(
          Object.values(operands).flatMap((field, at) => (field ? [[field, given[at]]] : [])),
        ),
        ...Object.fromEntries(fields.flatMap((field) => entryOf(field, flags))),
      };
      const hasJson = fields.some(
        (field) => isJson(field.name, field.schema, field.words) && field.name in values,
      );
      const isChecked = words.isChecked ?? hasJson;
      const answer = await ask(operation, values, { context, config }, { isChecked, all: words.all });
      return show(answer as Answer, { operands: given, flags, context, config });
    },
  };
}

interface Asking {
  /** See `CommandWords`. */
  isChecked?: boolean | undefined;
  all?: string | undefined;
}

/** Performs an operation as the command line. The values are those of its path, its query and its body together. */
export async function ask(
  operation: Operation,
  values: Readonly<Record<string, unknown>>,
  { context, config }: Pick<Given, 'context' | 'config'>,
  { isChecked = false, all }: Asking = {},
): Promise<unknown> {
  const input = inputOf(operation, values);
  if (isChecked) (await import('../operations/core/input.ts')).checkInput(operation, input);
  // Not before it is needed: the other commands of a room start faster.
  const { openOperationParts } = await import('../operations/core/open-parts.ts');
  const { perform } = await import('../operations/core/perform.ts');
  const parts = await openOperationParts(context, config);
  if (all === undefined) return (await perform(operation, parts, COMMAND_LINE, input)).value;
  const found: unknown[] = [];
  for (let cursor: unknown; cursor !== null; ) {
    const page = { limit: PAGE_LIMIT_MAX, ...(cursor === undefined ? {} : { cursor }) };
    const query = { ...input.query, ...page };
    const { value } = await perform(operation, parts, COMMAND_LINE, { ...input, query });
    const { [all]: items, nextCursor } = value as Record<string, unknown>;
    found.push(...(items as unknown[]));
    cursor = nextCursor ?? null;
  }
  return found;
}

interface Field {
  name: string;
  schema: FieldSchema;
  words: FieldWords;
}

const { waitlist: WAITLIST = { about: '' }, env: ENVIRONMENT = { about: '' } } = QUEUE_FLAGS;
const USUAL_WORDS: Readonly<Record<string, FieldWords>> = {
  waitlistId: { flag: 'waitlist', ...WAITLIST },
  environment: { flag: 'env', ...ENVIRONMENT },
};

/** In the order of the words, because what matters most is said first. */
function fieldsOf<Answer>(operation: Operation, { fields: said = {}, all }: CommandWords<Answer>): Field[] {
  const isUsual = (name: string) =>
    name === 'waitlistId' || (name === 'environment' && operation.scope === 'queue');
  const isHidden = (name: string) =>
    (said === 'none' ? !isUsual(name) : said[name] === false) || (all !== undefined && name in pageQuery);
  const fields = schemasOf(operation).flatMap(({ properties, required = [] }) =>
    Object.entries(properties).map(([name, schema]) => {
      const words = said === 'none' ? {} : said[name] || {};
      const isRequired = required.includes(name) ? { required: true } : {};
      return { name, schema, words: { ...isRequired, ...USUAL_WORDS[name], ...words } };
    }),
  );
  const order = Object.keys({ ...USUAL_WORDS, ...(said === 'none' ? {} : said) });
  const placeOf = ({ name }: Field) => (order.includes(name) ? order.indexOf(name) : order.length);
  return fields.filter(({ name }) => !isHidden(name)).toSorted((a, b) => placeOf(a) - placeOf(b));
}

interface ObjectSchema {
  properties: Readonly<Record<string, FieldSchema>>;
  required?: readonly string[];
}

function schemasOf(operation: Operation): ObjectSchema[] {
  const body = operation.body as ObjectSchema | undefined;
  return [paramsOf(operation), queryOf(operation), ...(body?.properties ? [body] : [])];
}

function flagOf({ name, schema, words }: Field): readonly [string, Flag] {
  return flagFor(name, schema, words);
}

function entryOf({ name, schema, words }: Field, flags: Flags): [string, unknown][] {
  const value = readField(name, schema, flags, words);
  return value === undefined ? [] : [[name, value]];
}

function inputOf(operation: Operation, values: Readonly<Record<string, unknown>>): Input {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const among = ({ properties }: TObject) => Object.fromEntries(given.filter(([name]) => name in properties));
  const [params, query] = [among(paramsOf(operation)), among(queryOf(operation))];
  const body = Object.fromEntries(given.filter(([name]) => !(name in params || name in query)));
  return { params: params as Input['params'], query, body: operation.body ? body : undefined };
}

/** `waveId` is `WAVE_ID`. */
function operandsOf({ params }: Operation): Record<string, string> {
  const wordOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
  return Object.fromEntries(Object.keys(params).map((name) => [wordOf(name), name]));
}

function asJson(answer: unknown): Outcome {
  return { json: answer, text: JSON.stringify(answer, null, 2) };
}
