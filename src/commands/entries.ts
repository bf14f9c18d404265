import type { Static } from 'typebox';
import { STATUSES, type Status } from '../db/tables.ts';
import { notFound } from '../lib/errors.ts';
import { formatId, parseId } from '../lib/ids.ts';
import { isoTime } from '../lib/time.ts';
import { mailableTo, notEmailed, signupMail } from '../mail/mailable.ts';
import { hasMailServer } from '../mail/sending.ts';
import type { SegmentInput } from '../operations/core/segments.ts';
import { LEADERBOARD_MAX, leaderboard, listSegment, readEntry } from '../waitlist/entries/browse-entries.ts';
import { confirmEntry, confirmSegment } from '../waitlist/entries/confirm-entry.ts';
import { entriesBySeq, findEntry, PAGE_LIMIT_MAX } from '../waitlist/entries/entries.ts';
import { eraseEntry } from '../waitlist/entries/erase-entry.ts';
import { bothSegments, readSavedSegment } from '../waitlist/entries/saved-segments.ts';
import { SEGMENT_PAIRS_MAX, type Segment } from '../waitlist/entries/segment.ts';
import { restoreEntry } from '../waitlist/invites/removal.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { addPerson } from '../waitlist/signup/signup.ts';
import { parsePerson } from '../waitlist/signup/signup-input.ts';
import { exportPerson } from '../waitlist/transfer/export/export-person.ts';
import { type PresentedEntry, presentEntry } from '../wire/entry.ts';
import { presentPerson } from '../wire/export.ts';
import {
  type Command,
  type Flag,
  type Flags,
  type Outcome,
  parseTime,
  parseWhole,
  table,
  textOr,
  UsageProblem,
} from './command.ts';
import { entryIdOf } from './entry-id.ts';
import { progressLine } from './progress.ts';
import { QUEUE_FLAGS, queueOf } from './queue.ts';
import { systemUser } from './system-user.ts';

export const SEGMENT_FLAGS: Record<string, Flag> = {
  where: {
    value: 'KEY=VALUE',
    about: 'Only entries with this metadata value. Repeatable.',
    repeated: true,
  },
  'min-referrals': { value: 'N', about: 'Only entries with at least this many referrals.' },
  'joined-before': {
    value: 'TIME',
    about: 'Only entries that joined before this time: 2026-12-01T00:00:00Z, or a date.',
  },
  'joined-after': { value: 'TIME', about: 'Only entries that joined at or after this time.' },
  referrer: { value: 'WHO', about: 'Only entries that this one referred: its id, or its email or phone.' },
  segment: { value: 'NAME_OR_ID', about: 'Only entries of this saved segment. See segment list.' },
};
export const STATUS_FLAG: Record<string, Flag> = {
  status: { value: 'STATUS', about: `One of ${STATUSES.join(', ')}.` },
};

