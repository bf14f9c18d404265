import type { Context } from '../waitlist/queue/context.ts';
import { applyBoost } from '../waitlist/referrals/rerank.ts';
import { BOOST_MAX, updateWaitlist, type WaitlistChanges } from '../waitlist/settings/update-waitlist.ts';
import {
  createEnvironment,
  createWaitlist,
  listAllWaitlists,
  listEnvironments,
  listWaitlists,
  setWaitlistClosed,
} from '../waitlist/settings/waitlists.ts';
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
    about: 'Creates a waitlist, in every environment.',
    operands: ['WAITLIST_ID'],
    flags: { name: { value: 'NAME', about: 'Its name, as people see it.', required: true } },
    run: async (context, [id = ''], flags) => {
      const created = await createWaitlist(context, { id, name: requireText(flags, 'name') });
      return { json: presentWaitlist(created), text: `Created ${created.id} ("${created.name}").` };
    },
  },
  {
    name: 'waitlist list',
    about: 'Lists the waitlists.',
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
    about: 'Changes the settings of a waitlist; a new boost is applied to everyone in the queue.',
    operands: ['WAITLIST_ID'],
    flags: {
      name: { value: 'NAME', about: 'Its name, as people see it.' },
      boost: { value: 'N', about: 'Places that a referral is worth, 0 to 1000.' },
      'referral-cap': { value: 'N', about: 'Most referrals that one entry is credited with, or none.' },
      'invite-expiry': { value: 'DURATION', about: 'How long invites live by themselves, or none.' },
      'after-expiry': {
        value: 'waiting|invited',
        about: 'Where the entry of an ended invite goes (waiting).',
      },
      confirm: { value: 'on|off', about: 'Whether entries are pending until their email is confirmed.' },
    },
    run: async (context, [id = ''], flags) => {
      await updateWaitlist(context, id, parseChanges(flags));
      if (flags.boost !== undefined) await applyBoostTo(context, id);
      const [updated] = await listWaitlists(context, { id });
      return { json: updated && presentWaitlist(updated), text: `Updated ${id}.` };
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
      return { json: { name }, text: `Created environment ${name}.` };
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
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

/** Here and now, so that the command ends when it is done; cut off, the server's upkeep finishes it. */
async function applyBoostTo(context: Context, waitlistId: string): Promise<void> {
  for (const environment of await listEnvironments(context)) {
    const queue = await context.directory.queue(waitlistId, environment);
    if (queue)
      await applyBoost(context, queue, (seq, lastSeq) =>
        progressLine(`${environment}: ${seq} of ${lastSeq}`),
      );
  }
}

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
