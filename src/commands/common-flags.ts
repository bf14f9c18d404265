import type { Command, Flag } from './command.ts';

/** Of every command. */
export const COMMON: Record<string, Flag> = {
  json: { about: 'Print the result as JSON.' },
  'env-file': {
    value: 'FILE',
    about: 'Read variables from this file, instead of .env in the working directory.',
  },
  help: { about: 'Show this help.' },
};

const ONCE: Record<string, Flag> = {
  'idempotency-key': {
    value: 'KEY',
    about: 'Run again with the same key within a day, it does nothing again and prints the first result.',
  },
};

/** Of this command. */
export const flagsOf = ({ flags, once }: Command): Record<string, Flag> => ({
  ...flags,
  ...(once ? ONCE : {}),
});
