import { COMMAND } from '../lib/root.ts';
import { nearest } from '../lib/text.ts';
import { UsageProblem } from './command.ts';
import { COMMAND_GROUPS, loadCommands } from './command-groups.ts';

const SHOWN_MAX = 15;

/** Says what may have been meant, and where all commands are listed: the whole list would hide it. */
export async function unknownCommand(given: readonly string[]): Promise<UsageProblem> {
  const words = given.filter((word) => !word.startsWith('-'));
  const [group = ''] = words;
  const isGroup = COMMAND_GROUPS.some((each) => each.words.includes(group));
  const all = (await loadCommands(isGroup ? group : undefined)).map(({ name }) => name);
  const names = isGroup ? all.filter((name) => name.split(' ')[0] === group) : all;
  const meant = nearestName(words, names) ?? (isGroup ? undefined : nearest(group, groupsOf(names)));
  const lines = [
    `unknown command "${words.join(' ')}".${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
  ];
  if (isGroup && names.length <= SHOWN_MAX) lines.push(`There are ${names.join(', ')}.`);
  lines.push(
    isGroup ? `\`${COMMAND} help ${group}\` explains them.` : `\`${COMMAND} help\` lists all commands.`,
  );
  return new UsageProblem(lines.join('\n'));
}

/** What follows the name of a command are its operands, so that only the first words can be the name. */
function nearestName(words: readonly string[], names: readonly string[]): string | undefined {
  for (let count = Math.min(words.length, 3); count > 0; count -= 1) {
    const near = nearest(
      words.slice(0, count).join(' '),
      names.filter((name) => name.split(' ').length === count),
    );
    if (near !== undefined) return near;
  }
  return undefined;
}

function groupsOf(names: readonly string[]): string[] {
  return [...new Set(names.map((name) => name.split(' ')[0] ?? ''))];
}
