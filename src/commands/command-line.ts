import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Config, readConfig } from '../config/config.ts';
import { readEnvFile } from '../config/env-file.ts';
import { fileVariable } from '../config/environment.ts';
import { SECRETS } from '../config/variables.ts';
import { openExisting, withoutTimeLimits } from '../installation/open.ts';
import { DoorlistError } from '../lib/errors.ts';
import { EXIT_CODES, FAILED, TRY_AGAIN, USAGE } from '../lib/exit-codes.ts';
import { createLogger } from '../lib/log.ts';
import { VERSION } from '../lib/root.ts';
import { nearest } from '../lib/text.ts';
import { auditAs } from '../operators/audit.ts';
import { openOperators } from '../operators/context.ts';
import { COMMAND_LINE, referenceTo } from '../operators/roles.ts';
import type { Context } from '../waitlist/queue/context.ts';
import {
  COMMON,
  type Command,
  type Flags,
  flagsOf,
  type Outcome,
  type Terminal,
  UsageProblem,
} from './command.ts';
import { loadCommands } from './command-groups.ts';
import { withFlagNames } from './flag-names.ts';
import { printable, printableJson } from './printable.ts';
import { runOnce } from './run-once.ts';
import { unknownCommand } from './unknown-command.ts';

const HELP_FLAGS = ['--help', '-h'];
const HELP = ['help', ...HELP_FLAGS];
const VERSION_WORDS = ['version', '--version', '-v'];

const ENV_FILE_FLAG = '--env-file';
const FILES_OF_SERVICES = ['/etc/doorlist.env'];

/** Runs one command and returns its exit code: see `EXIT_CODES`. */
export async function runCommandLine(given: string[], terminal: Terminal): Promise<number> {
  const asJson = given.includes('--json');
  let config: Config | undefined;
  let command: Command | undefined;
  let isOpen = false;
  try {
    const { words, envFile } = takeEnvFile(given);
    const [first = 'help', ...rest] = words;
    if (HELP.includes(first)) {
      terminal.out(await helpOn(rest));
      return 0;
    }
    if (rest.some((word) => HELP_FLAGS.includes(word)) && !(await isCommand(words))) {
      terminal.out(await helpOn(words.filter((word) => !word.startsWith('-'))));
      return 0;
    }
    if (VERSION_WORDS.includes(first)) {
      terminal.out(VERSION);
      return 0;
    }
    command = await findCommand(words);
    const { operands, flags } = parseWords(command, words);
    if (flags.help === true) {
      terminal.out(describe(command));
      return 0;
    }
    const { variables, from } = settingsOf(terminal, envFile);
    config = { ...readConfig(variables), settingsFrom: from };
    const outcome = await run(command, operands, flags, config, terminal, () => {
      isOpen = true;
    });
    if (asJson) terminal.out(printableJson(outcome.json));
    else if (outcome.text !== '')
      (outcome.outputIsData ? terminal.error : terminal.out)(printable(outcome.text));
    return outcome.exitCode ?? 0;
  } catch (error) {
    // Only here: most commands have nothing to explain.
    const { explainError, mayPass, mayPassOnceOpen } = await import('../installation/explain-error.ts');
    // A command that opens the installation by itself may be the one that sets it up.
    const passes =
      command?.run && !isOpen ? mayPassOnceOpen(error as Error, config) : mayPass(error as Error);
    const words = explainError(error as Error, config);
    return explain(error as Error, words, asJson, terminal, { command, passes });
  }
}

