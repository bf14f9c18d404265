import type { Config } from '../config/config.ts';
import { sharedNow } from '../db/shared-clock.ts';
import { DoorlistError } from '../lib/errors.ts';
import { isoTime, isoTimeOrNull } from '../lib/time.ts';
import { openAccounts } from '../mail/operators/notices.ts';
import { sendingOf } from '../mail/sending.ts';
import { linkUrl, type OneTimeLink } from '../operators/links.ts';
import type { Operator } from '../operators/operator.ts';
import { createOperatorLink, inviteOperator, listOperators } from '../operators/operators.ts';
import { COMMAND_LINE, parseRole, type Role } from '../operators/roles.ts';
import { isSetUp, setupUrl } from '../operators/setup.ts';
import { createToken, listTokens, revokeToken } from '../operators/tokens.ts';
import type { Context } from '../waitlist/queue/context.ts';
import {
  type Command,
  EXPIRY_FLAGS,
  type Flags,
  type Outcome,
  parseExpiry,
  requireText,
  table,
  textOr,
} from './command.ts';

const EMAIL = { email: { value: 'EMAIL', about: 'Email of the operator.', required: true } };
const ROLE = { role: { value: 'ROLE', about: 'owner, admin, support or viewer; default: admin.' } };

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
  {
    name: 'operator create',
    once: true,
    about: 'Add an operator, and print a one-time link to choose a password with.',
    flags: {
      ...EMAIL,
      name: { value: 'NAME', about: 'Name of the operator.' },
      role: {
        value: 'ROLE',
        about: 'owner, admin, support or viewer; default: owner for the first one, then admin.',
      },
    },
    run: async (context, _, flags, config) => {
      const opened = await openAccounts(context);
      const role = readRole(flags, (await isSetUp(context.db.query)) ? 'admin' : 'owner');
      const input = { email: requireText(flags, 'email'), name: textOr(flags, 'name', undefined), role };
      const { operator, link } = await inviteOperator(opened, COMMAND_LINE, input);
      return linkOutcome(`Added ${operator.email} as ${operator.role}.`, operator, link, context, config);
    },
  },
  {
    name: 'operator list',
    about: 'List the operators.',
    run: async (context) => {
      const list = await listOperators(await openAccounts(context));
      const rows = list.map(({ id, email, name, role, state, twoFactor }) => [
        id,
        email,
        name,
        role,
        state,
        twoFactor ? 'on' : 'off',
      ]);
      return {
        json: list.map((operator) => ({ ...operator, createdAt: isoTime(operator.createdAt) })),
        text: table(['ID', 'EMAIL', 'NAME', 'ROLE', 'STATE', 'TWO-FACTOR'], rows),
      };
    },
  },
  {
    name: 'operator reset',
    once: true,
    about: 'Print a one-time link with which an operator sets a new password.',
    flags: {
      ...EMAIL,
      'two-factor-off': {
        about: 'Turn two-factor authentication off and remove passkeys as well, for a lost device.',
      },
    },
    run: async (context, _, flags, config) => {
      const find = { email: requireText(flags, 'email') };
      const { operator, link } = await createOperatorLink(
        await openAccounts(context),
        COMMAND_LINE,
        find,
        flags['two-factor-off'] === true,
      );
      return linkOutcome(`Created a link for ${operator.email}.`, operator, link, context, config);
    },
  },
  {
    name: 'admin-token create',
    once: true,
    about: 'Create a token for the admin API. It is shown only once.',
    flags: {
      name: { value: 'NAME', about: 'What the token is for.', required: true },
      ...ROLE,
      ...EXPIRY_FLAGS,
      quiet: { about: 'Print the token alone.' },
    },
    run: async (context, _, flags) => {
      const created = await createToken(await openAccounts(context), COMMAND_LINE, {
        name: requireText(flags, 'name'),
        role: readRole(flags, 'admin'),
        expiresAt: parseExpiry(flags, await sharedNow(context)) ?? null,
      });
      const text = `${created.token}\n\nThis is the only time that the token is shown. Its id is ${created.id}.`;
      return { json: shown(created), text: flags.quiet === true ? created.token : text };
    },
  },
  {
    name: 'admin-token list',
    about: 'List the admin tokens. The tokens themselves cannot be shown again.',
    run: async (context) => {
      const list = (await listTokens(await openAccounts(context))).map(shown);
      const rows = list.map(({ id, hint, name, role, revokedAt, expiresAt, lastUsedAt, createdBy }) => [
        id,
        `…${hint}`,
        name,
        role,
        revokedAt ? 'revoked' : expiresAt,
        lastUsedAt,
        createdBy,
      ]);
      const headings = ['ID', 'TOKEN', 'NAME', 'ROLE', 'ENDS', 'LAST USED', 'CREATED BY'];
      return { json: list, text: table(headings, rows) };
    },
  },
  {
    name: 'admin-token revoke',
    about: 'Revoke an admin token. It stops working immediately.',
    operands: ['TOKEN_ID'],
    run: async (context, [id = '']) => {
      await revokeToken(await openAccounts(context), COMMAND_LINE, id);
      return { json: { id, revoked: true }, text: `Revoked ${id}.` };
    },
  },
];

async function linkOutcome(
  lead: string,
  { id, email, role }: Operator,
  { token, expiresAt }: OneTimeLink,
  context: Context,
  config: Config,
): Promise<Outcome> {
  const url = linkUrl(await publicUrlOf(context, config), token);
  const ends = isoTime(expiresAt);
  return {
    json: { id, email, role, url, expiresAt: ends },
    text: `${lead} The link works once, until ${ends}:\n${url}`,
  };
}

async function publicUrlOf(context: Context, config: Config): Promise<string> {
  return (await sendingOf(context, config)).publicUrl;
}

function readRole(flags: Flags, otherwise: Role): Role {
  return parseRole(textOr(flags, 'role', otherwise));
}

function shown<
  T extends {
    createdAt: number;
    expiresAt: number | null;
    revokedAt: number | null;
    lastUsedAt: number | null;
  },
>(token: T) {
  return {
    ...token,
    createdAt: isoTime(token.createdAt),
    expiresAt: isoTimeOrNull(token.expiresAt),
    revokedAt: isoTimeOrNull(token.revokedAt),
    lastUsedAt: isoTimeOrNull(token.lastUsedAt),
  };
}
