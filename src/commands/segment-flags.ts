import type { Static } from 'typebox';
import { STATUSES, type Status } from '../db/tables.ts';
import { parseId } from '../lib/ids.ts';
import { isoTime } from '../lib/time.ts';
import type { SegmentInput } from '../operations/core/segments.ts';
import { bothSegments, readSavedSegment } from '../waitlist/entries/saved-segments.ts';
import { SEGMENT_PAIRS_MAX, type Segment } from '../waitlist/entries/segment.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { type Flag, type Flags, parseTime, parseWhole, textOr, UsageProblem } from './command.ts';
import { entryIdOf } from './entry-id.ts';
import { queueOf } from './queue.ts';

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

/** With `only`, a saved segment about another status is refused. */
export async function parseSegment(
  context: Context,
  queue: Queue,
  flags: Flags,
  only?: Status,
): Promise<Segment> {
  const given = parseConditions(flags);
  if (given.referrer !== undefined) given.referrer = await referrerIdOf(context, queue, given.referrer);
  const name = textOr(flags, 'segment', undefined);
  if (name === undefined) return given;
  const segment = bothSegments((await readSavedSegment(context, queue, name)).segment, given);
  if (only !== undefined && (segment.status ?? only) !== only)
    throw new UsageProblem(`--segment: is about people who are ${segment.status}, not ${only}`);
  return segment;
}

/** The same for an operation, which reads the saved segment itself. */
export async function segmentInput(
  flags: Flags,
  context: Context,
): Promise<Static<typeof SegmentInput> & { status?: Status }> {
  const { pairs, joinedBefore, joinedAfter, ...rest } = parseConditions(flags);
  if (rest.referrer !== undefined)
    rest.referrer = await referrerIdOf(context, await queueOf(context, flags), rest.referrer);
  const saved = textOr(flags, 'segment', undefined);
  return {
    ...rest,
    ...(pairs === undefined ? {} : { where: pairs.map(({ key, value }) => `${key}=${value}`) }),
    ...(joinedBefore === undefined ? {} : { joinedBefore: isoTime(joinedBefore) }),
    ...(joinedAfter === undefined ? {} : { joinedAfter: isoTime(joinedAfter) }),
    ...(saved === undefined ? {} : { saved }),
  };
}

async function referrerIdOf(context: Context, queue: Queue, who: string): Promise<string> {
  const id = await entryIdOf(context, queue, who);
  if (parseId('ent', id)) return id;
  throw new UsageProblem('--referrer: must be the id of an entry, an email or a phone');
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