/** It can come first, so that a script that always adds it is one line. */
function takeEnvFile(given: readonly string[]): { words: string[]; envFile: string | undefined } {
  const words = [...given];
  const at = words.findIndex((word) => word === ENV_FILE_FLAG || word.startsWith(`${ENV_FILE_FLAG}=`));
  if (at === -1) return { words, envFile: undefined };
  const isJoined = words[at] !== ENV_FILE_FLAG;
  const [flag = '', next] = words.splice(at, isJoined ? 1 : 2);
  const envFile = isJoined ? flag.slice(ENV_FILE_FLAG.length + 1) : next;
  if (!envFile || envFile.startsWith('--'))
    throw new UsageProblem(`${ENV_FILE_FLAG}: needs the name of a file`);
  if (words.some((word) => word.startsWith(ENV_FILE_FLAG)))
    throw new UsageProblem(`${ENV_FILE_FLAG}: can be given once`);
  return { words, envFile };
}

/** A secret that the environment sets, directly or by its file, overrides both ways of the file. */
function settingsOf(
  { environment, envFile, filesOfServices = FILES_OF_SERVICES }: Terminal,
  chosen: string | undefined,
): { variables: NodeJS.ProcessEnv; from: string } {
  const file = chosen ?? envFile;
  if (file === undefined) return { variables: environment, from: '' };
  const filed = readEnvFile(file, { isRequired: chosen !== undefined });
  for (const name of SECRETS) {
    const both = [name, fileVariable(name)];
    if (both.some((each) => environment[each])) for (const each of both) delete filed[each];
  }
  return {
    variables: { ...filed, ...environment },
    from: sourcesInWords(path.resolve(file), filesOfServices),
  };
}

function sourcesInWords(file: string, filesOfServices: readonly string[]): string {
  const read = `Variables were read from the environment and ${file}${existsSync(file) ? '' : ', which does not exist'}.`;
  const unread = filesOfServices.find((each) => each !== file && existsSync(each));
  return unread === undefined
    ? `${read} ${ENV_FILE_FLAG} FILE reads another file.`
    : `${read} To read ${unread}, add ${ENV_FILE_FLAG} ${unread}.`;
}

async function run(
  command: Command,
  operands: string[],
  flags: Flags,
  config: Config,
  terminal: Terminal,
  opened: () => void,
): Promise<Outcome> {
  if (command.raw) return command.raw(config, operands, flags, terminal);
  const context = await openExisting(config, createLogger('silent'));
  let changed = false;
  context.db.onChange(() => {
    changed = true;
  });
  try {
    const { vault, ...operators } = await openOperators(context);
    opened();
    const audit = auditAs({ ...operators, vault }, COMMAND_LINE);
    const actor = referenceTo(COMMAND_LINE);
    const work = async (within: Context) =>
      (await command.run?.(within, operands, flags, config)) ?? { json: null, text: '' };
    const acting = { ...withoutTimeLimits(context), audit, actor };
    return await runOnce(command, acting, vault, { operands, flags }, work);
  } finally {
    // Without it, a server would only notice at its next look that it has something to do.
    if (changed) await context.db.notify().catch(() => {});
    await context.db.close();
  }
}

/** Throws a `UsageProblem` if these are not the words of a command, with all that it requires. */
export async function checkCommand(words: string[]): Promise<void> {
  parseWords(await findCommand(words), words);
}

async function findCommand(words: string[]): Promise<Command> {
  const command = await commandNamed(words);
  if (command) return command;
  throw await unknownCommand(words);
}

async function commandNamed(words: string[]): Promise<Command | undefined> {
  const commands = await loadCommands(words[0]);
  const meant = commands.filter(({ name }) => name === words.slice(0, name.split(' ').length).join(' '));
  return meant.toSorted((a, b) => b.name.length - a.name.length)[0]; // `import undo`, not `import`.
}

async function isCommand(words: string[]): Promise<boolean> {
  return (await commandNamed(words)) !== undefined;
}

/** `help`, `help key` and `help key create`. */
async function helpOn(words: string[]): Promise<string> {
  const command = await commandNamed(words);
  if (command) return describe(command);
  const [group] = words;
  if (group === undefined) return overview();
  const commands = await loadCommands(group);
  const beginning = commands.filter(({ name }) => name.startsWith(`${words.join(' ')} `));
  if (beginning.length > 0) return listOf(beginning);
  throw await unknownCommand(words);
}

