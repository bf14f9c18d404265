import { openAccounts } from '../mail/operators/notices.ts';
import { COMMAND_LINE } from '../operators/roles.ts';
import { type EndedAccess, endAllAccess } from '../operators/sessions.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Command } from './command.ts';

export const access: Command[] = [
  {
    name: 'operator end-access',
    about: 'End all sessions, one-time links and admin tokens. Everybody has to sign in again.',
    run: async (context) => {
      const ended = await endAccess(context);
      return { json: ended, text: inWords(ended) };
    },
  },
];

export async function endAccess(context: Context): Promise<EndedAccess> {
  return endAllAccess(await openAccounts(context), COMMAND_LINE);
}

export function inWords({ sessions, links, tokens }: EndedAccess): string {
  const count = (number: number, name: string) => `${number} ${name}${number === 1 ? '' : 's'}`;
  return `Ended ${count(sessions, 'session')} and ${count(links, 'one-time link')}, and revoked ${count(tokens, 'admin token')}.`;
}
