import { runCommandLine } from '../../src/commands/command-line.ts';
import { noDns } from './dns-server.ts';
import type { Finished } from './process.ts';

interface Printed<T> {
  code: number;
  out: string;
  error: string;
  /** The parsed output. */
  json: T;
}

/** Runs a command with --json in this process. */
export async function command<T = Record<string, unknown>>(
  environment: Record<string, string>,
  ...words: string[]
): Promise<Printed<T>> {
  const printed = await typed(environment, ...words, '--json');
  return { ...printed, json: JSON.parse(printed.out) as T };
}

/** Runs a command, which must succeed, and returns its JSON. */
export async function jsonOf<T = Record<string, unknown>>(
  environment: Record<string, string>,
  ...words: string[]
): Promise<T> {
  const { code, error, json } = await command<T>(environment, ...words);
  if (code !== 0) throw new Error(`doorlist ${words.join(' ')} failed: ${error}`);
  return json;
}

/** Runs a command without --json. */
export async function typed(
  environment: Record<string, string>,
  ...words: string[]
): Promise<Omit<Printed<never>, 'json'>> {
  const out: string[] = [];
  const error: string[] = [];
  const code = await runCommandLine(words, {
    environment,
    passphraseCost: { operations: 1, memory: 8_192 },
    openDns: noDns,
    out: (text) => void out.push(text),
    error: (text) => void error.push(text),
  });
  return { code, out: out.join('\n'), error: error.join('\n') };
}

/** `runCommand` in this process: a separate one takes ten times as long. */
export async function runHere(environment: Record<string, string>, ...words: string[]): Promise<Finished> {
  const { code, out, error } = await typed(environment, ...words);
  return { code, stdout: asPrinted(out), stderr: asPrinted(error) };
}

function asPrinted(text: string): string {
  return text === '' ? '' : `${text}\n`;
}
