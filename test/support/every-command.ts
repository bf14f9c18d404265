import type { Command } from '../../src/commands/command.ts';

const OPERANDS: Record<string, string> = { FILE: '/dev/null', COUNT: '1', KIND: 'welcome' };
const VALUES: Record<string, string> = { to: 'sqlite:/nowhere' };

/** Words with which the command gets as far as to open the installation. */
export function wordsFor({ name, operands = [], flags = {} }: Command): string[] {
  const required = Object.entries(flags).filter(([, flag]) => flag.required);
  return [
    ...name.split(' '),
    ...operands.map((operand) => OPERANDS[operand] ?? 'x'),
    ...required.flatMap(([flag, { value }]) => (value ? [`--${flag}`, VALUES[flag] ?? 'x'] : [`--${flag}`])),
  ];
}
