import { sharedNow } from '../db/shared-clock.ts';
import { type CreatedKey, createKey, listKeys, revokeKey, rotateKey } from '../waitlist/keys/server-keys.ts';
import { presentCreatedKey, presentKey } from '../wire/server-key.ts';
import {
  type Command,
  EXPIRY_FLAGS,
  type Outcome,
  parseDuration,
  parseExpiry,
  table,
  textOr,
  UsageProblem,
} from './command.ts';

const QUIET = { quiet: { about: 'Print the key alone.' } };

export const keys: Command[] = [
  {
    name: 'key create',
    about: 'Creates a server key and shows it, this once.',
    flags: {
      waitlist: { value: 'WAITLIST_ID', about: 'A key for this waitlist alone.' },
      product: { about: 'A key for every waitlist, with waitlist:read built in.' },
      env: { value: 'ENVIRONMENT', about: 'production, development, …', required: true },
      read: { about: 'Adds the grant waitlist:read.' },
      ...EXPIRY_FLAGS,
      ...QUIET,
    },
    run: async (context, _, flags) => {
      const waitlistId = textOr(flags, 'waitlist', null);
      if ((waitlistId === null) === (flags.product !== true))
        throw new UsageProblem('give --waitlist or --product');
      const created = await createKey(context, {
        waitlistId,
        environment: textOr(flags, 'env', ''),
        canRead: flags.read === true,
        expiresAt: parseExpiry(flags, await sharedNow(context)) ?? null,
      });
      return keyOutcome(created, flags.quiet === true);
    },
  },
  {
    name: 'key list',
    about: 'Lists the server keys; the keys themselves cannot be shown again.',
    run: async (context) => {
      const list = (await listKeys(context)).map(presentKey);
      const rows = list.map((key) => [
        key.id,
        `…${key.hint}`,
        key.waitlistId ?? 'every waitlist',
        key.environment,
        key.grants.join(','),
        key.revokedAt ? 'revoked' : key.expiresAt,
        key.lastUsedAt,
      ]);
      return {
        json: list,
        text: table(['ID', 'KEY', 'WAITLIST', 'ENV', 'GRANTS', 'ENDS', 'LAST USED'], rows),
      };
    },
  },
  {
    name: 'key revoke',
    about: 'Ends a server key at once.',
    operands: ['KEY_ID'],
    run: async (context, [id = '']) => {
      await revokeKey(context, id);
      return { json: { id, revoked: true }, text: `Revoked ${id}.` };
    },
  },
  {
    name: 'key rotate',
    about: 'Replaces a key with a new one; the old one keeps working during the overlap.',
    operands: ['KEY_ID'],
    flags: {
      overlap: { value: 'DURATION', about: 'How long the old key keeps working (24h); 0 ends it at once.' },
      ...QUIET,
    },
    run: async (context, [id = ''], flags) => {
      const created = await rotateKey(context, id, parseDuration(textOr(flags, 'overlap', '24h'), 'overlap'));
      return keyOutcome(created, flags.quiet === true);
    },
  },
];

function keyOutcome(created: CreatedKey, quiet: boolean): Outcome {
  const json = presentCreatedKey(created);
  return { json, text: quiet ? json.key : keyText(json.id, json.key) };
}

function keyText(id: string, key: string): string {
  return `${key}\n\nThis is the only time that the key is shown. Its id is ${id}.`;
}
