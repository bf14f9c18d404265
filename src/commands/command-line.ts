import { parseArgs } from 'node:util';
import { ConfigProblem, readConfig } from '../config.ts';
import { DatabaseUnavailable } from '../db/database.ts';
import { SchemaTooNew } from '../db/migrate.ts';
import { DoorlistError } from '../errors.ts';
import { createLogger } from '../log.ts';
import { openContext } from '../service.ts';
import { MasterKeyProblem } from '../vault/master-key.ts';
import { VERSION } from '../version.ts';
import { type Command, type Flag, type Flags, type Outcome, UsageProblem } from './command.ts';
import { entries } from './entries.ts';
import { invites } from './invites.ts';
import { keys } from './keys.ts';
import { mailResending } from './mail-resending.ts';
import { mailTemplates } from './mail-templates.ts';
import { mails } from './mails.ts';
import { operations } from './operations.ts';
import { transfer } from './transfer.ts';
import { waitlists } from './waitlists.ts';
import { webhookDeliveries } from './webhook-deliveries.ts';
import { webhooks } from './webhooks.ts';

export const COMMANDS: Command[] = [
  ...operations,
  ...waitlists,
  ...keys,
  ...entries,
  ...invites,
  ...transfer,
  ...webhooks,
  ...webhookDeliveries,
  ...mails,
  ...mailResending,
  ...mailTemplates,
];

export interface Terminal {
  environment: NodeJS.ProcessEnv;
  out(text: string): void;
  error(text: string): void;
}

const FAILED = 1;
const USAGE = 2;

const COMMON: Record<string, Flag> = {
  json: { about: 'Print one JSON value.' },
  help: { about: 'Say what this command does.' },
};

/** Runs one command; returns its exit code: 0 done, 1 failed, 2 not typed right. */
export async function runCommandLine(words: string[], terminal: Terminal): Promise<number> {
  const asJson = words.includes('--json');
  try {
    if (words.length === 0 || words[0] === 'help' || words[0] === '--help') {
      terminal.out(overview());
      return 0;
    }
    if (words[0] === '--version') {
      terminal.out(VERSION);
      return 0;
    }
    const command = findCommand(words);
    const { operands, flags } = parseWords(command, words.slice(command.name.split(' ').length));
    if (flags.help === true) {
      terminal.out(describe(command));
      return 0;
    }
    const outcome = await run(command, operands, flags, terminal);
    if (asJson) terminal.out(JSON.stringify(outcome.json));
    else if (outcome.text !== '') terminal.out(outcome.text);
    return outcome.exitCode ?? 0;
  } catch (error) {
    return explain(error as Error, asJson, terminal);
  }
}

async function run(
  command: Command,
  operands: string[],
  flags: Flags,
  { environment }: Terminal,
): Promise<Outcome> {
  const config = readConfig(environment);
  if (command.raw) return command.raw(config, operands, flags);
  const context = await openContext(config, createLogger('silent'));
  try {
    return (await command.run?.(context, operands, flags, config)) ?? { json: null, text: '' };
  } finally {
    await context.db.close();
  }
}

function findCommand(words: string[]): Command {
  const command = COMMANDS.find(({ name }) => name === words.slice(0, name.split(' ').length).join(' '));
  if (command) return command;
  throw new UsageProblem(
    `there is no command "${words.filter((word) => !word.startsWith('-')).join(' ')}"\n\n${overview()}`,
  );
}

function parseWords(command: Command, words: string[]): { operands: string[]; flags: Flags } {
  const known = { ...command.flags, ...COMMON };
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { value, repeated = false }]) => [
      name,
      { type: value ? ('string' as const) : ('boolean' as const), multiple: repeated },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args: words, options, allowPositionals: true, strict: true });
    const flags = values as Flags;
    if (flags.help === true) return { operands: [], flags };
    const wanted = command.operands ?? [];
    const needed = wanted.filter((operand) => !operand.startsWith('['));
    if (positionals.length < needed.length || positionals.length > wanted.length) {
      throw new UsageProblem(
        `expected ${wanted.length === 0 ? 'nothing' : wanted.join(' ')} after "${command.name}"`,
      );
    }
    for (const [name, { required }] of Object.entries(known)) {
      if (required && flags[name] === undefined) throw new UsageProblem(`--${name} is required`);
    }
    return { operands: positionals, flags };
  } catch (error) {
    throw new UsageProblem(`${(error as Error).message}\n\n${describe(command)}`);
  }
}

/** What a person can do something about is told in a line; anything else is a defect and shows where it is. */
function explain(error: Error, asJson: boolean, terminal: Terminal): number {
  const expected =
    error instanceof UsageProblem ||
    error instanceof DoorlistError ||
    error instanceof ConfigProblem ||
    error instanceof MasterKeyProblem ||
    error instanceof SchemaTooNew ||
    error instanceof DatabaseUnavailable ||
    typeof (error as NodeJS.ErrnoException).syscall === 'string'; // A port that is taken, a directory that is not there.
  const code =
    error instanceof DoorlistError ? error.code : error instanceof UsageProblem ? 'usage' : 'failed';
  if (asJson) terminal.out(JSON.stringify({ code, message: error.message }));
  terminal.error(`doorlist: ${expected ? error.message : (error.stack ?? error.message)}`);
  return error instanceof UsageProblem ? USAGE : FAILED;
}

function usage({ name, operands = [], flags = {} }: Command): string {
  const options = Object.entries(flags).map(([flag, { value, required }]) => {
    const text = value ? `--${flag} ${value}` : `--${flag}`;
    return required ? text : `[${text}]`;
  });
  return [name, ...operands, ...options].join(' ');
}

function describe(command: Command): string {
  const flags = { ...command.flags, ...COMMON };
  const width = Math.max(
    ...Object.entries(flags).map(([name, { value = '' }]) => name.length + value.length),
  );
  const lines = Object.entries(flags).map(
    ([name, { value = '', about }]) => `  --${`${name} ${value}`.padEnd(width + 3)}${about}`,
  );
  return `doorlist ${usage(command)}\n${command.about}\n\n${lines.join('\n')}`;
}

function overview(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  const lines = COMMANDS.map(({ name, about }) => `  ${name.padEnd(width + 2)}${about}`);
  return `Doorlist ${VERSION}\n\n${lines.join('\n')}\n\nEvery command takes --help and --json.`;
}
