import type { Command } from '../../src/commands/command.ts';

/** They open no installation, or create one where there is none. */
export const OPENS_NONE = [
  ...['serve', 'demo', 'restore', 'operations', 'completion'],
  ...['master-key generate', 'dkim-key generate', 'dkim-key show'],
];

const OPERANDS: Record<string, string> = { FILE: '/dev/null', COUNT: '1', KIND: 'welcome' };
const VALUES: Record<string, string> = { to: 'sqlite:/nowhere' };
/** Required unless a variable has it. */
const ALSO_REQUIRED: Record<string, string> = { copy: 'to' };

/** Words with which the command gets as far as to open the installation. */
export function wordsFor({ name, operands = [], flags = {} }: Command): string[] {
  const required = Object.entries(flags).filter(
    ([flagName, flag]) => flag.required || ALSO_REQUIRED[name] === flagName,
  );
  return [
    ...name.split(' '),
    ...operands.map((operand) => OPERANDS[operand] ?? 'x'),
    ...required.flatMap(([flag, { value }]) => (value ? [`--${flag}`, VALUES[flag] ?? 'x'] : [`--${flag}`])),
  ];
}

/** One for each way in which commands open the installation: those that are not raw are all opened in one place. */
export function oneForEachWay(commands: readonly Command[]): Command[] {
  const groups = new Set<string>();
  return commands.filter(({ name, raw }) => {
    const [group = ''] = name.split(' ');
    const isFirst = !groups.has(group);
    groups.add(group);
    return raw !== undefined || isFirst;
  });
}
