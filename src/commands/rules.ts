import { rules as operations } from '../operations/entries/rules.ts';
import { type Command, table, textOr } from './command.ts';
import { commandsFor } from './command-of.ts';

interface Rule {
  id: string;
  when: { domain?: string; where?: string[]; referrer?: string; code?: string };
  then: string;
}

interface Preview {
  count: number;
  looked: number;
  more: boolean;
}

const command = commandsFor(operations);

export const rules: Command[] = [
  command<Rule | Preview>('createRule', {
    name: 'rule create',
    once: true,
    about: 'Decide about signups that meet the conditions, in the moment in which they sign up.',
    fields: {
      when: false,
      // biome-ignore lint/suspicious/noThenProperty: a field of the API, and never a function.
      then: { value: 'OUTCOME', about: 'approve (invite), advance (put first) or decline.', required: true },
      dryRun: false,
    },
    flags: {
      'dry-run': { about: 'Only say how many of those who wait it would have been about.' },
      domain: { value: 'DOMAIN', about: 'Domain of the email: acme.com, or *.edu for all below.' },
      where: { value: 'KEY=VALUE', about: 'Metadata value. Repeatable.', repeated: true },
      referrer: { value: 'WHO', about: 'The referrer: an email, phone, id or referral code.' },
      code: { value: 'CODE', about: 'The code that they join with, one that puts people ahead.' },
    },
    isChecked: true,
    input: (flags) => {
      const textOf = (name: string) => {
        const text = textOr(flags, name, undefined);
        return text === undefined ? {} : { [name]: text };
      };
      const where = Array.isArray(flags.where) ? flags.where : undefined;
      return {
        ...(flags['dry-run'] === true ? { dryRun: true } : {}),
        when: {
          ...textOf('domain'),
          ...(where === undefined ? {} : { where }),
          ...textOf('referrer'),
          ...textOf('code'),
        },
      };
    },
    show: (made) =>
      'count' in made
        ? {
            json: made,
            text: `${made.count} of ${made.looked} who wait${made.more ? ' and were looked at' : ''} meet the conditions.`,
          }
        : { json: made, text: rulesTable([made]) },
  }),
  command<{ rules: Rule[] }>('listRules', {
    name: 'rule list',
    about: 'List the rules that decide about signups. The first that fits decides.',
    show: (page) => ({ json: page.rules, text: rulesTable(page.rules) }),
  }),
  command<{ id: string }>('deleteRule', {
    name: 'rule delete',
    about: 'Delete a rule. What it decided stays.',
    show: (deleted) => ({ json: deleted, text: `Deleted ${deleted.id}.` }),
  }),
];

function rulesTable(list: readonly Rule[]): string {
  const rows = list.map(({ id, when: { domain, where = [], referrer, code }, then }) => [
    ...[id, then, domain ?? null, where.join(', '), referrer ?? null, code ?? null],
  ]);
  return table(['ID', 'THEN', 'DOMAIN', 'WHERE', 'REFERRER', 'CODE'], rows);
}
