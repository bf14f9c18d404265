import type { Config } from '../config/config.ts';
import { sharedNow } from '../db/shared-clock.ts';
import { DoorlistError } from '../lib/errors.ts';
import { isoTime, isoTimeOrNull } from '../lib/time.ts';
import { openAccounts } from '../mail/operators/notices.ts';
import { sendingOf } from '../mail/sending.ts';
import { operators as operations, type presentOperator } from '../operations/operators/operators.ts';
import { type presentToken, tokens } from '../operations/operators/tokens.ts';
import { linkUrl } from '../operators/links.ts';
import { createOperatorLink } from '../operators/operators.ts';
import { COMMAND_LINE, parseRole } from '../operators/roles.ts';
import { isSetUp, setupUrl } from '../operators/setup.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { type Command, EXPIRY_FLAGS, type Outcome, parseExpiry, requireText, table } from './command.ts';
import { commandsFor } from './command-of.ts';
import type { FieldWords } from './field-flags.ts';

const ROLE: FieldWords = { value: 'ROLE', required: false, read: parseRole };

type PresentedOperator = ReturnType<typeof presentOperator>;
type Token = ReturnType<typeof presentToken>;

interface Invited {
  operator: PresentedOperator;
  link: { url: string; expiresAt: string };
}

const command = commandsFor([...operations, ...tokens]);

export const operators: Command[] = [
  {
    name: 'operator setup-link',
    once: true,
    about: 'Print the link with which the first owner creates an account.',
    run: async (context, _operands, _flags, config) => {
      const opened = await openAccounts(context);
      if (await isSetUp(context.db.query))
        throw new DoorlistError(
          'conflict',
          'this installation already has an owner: use `operator create` or `operator reset`',
        );
      const url = setupUrl(opened, await publicUrlOf(context, config));
      return { json: { url }, text: url };
    },
  },
  command<Invited>('inviteOperator', {
    name: 'operator create',
    once: true,
    about: 'Add an operator, and print a one-time link to choose a password with.',
    fields: {
      email: { value: 'EMAIL', about: 'Email of the operator.' },
      name: { value: 'NAME', about: 'Name of the operator.' },
      role: {
        ...ROLE,
        about: 'owner, admin, support or viewer; default: owner for the first one, then admin.',
      },
    },
    input: async (_flags, { db }) => ({ role: (await isSetUp(db.query)) ? 'admin' : 'owner' }),
    show: ({ operator, link }) => linkOutcome(`Added ${operator.email} as ${operator.role}.`, operator, link),
  }),
  command<{ operators: PresentedOperator[] }>('listOperators', {
    name: 'operator list',
    about: 'List the operators.',
    show: ({ operators }) => {
      const rows = operators.map(({ id, email, name, role, state, twoFactor }) => [
        ...[id, email, name, role, state, twoFactor ? 'on' : 'off'],
      ]);
      const headings = ['ID', 'EMAIL', 'NAME', 'ROLE', 'STATE', 'TWO-FACTOR'];
      return { json: operators, text: table(headings, rows) };
    },
  }),
  {
    name: 'operator reset',
    operations: ['createOperatorLink'],
    once: true,
    about: 'Print a one-time link with which an operator sets a new password.',
    flags: {
      email: { value: 'EMAIL', about: 'Email of the operator.', required: true },
      'two-factor-off': {
        about: 'Turn two-factor authentication off and remove passkeys as well, for a lost device.',
      },
    },
    run: async (context, _, flags, config) => {
      const find = { email: requireText(flags, 'email') };
      const isOff = flags['two-factor-off'] === true;
      const { operator, link } = await createOperatorLink(
        await openAccounts(context),
        COMMAND_LINE,
        find,
        isOff,
      );
      const url = linkUrl(await publicUrlOf(context, config), link.token);
      const shown = { url, expiresAt: isoTime(link.expiresAt) };
      return linkOutcome(`Created a link for ${operator.email}.`, operator, shown);
    },
  },
  command<Token & { token: string }>('createAdminToken', {
    name: 'admin-token create',
    once: true,
    about: 'Create a token for the admin API. It is shown only once.',
    fields: {
      name: { value: 'NAME', about: 'What the token is for.' },
      role: { ...ROLE, about: 'owner, admin, support or viewer; default: admin.' },
      expiresAt: false,
    },
    flags: { ...EXPIRY_FLAGS, quiet: { about: 'Print the token alone.' } },
    input: async (flags, context) => ({
      role: 'admin',
      expiresAt: isoTimeOrNull(parseExpiry(flags, await sharedNow(context)) ?? null),
    }),
    show: (created, { flags }) => {
      const { id, token } = created;
      const text = `${token}\n\nThis is the only time that the token is shown. Its id is ${id}.`;
      return { json: created, text: flags.quiet === true ? token : text };
    },
  }),
  command<{ tokens: Token[] }>('listAdminTokens', {
    name: 'admin-token list',
    about: 'List the admin tokens. The tokens themselves cannot be shown again.',
    show: ({ tokens }) => {
      const rows = tokens.map(({ id, hint, name, role, revokedAt, expiresAt, lastUsedAt, createdBy }) => [
        ...[id, `…${hint}`, name, role],
        ...[revokedAt ? 'revoked' : expiresAt, lastUsedAt, createdBy],
      ]);
      const headings = ['ID', 'TOKEN', 'NAME', 'ROLE', 'ENDS', 'LAST USED', 'CREATED BY'];
      return { json: tokens, text: table(headings, rows) };
    },
  }),
  command<{ id: string }>('revokeAdminToken', {
    name: 'admin-token revoke',
    about: 'Revoke an admin token. It stops working immediately.',
    show: ({ id }) => ({ json: { id, revoked: true }, text: `Revoked ${id}.` }),
  }),
];

function linkOutcome(
  lead: string,
  { id, email, role }: Pick<PresentedOperator, 'id' | 'email' | 'role'>,
  { url, expiresAt }: { url: string; expiresAt: string },
): Outcome {
  return {
    json: { id, email, role, url, expiresAt },
    text: `${lead} The link works once, until ${expiresAt}:\n${url}`,
  };
}

async function publicUrlOf(context: Context, config: Config): Promise<string> {
  return (await sendingOf(context, config)).publicUrl;
}
