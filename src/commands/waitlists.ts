import { environments } from '../operations/instance/environments.ts';
import { waitlists as operations } from '../operations/waitlists/waitlists.ts';
import { whenReadable } from '../vault/crypto.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { rerank } from '../waitlist/referrals/rerank.ts';
import { type Environment, listEnvironments } from '../waitlist/settings/environments.ts';
import type { presentWaitlistWithCounts } from '../wire/waitlist.ts';
import { type Command, lines, table, UsageProblem } from './command.ts';
import { commandsFor } from './command-of.ts';
import type { FieldWords } from './field-flags.ts';
import { progressLine } from './progress.ts';

type Waitlist = ReturnType<typeof presentWaitlistWithCounts>;
type Updated = Waitlist & { warnings: { message: string }[] };

const NAME: FieldWords = { value: 'NAME', about: 'Display name.' };
const SETTINGS: Record<string, FieldWords | false> = {
  boost: { value: 'N', about: 'How many places earlier a referral counts as having joined, 0 to 1000.' },
  referralCap: { value: 'N', about: 'Maximum credited referrals per entry, or none.' },
  inviteExpiryMs: { value: 'DURATION', about: 'Default lifetime of invites, such as 7d, or none.' },
  returnToQueue: {
    flag: 'after-expiry',
    value: 'waiting|invited',
    about: 'Status of an entry after its invite expires or is revoked (default: waiting).',
    read: (text, flag) => {
      if (text === 'waiting' || text === 'invited') return text === 'waiting';
      throw new UsageProblem(`--${flag}: must be waiting or invited`);
    },
  },
  confirmEmails: {
    flag: 'confirm',
    about: 'Double opt-in: new entries are pending until they confirm their email.',
  },
  metadataKeys: {
    value: 'KEY,…',
    about: 'Metadata keys to show in statistics, or none.',
    read: (text) => (text === 'none' ? [] : text.split(',').map((key) => key.trim())),
  },
  environment: false,
};

const command = commandsFor([...operations, ...environments]);

export const waitlists: Command[] = [
  command<Waitlist>('createWaitlist', {
    name: 'waitlist create',
    once: true,
    about: 'Create a waitlist in every environment.',
    operands: { WAITLIST_ID: 'id' },
    fields: { name: NAME, ...SETTINGS },
    show: (created) => ({ json: created, text: `Created ${created.id} ("${created.name}").` }),
  }),
  command<Waitlist[]>('listWaitlists', {
    name: 'waitlist list',
    about: 'List waitlists.',
    all: 'waitlists',
    show: (list) => {
      const rows = list.map(({ id, name, boost, closedAt, createdAt }) => [
        ...[id, name, boost, closedAt ?? 'open', createdAt],
      ]);
      return { json: list, text: table(['ID', 'NAME', 'BOOST', 'CLOSED', 'CREATED'], rows) };
    },
  }),
  command<Waitlist>('getWaitlist', {
    name: 'waitlist show',
    about: 'Show the settings of a waitlist, and how many entries it has.',
    show: (waitlist) => ({ json: waitlist, text: lines(waitlist) }),
  }),
  command<Updated>('updateWaitlist', {
    name: 'waitlist update',
    about: 'Change the settings of a waitlist. A new boost applies to everyone in the queue.',
    fields: { name: NAME, ...SETTINGS, closed: { about: 'Whether signups are refused.' } },
    show: async (updated, { flags, context }) => {
      if (flags.boost !== undefined) await applyBoostTo(context, updated.id);
      const notes = updated.warnings.map(({ message }) => ` ${message}`).join('');
      return { json: updated, text: `Updated ${updated.id}.${notes}` };
    },
  }),
  closing('close', true, 'Stop accepting signups.', 'Closed'),
  closing('open', false, 'Accept signups again.', 'Opened'),
  command<{ id: string }>('deleteWaitlist', {
    name: 'waitlist delete',
    about: 'Delete a waitlist with all of its data, in every environment. This cannot be undone.',
    operands: { WAITLIST_ID: 'waitlistId' },
    fields: { confirm: { value: 'WAITLIST_ID', about: 'The id of the waitlist, again.' } },
    show: (deleted) => ({
      json: deleted,
      text: `Deleted ${deleted.id}. Its data is unreadable. The server removes the rows in the background.`,
    }),
  }),
  command<Environment>('createEnvironment', {
    name: 'environment create',
    once: true,
    about: 'Add an environment to every waitlist.',
    operands: { NAME: 'name' },
    show: (created) => ({ json: created, text: `Created environment ${created.name}.` }),
  }),
  command<{ environments: Environment[] }>('listEnvironments', {
    name: 'environment list',
    about: 'List environments.',
    show: (answer) => {
      const names = answer.environments.map(({ name }) => name);
      return { json: names, text: names.join('\n') };
    },
  }),
];

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
  return command<Updated>('updateWaitlist', {
    name: `waitlist ${verb}`,
    about,
    fields: 'none',
    input: () => ({ closed }),
    show: (updated) => ({ json: { ...updated, closed }, text: `${done} ${updated.id}.` }),
  });
}