export const entries: Command[] = [
  {
    name: 'entry add',
    once: true,
    about: 'Add a person by hand, exactly as a signup does.',
    operands: ['EMAIL_OR_PHONE'],
    flags: {
      ...QUEUE_FLAGS,
      metadata: { value: 'JSON', about: 'Custom data as a JSON object, such as \'{"name":"Ada"}\'.' },
      'referred-by': { value: 'WHO', about: 'Email, phone or referral code of the referrer.' },
    },
    run: async (context, [who = ''], flags, config) => {
      const queue = await queueOf(context, flags);
      const { seq, created } = await addPerson(context, queue, parsePerson(personOf(who, flags)));
      const found = (await entriesBySeq(context, queue, [seq])).get(seq);
      if (!found) throw notFound(`there is no entry ${who}`);
      const kind = await signupMail(context, queue);
      const mailable = created
        ? await mailableTo(context, queue, kind, found.email, await hasMailServer(context, config))
        : null;
      const entry = presentEntry(found);
      const note = mailable === null ? `${entry.id} is on the waitlist already.` : notEmailed(mailable);
      return {
        json: { entry, created, mailable },
        text: `${entryTable([entry])}${note && `\n\n${note}`}`,
      };
    },
  },
  {
    name: 'entry show',
    about: 'Show an entry by email or phone.',
    operands: ['EMAIL_OR_PHONE'],
    flags: QUEUE_FLAGS,
    run: async (context, [who = ''], flags) => {
      const entry = presentEntry(await findEntry(context, await queueOf(context, flags), who));
      return { json: entry, text: entryTable([entry]) };
    },
  },
  {
    name: 'entry list',
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
  {
    name: 'entry restore',
    once: true,
    about: 'Put a person back who was removed in the dashboard within 30 days, and not erased.',
    operands: ['WHO'],
    flags: QUEUE_FLAGS,
    run: async (context, [who = ''], flags) => {
      const queue = await queueOf(context, flags);
      const id = await entryIdOf(context, queue, who);
      await restoreEntry(context, queue, id);
      const entry = presentEntry(await readEntry(context, queue, id));
      return { json: entry, text: entryTable([entry]) };
    },
  },
  {
    name: 'entry export',
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

function personOf(who: string, flags: Flags): Record<string, unknown> {
  const metadata = textOr(flags, 'metadata', undefined);
  const referredBy = textOr(flags, 'referred-by', undefined);
  return {
    ...(who.includes('@') ? { email: who } : { phone: who }),
    ...(metadata === undefined ? {} : { metadata: parseObject(metadata) }),
    ...(referredBy === undefined ? {} : { referredBy }),
  };
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

function entryTable(list: PresentedEntry[]): string {
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

/** With `only`, a saved segment about another status is refused. */
export async function parseSegment(
  context: Context,
  queue: Queue,
  flags: Flags,
  only?: Status,
): Promise<Segment> {
  const given = parseConditions(flags);
  if (given.referrer !== undefined) {
    given.referrer = await entryIdOf(context, queue, given.referrer);
    if (!parseId('ent', given.referrer))
      throw new UsageProblem('--referrer: must be the id of an entry, an email or a phone');
  }
  const name = textOr(flags, 'segment', undefined);
  if (name === undefined) return given;
  const segment = bothSegments((await readSavedSegment(context, queue, name)).segment, given);
  if (only !== undefined && (segment.status ?? only) !== only)
    throw new UsageProblem(`--segment: is about people who are ${segment.status}, not ${only}`);
  return segment;
}

/** The same for an operation, which reads the saved segment itself. */
export function segmentInput(flags: Flags): Static<typeof SegmentInput> {
  const { pairs, joinedBefore, joinedAfter, status: _, ...rest } = parseConditions(flags);
  const saved = textOr(flags, 'segment', undefined);
  return {
    ...rest,
    ...(pairs === undefined ? {} : { where: pairs.map(({ key, value }) => `${key}=${value}`) }),
    ...(joinedBefore === undefined ? {} : { joinedBefore: isoTime(joinedBefore) }),
    ...(joinedAfter === undefined ? {} : { joinedAfter: isoTime(joinedAfter) }),
    ...(saved === undefined ? {} : { saved }),
  };
}

function parseConditions(flags: Flags): Segment {
  const where = flags.where;
  const pairs = (Array.isArray(where) ? where : []).map(parsePair);
  if (pairs.length > SEGMENT_PAIRS_MAX)
    throw new UsageProblem(`--where: can be used at most ${SEGMENT_PAIRS_MAX} times`);
  const minReferrals = parseWhole(flags, 'min-referrals');
  const joinedBefore = parseTime(flags, 'joined-before');
  const joinedAfter = parseTime(flags, 'joined-after');
  const referrer = textOr(flags, 'referrer', undefined);
  const status = textOr(flags, 'status', undefined);
  if (status !== undefined && !STATUSES.includes(status as Status)) {
    throw new UsageProblem(`--status: must be one of ${STATUSES.join(', ')}`);
  }
  return {
    ...(pairs.length === 0 ? {} : { pairs }),
    ...(minReferrals === undefined ? {} : { minReferrals }),
    ...(joinedBefore === undefined ? {} : { joinedBefore }),
    ...(joinedAfter === undefined ? {} : { joinedAfter }),
    ...(referrer === undefined ? {} : { referrer }),
    ...(status === undefined ? {} : { status: status as Status }),
  };
}

function parsePair(text: string): { key: string; value: string } {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageProblem('--where: must be KEY=VALUE');
  return { key: text.slice(0, at), value: text.slice(at + 1) };
}
