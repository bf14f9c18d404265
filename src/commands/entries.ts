import { formatId } from '../lib/ids.ts';
import { type Mailable, notEmailed } from '../mail/mailable.ts';
import { aboutEntry } from '../operations/entries/about-entry.ts';
import { addEntry, entries as operations } from '../operations/entries/entries.ts';
import { LEADERBOARD_MAX, leaderboard, listSegment } from '../waitlist/entries/browse-entries.ts';
import { confirmEntry, confirmSegment } from '../waitlist/entries/confirm-entry.ts';
import { findEntry, PAGE_LIMIT_MAX } from '../waitlist/entries/entries.ts';
import { eraseEntry } from '../waitlist/entries/erase-entry.ts';
import type { PositionReasons } from '../waitlist/entries/explain-position.ts';
import type { Segment } from '../waitlist/entries/segment.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { exportPerson } from '../waitlist/transfer/export/export-person.ts';
import { type PresentedEntry, presentEntry } from '../wire/entry.ts';
import { presentPerson } from '../wire/export.ts';
import { type Command, type Outcome, parseWhole, table, textOr, UsageProblem } from './command.ts';
import { commandsFor } from './command-of.ts';
import { entryIdOf } from './entry-id.ts';
import { progressLine } from './progress.ts';
import { QUEUE_FLAGS, queueOf } from './queue.ts';
import { parseSegment, SEGMENT_FLAGS, STATUS_FLAG } from './segment-flags.ts';
import { systemUser } from './system-user.ts';

interface AddedEntry {
  entry: PresentedEntry;
  mailable: Mailable | null;
}

const command = commandsFor([...operations, addEntry, ...aboutEntry]);

export const entries: Command[] = [
  command<AddedEntry>('addEntry', {
    name: 'entry add',
    once: true,
    about: 'Add a person by hand, exactly as a signup does.',
    operands: { EMAIL_OR_PHONE: false },
    fields: {
      email: false,
      phone: false,
      metadata: {
        value: 'JSON',
        about: 'Custom data as a JSON object, such as \'{"name":"Ada"}\'.',
        read: parseObject,
      },
      referredBy: { value: 'WHO', about: 'Email, phone or referral code of the referrer.' },
    },
    input: (_flags, _context, [who = '']) => (who.includes('@') ? { email: who } : { phone: who }),
    show: (added) => {
      const { entry, mailable } = added;
      const note = mailable === null ? `${entry.id} is on the waitlist already.` : notEmailed(mailable);
      return { json: added, text: `${entryTable([entry])}${note && `\n\n${note}`}` };
    },
  }),
  command<PresentedEntry>('getEntry', {
    name: 'entry show',
    about: 'Show an entry by email or phone.',
    operands: { EMAIL_OR_PHONE: false },
    fields: { entryId: false },
    input: async (flags, context, [who = '']) => {
      const { id } = await findEntry(context, await queueOf(context, flags), who);
      return { entryId: formatId('ent', id) };
    },
    show: outcomeOf,
  }),
  command<PositionReasons>('getEntryPosition', {
    name: 'entry position',
    about: 'Explain why somebody has their position.',
    operands: { WHO: false },
    fields: { entryId: false },
    input: async (flags, context, [who = '']) => ({
      entryId: await entryIdOf(context, await queueOf(context, flags), who),
    }),
    show: (reasons) => ({ json: reasons, text: positionText(reasons) }),
  }),
  command<PresentedEntry>('updateEntry', {
    name: 'entry update',
    about: 'Correct what is stored about a person, or move them.',
    operands: { WHO: false },
    fields: {
      entryId: false,
      email: { about: 'Another email address. Links mailed to the former one no longer work.' },
      phone: { about: 'Another phone number in international format, or none.' },
      referredBy: { value: 'WHO|none', about: 'Email, phone or referral code of the referrer, or none.' },
      metadata: { about: 'Replaces all metadata by a JSON object, or removes it.' },
      position: { about: 'Moves a waiting entry to this position, or the nearest possible.' },
      status: { about: 'waiting confirms a pending entry. pending goes with --email: it must be confirmed.' },
    },
    input: async (flags, context, [who = '']) => ({
      entryId: await entryIdOf(context, await queueOf(context, flags), who),
    }),
    show: outcomeOf,
  }),
  command<PresentedEntry>('mergeEntries', {
    name: 'entry merge',
    once: true,
    about: 'Merge two entries of one person: the first one into the second.',
    operands: { FROM: false, INTO: false },
    fields: { entryId: false, into: false },
    input: async (flags, context, [from = '', into = '']) => {
      const queue = await queueOf(context, flags);
      return {
        entryId: await entryIdOf(context, queue, from),
        into: await entryIdOf(context, queue, into),
      };
    },
    show: outcomeOf,
  }),
  {
    name: 'entry list',
    operations: ['listEntries'],
    about: 'List entries in join order.',
    flags: {
      ...QUEUE_FLAGS,
      ...SEGMENT_FLAGS,
      ...STATUS_FLAG,
      limit: { value: 'N', about: 'Entries per page, up to 200 (default: 50).' },
      after: { value: 'WHO', about: 'Start after this entry: its id, or its email or phone.' },
    },
    run: async (context, _, flags) => {
      const queue = await queueOf(context, flags);
      const limit = parseWhole(flags, 'limit', { from: 1, to: PAGE_LIMIT_MAX }) ?? 50;
      const after = textOr(flags, 'after', undefined);
      const page = { limit, after: after === undefined ? after : await entryIdOf(context, queue, after) };
      const list = (await listSegment(context, queue, await parseSegment(context, queue, flags), page)).map(
        presentEntry,
      );
      return { json: list, text: entryTable(list) };
    },
  },
  {
    name: 'entry confirm',
    operations: ['updateEntry'],
    about: "Confirm pending entries on people's behalf: one, a segment, or all.",
    operands: ['[WHO]'],
    flags: { ...QUEUE_FLAGS, ...SEGMENT_FLAGS, all: { about: 'Confirm every pending entry.' } },
    run: async (context, [who], flags) => {
      const isSegment = Object.keys(SEGMENT_FLAGS).some((name) => flags[name] !== undefined);
      const chosen = [who !== undefined, flags.all === true, isSegment];
      if (chosen.filter(Boolean).length !== 1)
        throw new UsageProblem('use exactly one of WHO, conditions such as --where KEY=VALUE, or --all');
      const queue = await queueOf(context, flags);
      const segment = await parseSegment(context, queue, flags, 'pending');
      return who === undefined ? confirmMany(context, queue, segment) : confirmOne(context, queue, who);
    },
  },
  {
    name: 'entry remove',
    operations: ['removeEntry'],
    about: 'Remove a person and erase their personal data.',
    operands: ['WHO'],
    flags: {
      ...QUEUE_FLAGS,
      'never-joined': {
        about: 'Remove the entry as if the person had never joined, such as a bot: those behind move up.',
      },
    },
    run: async (context, [who = ''], flags) => {
      const neverJoined = flags['never-joined'] === true;
      const removed = await eraseEntry(context, await queueOf(context, flags), who, { neverJoined });
      const id = removed.id && formatId('ent', removed.id);
      const what = id === null ? 'the invites and emails of a person without an entry' : id;
      const how = neverJoined && id !== null ? ', as if they had never joined' : '';
      return { json: { id, removed: true }, text: `Removed ${what}${how}. All personal data was erased.` };
    },
  },
  command<PresentedEntry>('restoreEntry', {
    name: 'entry restore',
    once: true,
    about: 'Put a person back who was removed in the dashboard within 30 days, and not erased.',
    operands: { WHO: false },
    fields: { entryId: false },
    input: async (flags, context, [who = '']) => ({
      entryId: await entryIdOf(context, await queueOf(context, flags), who),
    }),
    show: outcomeOf,
  }),
  {
    name: 'entry export',
    operations: ['exportEntry'],
    about: 'Print all data stored about a person as JSON.',
    operands: ['EMAIL_OR_PHONE'],
    flags: QUEUE_FLAGS,
    run: async (context, [who = ''], flags) => {
      const held = presentPerson(await exportPerson(context, await queueOf(context, flags), who));
      return { json: held, text: JSON.stringify(held, null, 2) };
    },
  },
  {
    name: 'leaderboard',
    about: 'List the entries with the most referrals.',
    flags: { ...QUEUE_FLAGS, limit: { value: 'N', about: 'Number of entries, up to 1000 (default: 10).' } },
    run: async (context, _, flags) => {
      const limit = parseWhole(flags, 'limit', { from: 1, to: LEADERBOARD_MAX }) ?? 10;
      const leaders = await leaderboard(context, await queueOf(context, flags), limit);
      const list = leaders.map(presentEntry);
      return { json: list, text: entryTable(list) };
    },
  },
];

