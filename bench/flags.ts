import { ENGINES } from '../test/support/engines.ts';

/** The number after `--name`, or the usual one. */
export function flag(name: string, usual: number): number {
  const text = textFlag(name);
  if (text === undefined) return usual;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name}: must be a whole number`);
  return value;
}

/** What follows `--name`. */
export function textFlag(name: string): string | undefined {
  const at = process.argv.indexOf(`--${name}`);
  if (at < 0) return undefined;
  const text = process.argv[at + 1];
  if (text === undefined || text.startsWith('--')) throw new Error(`--${name}: needs a value`);
  return text;
}

/** Whether `--engine` leaves this one out. */
export function wantsEngine(engine: (typeof ENGINES)[number]): boolean {
  const chosen = textFlag('engine') ?? engine;
  if (!(ENGINES as readonly string[]).includes(chosen))
    throw new Error(`--engine: must be ${ENGINES.join(' or ')}`);
  return chosen === engine;
}

/** The words that are neither flags nor their values. */
export function namesGiven(): string[] {
  const words = process.argv.slice(2);
  return words.filter((word, index) => !word.startsWith('--') && !words[index - 1]?.startsWith('--'));
}
