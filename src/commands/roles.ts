import { roles as operations } from '../operations/instance/roles.ts';
import { DUTIES, DUTY_WORDS, type DutiesOfSupport } from '../operators/duties.ts';
import { type Command, type Flag, table, UsageProblem } from './command.ts';
import { commandsFor } from './command-of.ts';

interface Roles {
  support: DutiesOfSupport;
}

const command = commandsFor(operations);

const flags = Object.fromEntries(
  DUTIES.map((duty): [string, Flag] => [
    duty,
    { value: 'on|off', about: `Whether support may ${DUTY_WORDS[duty]}.` },
  ]),
);

export const roles: Command[] = [
  command<Roles>('getRoles', {
    name: 'roles show',
    about: 'Show what the owner lets support do.',
    show: outcomeOf,
  }),
  command<Roles>('updateRoles', {
    name: 'roles update',
    about: 'Change what support may do.',
    fields: { support: false },
    flags,
    input: (given) => {
      const support = DUTIES.filter((duty) => given[duty] !== undefined).map((duty) => {
        const value = given[duty];
        if (value !== 'on' && value !== 'off') throw new UsageProblem(`--${duty}: must be on or off`);
        return [duty, value === 'on'];
      });
      return { support: Object.fromEntries(support) };
    },
    show: outcomeOf,
  }),
];

function outcomeOf(answer: Roles) {
  const rows = DUTIES.map((duty) => [duty, answer.support[duty] ? 'on' : 'off', DUTY_WORDS[duty]]);
  return { json: answer, text: table(['SUPPORT', '', 'MAY'], rows) };
}
