import { useQuery } from '@tanstack/react-query';
import { COMMAND } from '../command.ts';
import { instanceQuery } from './instance.ts';

interface Commands {
  /** A command with these words, as somebody types it on the machine of the server. */
  command: (words: string) => string;
  /** What must be known before: a line of its own, above the commands of a block. */
  note: string;
  /** How the server is started. null for a container. */
  start: string | null;
}

/** The commands of this installation. Roles below admin run none, and only see their words. */
export function useCommands(): Commands {
  const { data } = useQuery(instanceQuery);
  const { run = COMMAND, start = null, secrets = [] } = data?.commands ?? {};
  return {
    command: (words) => `${run} ${words}`,
    note: secrets.length === 0 ? '' : `# In a terminal with the same ${secrets.join(' and ')}:\n`,
    start,
  };
}
