/** The number after `--name`, or the usual one. */
export function flag(name: string, usual: number): number {
  const at = process.argv.indexOf(`--${name}`);
  if (at < 0) return usual;
  const value = Number(process.argv[at + 1]);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name}: must be a whole number`);
  return value;
}

/** Whether an engine is wanted: `--engine sqlite` or `--engine postgres`, or both without it. */
export function wantsEngine(engine: 'sqlite' | 'postgres'): boolean {
  const at = process.argv.indexOf('--engine');
  return at < 0 || process.argv[at + 1] === engine;
}

/** The words that are neither flags nor their values. */
export function namesGiven(): string[] {
  const words = process.argv.slice(2);
  return words.filter((word, index) => !word.startsWith('--') && !words[index - 1]?.startsWith('--'));
}
