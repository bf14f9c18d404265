import { hasMailServer } from '../mail/sending.ts';
import { whenReadable } from '../vault/crypto.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { rerank } from '../waitlist/referrals/rerank.ts';
import { deleteWaitlist } from '../waitlist/settings/delete-waitlist.ts';
import { createEnvironment, listEnvironments } from '../waitlist/settings/environments.ts';
import { updateWaitlist, type WaitlistChanges } from '../waitlist/settings/update-waitlist.ts';
import { BOOST_MAX } from '../waitlist/settings/waitlist-input.ts';
import { createWaitlist, listAllWaitlists } from '../waitlist/settings/waitlists.ts';
import { presentWaitlist } from '../wire/waitlist.ts';
import {
  type Command,
  type Flags,
  parseDuration,
  parseWhole,
  requireText,
  table,
  textOr,
  UsageProblem,
} from './command.ts';
import { progressLine } from './progress.ts';

export const waitlists: Command[] = [
  {
    name: 'waitlist create',
    once: true,
    about: 'Create a waitlist in every environment.',
    operands: ['WAITLIST_ID'],
    flags: { name: { value: 'NAME', about: 'Display name.', required: true } },
    run: async (context, [id = ''], flags) => {
      const created = await createWaitlist(context, { id, name: requireText(flags, 'name') });
      return { json: presentWaitlist(created), text: `Created ${created.id} ("${created.name}").` };
    },
  },
  {
    name: 'waitlist list',
    about: 'List waitlists.',
    run: async (context) => {
      const list = (await listAllWaitlists(context)).map(presentWaitlist);
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
  {
    name: 'waitlist update',
    about: 'Change the settings of a waitlist. A new boost applies to everyone in the queue.',
    operands: ['WAITLIST_ID'],
    flags: {
      name: { value: 'NAME', about: 'Display name.' },
      boost: { value: 'N', about: 'How many places earlier a referral counts as having joined, 0 to 1000.' },
      'referral-cap': { value: 'N', about: 'Maximum credited referrals per entry, or none.' },
      'invite-expiry': {
        value: 'DURATION',
        about: 'Default lifetime of invites, such as 7d, or none.',
        field: 'inviteExpiryMs',
      },
      'after-expiry': {
        value: 'waiting|invited',
        about: 'Status of an entry after its invite expires or is revoked (default: waiting).',
      },
      confirm: {
        value: 'on|off',
        about: 'Double opt-in: new entries are pending until they confirm their email.',
      },
      'metadata-keys': { value: 'KEY,…', about: 'Metadata keys to show in statistics, or none.' },
    },
    run: async (context, [id = ''], flags, config) => {
      const updated = await updateWaitlist(context, id, parseChanges(flags));
      if (flags.boost !== undefined) await applyBoostTo(context, id);
      const { mailWarnings } = await import('../mail/mailable.ts'); // Only here: the others start faster.
      const warnings = await mailWarnings(context, id, await hasMailServer(context, config));
      const notes = warnings.map(({ message }) => ` ${message}`).join('');
      return { json: { ...presentWaitlist(updated), warnings }, text: `Updated ${id}.${notes}` };
    },
  },
  closing('close', true, 'Stop accepting signups.', 'Closed'),
  closing('open', false, 'Accept signups again.', 'Opened'),
  {
    name: 'waitlist delete',
    about: 'Delete a waitlist with all of its data, in every environment. This cannot be undone.',
    operands: ['WAITLIST_ID'],
    flags: { confirm: { value: 'WAITLIST_ID', about: 'The id of the waitlist, again.', required: true } },
    run: async (context, [id = ''], flags) => {
      await deleteWaitlist(context, id, requireText(flags, 'confirm'));
      return {
        json: { id, deleted: true },
        text: `Deleted ${id}. Its data is unreadable. The server removes the rows in the background.`,
      };
    },
  },
  {
    name: 'environment create',
    once: true,
    about: 'Add an environment to every waitlist.',
    operands: ['NAME'],
    run: async (context, [name = '']) => {
      await createEnvironment(context, name);
      return { json: { name }, text: `Created environment ${name}.` };
    },
  },
  {
    name: 'environment list',
    about: 'List environments.',
    run: async (context) => {
      const names = (await listEnvironments(context)).map(({ name }) => name);
      return { json: names, text: names.join('\n') };
    },
  },
];

const orNone = <T>(flags: Flags, name: string, parse: () => T): T | null | undefined =>
  flags[name] === undefined ? undefined : flags[name] === 'none' ? null : parse();

function parseChanges(flags: Flags): WaitlistChanges {
  const oneOf = (name: string, yes: string, no: string): boolean | undefined => {
    const value = textOr(flags, name, undefined);
    if (value === undefined) return undefined;
    if (value === yes) return true;
    if (value === no) return false;
    throw new UsageProblem(`--${name}: must be ${yes} or ${no}`);
  };
  const changes = {
    name: textOr(flags, 'name', undefined),
    boost: parseWhole(flags, 'boost', { from: 0, to: BOOST_MAX }),
    referralCap: orNone(flags, 'referral-cap', () => parseWhole(flags, 'referral-cap') ?? null),
    inviteExpiryMs: orNone(flags, 'invite-expiry', () =>
      parseDuration(textOr(flags, 'invite-expiry', ''), 'invite-expiry'),
    ),
    returnToQueue: oneOf('after-expiry', 'waiting', 'invited'),
    confirmEmails: oneOf('confirm', 'on', 'off'),
    metadataKeys: parseKeys(textOr(flags, 'metadata-keys', undefined)),
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

function parseKeys(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  return text === 'none' ? [] : text.split(',').map((key) => key.trim());
}

/**
 * Done by the command itself, so that it is complete when the command ends. If interrupted, the server's
 * upkeep finishes it.
 */
async function applyBoostTo(context: Context, waitlistId: string): Promise<void> {
  for (const { name: environment } of await listEnvironments(context)) {
    const queue = await whenReadable(context.registry.queue(waitlistId, environment));
    if (queue)
      await rerank(context, queue, (seq, lastSeq) => progressLine(`${environment}: ${seq} of ${lastSeq}`));
  }
}

function closing(verb: 'close' | 'open', closed: boolean, about: string, done: string): Command {
  return {
    name: `waitlist ${verb}`,
    about,
    operands: ['WAITLIST_ID'],
    run: async (context, [id = '']) => {
      await updateWaitlist(context, id, { closed });
      return { json: { id, closed }, text: `${done} ${id}.` };
    },
  };
}