function parseWords(command: Command, words: string[]): { operands: string[]; flags: Flags } {
  const args = words.slice(command.name.split(' ').length);
  const known = { ...flagsOf(command), ...COMMON };
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { value, repeated = false }]) => [
      name,
      {
        type: value ? ('string' as const) : ('boolean' as const),
        multiple: repeated,
        ...(name === 'help' ? { short: 'h' } : {}),
      },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true, strict: true });
    const flags = values as Flags;
    if (flags.help === true) return { operands: [], flags };
    const wanted = command.operands ?? [];
    const required = wanted.filter((name) => !name.startsWith('['));
    const missing = required[positionals.length];
    if (missing !== undefined) throw new UsageProblem(`${missing} is required`);
    const extra = positionals[wanted.length];
    if (extra !== undefined) throw new UsageProblem(`unexpected argument "${extra}"`);
    for (const [name, { required }] of Object.entries(known)) {
      if (required && flags[name] === undefined) throw new UsageProblem(`--${name} is required`);
    }
    return { operands: positionals, flags };
  } catch (error) {
    throw new UsageProblem(
      `${inOurWords(error as ArgumentsError, Object.keys(known))}\n\n${describe(command)}`,
    );
  }
}

type ArgumentsError = Error & { code?: string };

/** Node explains how to pass an unknown option on, which is not what anybody wants here. */
function inOurWords({ code, message }: ArgumentsError, known: readonly string[]): string {
  const [, option] = /^Unknown option '(-{1,2}[^']*)'/.exec(message) ?? [];
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION' || option === undefined) return message;
  const meant = nearest(option.replace(/^-+/, ''), known);
  return `unknown option ${option}${meant === undefined ? '' : `. Did you mean --${meant}?`}`;
}

/** Problems that an operator can fix get one line. Anything else is a bug and gets a stack trace. */
function explain(
  error: Error,
  explanation: string | undefined,
  asJson: boolean,
  terminal: Terminal,
  { command, passes }: { command: Command | undefined; passes: boolean },
): number {
  const mistyped = error instanceof UsageProblem;
  const words = mistyped ? error.message : explanation;
  const named =
    error instanceof DoorlistError && words ? withFlagNames(words, command && flagsOf(command)) : words;
  const code = error instanceof DoorlistError ? error.code : codeOf(mistyped, passes);
  if (asJson) terminal.out(printableJson({ code, message: named ?? error.message }));
  terminal.error(printable(`doorlist: ${named ?? error.stack ?? error.message}`));
  return mistyped ? USAGE : passes ? TRY_AGAIN : FAILED;
}

function codeOf(mistyped: boolean, passes: boolean): string {
  if (mistyped) return 'usage';
  return passes ? 'unavailable' : 'failed';
}

export function usage(command: Command): string {
  const { name, operands = [] } = command;
  const options = Object.entries(flagsOf(command)).map(([flag, { value, required }]) => {
    const text = value ? `--${flag} ${value}` : `--${flag}`;
    return required ? text : `[${text}]`;
  });
  return [name, ...operands, ...options].join(' ');
}

function describe(command: Command): string {
  const flags = { ...flagsOf(command), ...COMMON };
  const width = Math.max(
    ...Object.entries(flags).map(([name, { value = '' }]) => name.length + value.length),
  );
  const lines = Object.entries(flags).map(
    ([name, { value = '', about }]) => `  --${`${name} ${value}`.padEnd(width + 3)}${about}`,
  );
  return `doorlist ${usage(command)}\n\n${command.about}\n\n${lines.join('\n')}`;
}

async function overview(): Promise<string> {
  return listOf(await loadCommands());
}

function listOf(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, about }) => `  ${name.padEnd(width + 2)}${about}`);
  return `Doorlist ${VERSION}\n\n${lines.join('\n')}\n\nRun any command with --help to see its options. --json prints the result as JSON.\n${EXIT_CODES}`;
}