function outcomeOf(entry: PresentedEntry): Outcome {
  return { json: entry, text: entryTable([entry]) };
}

function parseObject(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageProblem('--metadata: must be a JSON object');
  }
}

async function confirmOne(context: Context, queue: Queue, who: string): Promise<Outcome> {
  const id = await entryIdOf(context, queue, who);
  const { confirmed } = await confirmEntry(context, queue, id, systemUser());
  const text = confirmed ? `Confirmed ${id}.` : `${id} was already confirmed.`;
  return { json: { id, confirmed }, text };
}

async function confirmMany(context: Context, queue: Queue, segment: Segment): Promise<Outcome> {
  const { confirmed } = await confirmSegment(context, queue, segment, systemUser(), (count) =>
    progressLine(`${count} confirmed`),
  );
  progressLine('');
  return { json: { confirmed }, text: `Confirmed ${confirmed} ${confirmed === 1 ? 'entry' : 'entries'}.` };
}

export function entryTable(list: PresentedEntry[]): string {
  const rows = list.map(({ id, email, phone, status, position, referrals, createdAt }) => [
    id,
    email ?? phone,
    status,
    position,
    referrals,
    createdAt,
  ]);
  return table(['ID', 'WHO', 'STATUS', 'POSITION', 'REFERRALS', 'JOINED'], rows);
}

function positionText(reasons: PositionReasons): string {
  const { position, waiting, joinedAs, referrals, boost, advanced, code, moved } = reasons;
  const earlier = referrals * boost;
  const lines = [
    `joined as number ${joinedAs}`,
    `${referrals} ${referrals === 1 ? 'referral' : 'referrals'} × ${boost}: counts as joined ${earlier} ${placesIn(earlier)} earlier`,
    ...(advanced === 0 ? [] : [`code ${code ?? '(unreadable)'}: ${advanced} ${placesIn(advanced)} earlier`]),
    ...(moved === 0
      ? []
      : [`moved by an operator: ${Math.abs(moved)} ${placesIn(moved)} ${moved > 0 ? 'later' : 'earlier'}`]),
  ];
  const now = position === null ? 'Not waiting, so without a position' : `${position} of ${waiting} waiting`;
  return `${now}:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

function placesIn(count: number): string {
  return Math.abs(count) === 1 ? 'place' : 'places';
}
