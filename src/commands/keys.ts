import { sharedNow } from '../db/shared-clock.ts';
import { formatId } from '../lib/ids.ts';
import { isoTimeOrNull } from '../lib/time.ts';
import { type KeySummary, listKeys } from '../waitlist/keys/list-keys.ts';
import { revokeKey, rotateKey } from '../waitlist/keys/server-keys.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { presentCreatedKey, presentKey } from '../wire/keys.ts';
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

type NewKey = ReturnType<typeof presentCreatedKey>;

const QUIET = { quiet: { about: 'Print only the key.' } };

export const keys: Command[] = [
  {
    name: 'key create',
    once: true,
    about: 'Create a server key. The key is shown only once.',
    flags: {
      waitlist: { value: 'WAITLIST_ID', about: 'Create a key for this waitlist.' },
      product: { about: 'Create a product key: every waitlist, including waitlist:read.' },
      env: { value: 'ENVIRONMENT', about: 'Environment, such as production or development.', required: true },
      read: { about: 'Add the waitlist:read grant.' },
      name: { value: 'NAME', about: 'What to call it, so that you can tell keys apart.' },
      ...EXPIRY_FLAGS,
      ...QUIET,
    },
    operations: ['createWaitlistKey', 'createProductKey'],
    run: async (context, _, flags, config) => {
      const { waitlist: waitlistId, env: environment, name, read } = flags;
      if ((waitlistId === undefined) === (flags.product !== true))
        throw new UsageProblem('use either --waitlist or --product');
      const expiresAt = isoTimeOrNull(parseExpiry(flags, await sharedNow(context)) ?? null);
      const input = { environment, name, expiresAt };
      const { productKeys, waitlistKeys } = await import('../operations/keys/server-keys.ts');
      const { ask, operationIn } = await import('./command-of.ts'); // Only here: the others start faster.
      const created = await (waitlistId === undefined
        ? ask(operationIn(productKeys, 'createProductKey'), input, { context, config })
        : ask(
            operationIn(waitlistKeys, 'createWaitlistKey'),
            { ...input, waitlistId, canRead: read === true },
            { context, config },
          ));
      return keyOutcome(created as NewKey, flags.quiet === true);
    },
  },
  {
    name: 'key list',
    operations: ['listWaitlistKeys', 'listProductKeys'],
    about: 'List server keys, without the keys themselves.',
    run: async (context) => {
      const list = (await listAllKeys(context)).map((key) => withGrants(presentKey(key)));
      const rows = list.map((key) => [
        key.id,
        `…${key.hint}`,
        key.name,
        key.waitlistId ?? 'all',
        key.environment,
        key.grants.join(','),
        key.revokedAt ? 'revoked' : key.expiresAt,
        key.lastUsedAt,
      ]);
      return {
        json: list,
        text: table(['ID', 'KEY', 'NAME', 'WAITLIST', 'ENV', 'GRANTS', 'EXPIRES', 'LAST USED'], rows),
      };
    },
  },
  {
    name: 'key revoke',
    operations: ['revokeWaitlistKey', 'revokeProductKey'],
    about: 'Revoke a server key immediately.',
    operands: ['KEY_ID'],
    run: async (context, [id = '']) => {
      await revokeKey(context, id);
      return { json: { id, revoked: true }, text: `Revoked ${id}.` };
    },
  },
  {
    name: 'key rotate',
    operations: ['rotateWaitlistKey', 'rotateProductKey'],
    once: true,
    about: 'Replace a server key. The old key keeps working during the overlap.',
    operands: ['KEY_ID'],
    flags: {
      overlap: {
        value: 'DURATION',
        about: 'How long the old key keeps working (default: 24h). 0 revokes it immediately.',
      },
      ...QUIET,
    },
    run: async (context, [id = ''], flags) => {
      const created = await rotateKey(context, id, parseDuration(textOr(flags, 'overlap', '24h'), 'overlap'));
      return keyOutcome(presentCreatedKey(created), flags.quiet === true);
    },
  },
];

async function listAllKeys(context: Context): Promise<KeySummary[]> {
  const all: KeySummary[] = [];
  for (;;) {
    const last = all.at(-1);
    const page = await listKeys(context, { after: last && formatId('key', last.id) });
    if (page.length === 0) return all;
    all.push(...page);
  }
}

function withGrants<K extends { canRead: boolean }>(key: K) {
  return { ...key, grants: key.canRead ? ['waitlist:write', 'waitlist:read'] : ['waitlist:write'] };
}

function keyOutcome(created: NewKey, quiet: boolean): Outcome {
  const json = withGrants(created);
  return { json, text: quiet ? json.key : keyText(json.id, json.key) };
}

function keyText(id: string, key: string): string {
  return `${key}\n\nStore this key now: it is not shown again. Key ID: ${id}`;
}
