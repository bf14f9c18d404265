import {
  createEnvironment,
  createWaitlist,
  listEnvironments,
  listWaitlists,
  setWaitlistClosed,
} from '../waitlist/waitlists.ts';
import { type Command, requireText, table } from './command.ts';

export const waitlists: Command[] = [
  {
    name: 'waitlist create',
    about: 'Makes a waitlist, in every environment.',
    operands: ['WAITLIST_ID'],
    flags: { name: { value: 'NAME', about: 'Its name, as people see it.', required: true } },
    run: async (context, [id = ''], flags) => {
      const created = await createWaitlist(context, { id, name: requireText(flags, 'name') });
      return { json: created, text: `Made ${created.id} ("${created.name}").` };
    },
  },
  {
    name: 'waitlist list',
    about: 'Lists the waitlists.',
    run: async (context) => {
      const list = await listWaitlists(context);
      const rows = list.map(({ id, name, boost, closedAt, createdAt }) => [
        id,
        name,
        boost,
        closedAt ?? 'open',
        createdAt,
      ]);
      return { json: list, text: table(['ID', 'NAME', 'BOOST', 'CLOSED', 'CREATED'], rows) };
    },
  },
  closing('close', true, 'Takes no new signups from now on.', 'is closed: it takes no new signups.'),
  closing('open', false, 'Takes signups again.', 'is open.'),
  {
    name: 'environment create',
    about: 'Adds an environment to every waitlist.',
    operands: ['NAME'],
    run: async (context, [name = '']) => {
      await createEnvironment(context, name);
      return { json: { name }, text: `Made the environment ${name}.` };
    },
  },
  {
    name: 'environment list',
    about: 'Lists the environments.',
    run: async (context) => {
      const names = await listEnvironments(context);
      return { json: names, text: names.join('\n') };
    },
  },
];

function closing(verb: 'close' | 'open', closed: boolean, about: string, done: string): Command {
  return {
    name: `waitlist ${verb}`,
    about,
    operands: ['WAITLIST_ID'],
    run: async (context, [id = '']) => {
      await setWaitlistClosed(context, id, closed);
      return { json: { id, closed }, text: `${id} ${done}` };
    },
  };
}
