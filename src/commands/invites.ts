import { notFound } from '../errors.ts';
import { createInvite } from '../waitlist/create-invites.ts';
import { revokeInvite } from '../waitlist/end-invites.ts';
import { type Command, EXPIRY_FLAGS, parseExpiry, requireText, textOr } from './command.ts';

export const invites: Command[] = [
  {
    name: 'invite create',
    about: 'Invites an email, whether or not it is on the list.',
    flags: {
      waitlist: { value: 'WAITLIST_ID', about: 'The waitlist.', required: true },
      email: { value: 'EMAIL', about: 'Who is invited.', required: true },
      env: { value: 'ENVIRONMENT', about: 'The environment (production).' },
      ...EXPIRY_FLAGS,
    },
    run: async (context, _, flags, { publicUrl }) => {
      const environment = textOr(flags, 'env', 'production');
      const waitlistId = requireText(flags, 'waitlist');
      const queue = await context.directory.queue(waitlistId, environment);
      if (!queue) throw notFound(`there is no waitlist ${waitlistId} in ${environment}`);
      const expiresAt = parseExpiry(flags, context.clock());
      const invite = await createInvite(context, queue, { email: requireText(flags, 'email'), expiresAt });
      const url = `${publicUrl}/join/${invite.code}`;
      return {
        json: { ...invite, url },
        text: `${invite.code}\n\n${invite.id}, ends ${invite.expiresAt ?? 'never'}`,
      };
    },
  },
  {
    name: 'invite revoke',
    about: 'Revokes an invite; its entry goes back into the queue.',
    operands: ['CODE_OR_ID'],
    run: async (context, [codeOrId = '']) => {
      const { id } = await revokeInvite(context, codeOrId);
      return { json: { id, revoked: true }, text: `Revoked ${id}.` };
    },
  },
];
