import { sql } from 'kysely';
import { statement } from '../../db/statement.ts';
import type { Status } from '../../db/tables.ts';
import { parseId } from '../../lib/ids.ts';
import { readColumn } from '../../lib/setting.ts';
import { standingOf } from '../entries/move-entry.ts';
import { isForFormerEmail, queueOfLink, readLink, signLink } from '../links/links.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { OwnData } from '../queue/events.ts';
import { type Placed, positionAt } from '../queue/place.ts';
import { positionOf } from '../queue/positions.ts';
import type { Queue } from '../queue/queue.ts';
import { WAITLIST_SETTINGS } from '../queue/waitlist-settings.ts';
import { rankOf } from '../referrals/rank.ts';
import { referralCodesOf, visitCodeOf } from '../referrals/referral-code.ts';
import { countIfAllowed } from './limits.ts';
import { openVisit, type Visit } from './visits.ts';

/** What the status page shows. */
export interface PersonStatus {
  queue: Queue;
  seq: number;
  /** Of somebody who was declined, the status they would come back to: they are not told. */
  status: Exclude<Status, 'declined'>;
  position: number | null;
  referrals: number;
  /** Its own only if the link came by mail: whoever typed an address must not learn which one it has. */
  referralCode: string;
  /** Places that one referral is worth. */
  boost: number;
  /** For the page to unsubscribe or leave. Only if the link came by mail, so that its holder owns the address. */
  leaveToken: string | null;
}

interface StatusRow {
  seq: number;
  status: Status;
  referrals: number;
  position: number | null;
  rank: number;
  declined_from: Status | null;
  addressed_at: number | null;
}

const columns = ['e.seq', 'e.status', 'e.declined_from', 'e.referrals', 'e.rank', 'e.addressed_at'] as const;

const findById = statement<{ queueId: number; id: Uint8Array }, StatusRow>((db, parameter) =>
  db.query
    .selectFrom('entry as e')
    .select(columns)
    .select(positionOf('e', parameter('queueId')).as('position'))
    .where('e.queue_id', '=', parameter('queueId'))
    .where('e.id', '=', parameter('id')),
);

const findBySeq = statement<{ queueId: number; seq: number }, StatusRow>((db, parameter) =>
  db.query
    .selectFrom('entry as e')
    .select(columns)
    .select(positionOf('e', parameter('queueId')).as('position'))
    .where('e.queue_id', '=', parameter('queueId'))
    .where('e.seq', '=', parameter('seq')),
);

/** By a link from a mail, or from the form. Returns undefined if it was not made here. */
export async function personStatus(context: Context, token: string): Promise<PersonStatus | undefined> {
  const { db } = context;
  const queue = await queueOfLink(context, token);
  if (!queue) return undefined;
  const link = readLink(queue, 'status', token);
  const id = link && parseId('ent', link.id);
  const visit = link ? undefined : openVisit(queue, token);
  const rows = id
    ? await db.run(findById, { queueId: queue.id, id })
    : visit
      ? await db.run(findBySeq, { queueId: queue.id, seq: visit.seq })
      : [];
  // Also for an address that was not known, which must not take less time.
  const { boost, referralCap } = await rulesOf(context, queue);
  const { joined, credited } = visit ? await countJoined(context, queue, visit) : NOBODY;
  const counted = Math.min(joined, referralCap ?? joined);
  const placed = await placedThen(context, queue, visit?.place ?? 0);
  const advanced = visit?.advanced ?? 0;
  const rank = rankOf({ ...placed, referrals: counted, advanced, moved: 0 }, boost);
  const place = visit ? await positionThen(context, queue, visit.place, rank) : null;
  const [row] = rows;
  if (!row) return undefined;
  const { seq, referrals } = row;
  const { status, position } = await shownAs(context, queue, row);
  const common = {
    queue,
    seq,
    referralCode: link ? referralCodesOf(queue).of(seq) : visitCodeOf(queue, seq, (visit as Visit).link),
    boost,
    leaveToken: link && !isForFormerEmail(row, link) ? signLink(queue, 'leave', link) : null,
  };
  if (!visit?.known) return { ...common, status, referrals, position };
  // Those who joined with the link have moved the known entry, which nobody else would see move.
  const passed = row.status === 'waiting' && row.rank < rank && row.rank + boost * credited >= rank;
  return { ...common, status: 'waiting', referrals: counted, position: (place ?? 1) - Number(passed) };
}

/** What somebody is told about where they are. */
export async function shownInLine(context: Context, queue: Queue, seq: number) {
  const [row] = await context.db.run(findBySeq, { queueId: queue.id, seq });
  return row && shownAs(context, queue, row);
}

async function shownAs(
  context: Context,
  queue: Queue,
  row: StatusRow,
): Promise<Pick<PersonStatus, 'status' | 'position'>> {
  const { status, position, seq, rank } = row;
  if (status !== 'declined') return { status, position };
  if (standingOf(row) === 'pending') return { status: 'pending', position: null };
  return { status: 'waiting', position: await positionThen(context, queue, seq, rank) };
}

async function rulesOf({ db }: Context, queue: Queue) {
  const row = await db.query
    .selectFrom('waitlist')
    .select(['boost', 'referral_cap'])
    .where('id', '=', queue.waitlist.internalId)
    .executeTakeFirst();
  if (!row) return { boost: 0, referralCap: null };
  const { boost, referralCap } = WAITLIST_SETTINGS;
  return { boost: readColumn(boost, row), referralCap: readColumn(referralCap, row) };
}

const NOBODY = { joined: 0, credited: 0 };

/** How many joined with the link of this visit and are not pending or removed, and how many of them moved the entry. */
async function countJoined({ db }: Context, queue: Queue, { seq, link }: Visit): Promise<typeof NOBODY> {
  return db.query
    .selectFrom('form_referral as r')
    .innerJoin('entry as e', (join) =>
      join.onRef('e.queue_id', '=', 'r.queue_id').onRef('e.seq', '=', 'r.seq'),
    )
    .select(sql<number>`count(*)`.as('joined'))
    .select(
      sql<number>`count(case when e.credited = 1 and e.referrer_seq = ${seq} then 1 end)`.as('credited'),
    )
    .where('r.queue_id', '=', queue.id)
    .where('r.link', '=', link)
    .where((e) =>
      e.or([
        e('e.status', 'in', ['waiting', 'invited', 'joined']),
        e.and([e('e.status', '=', 'declined'), e('e.declined_from', '<>', 'pending')]),
      ]),
    )
    .executeTakeFirstOrThrow();
}

const findJoined = statement<{ queueId: number; seq: number }, Placed>((db, parameter) =>
  db.query
    .selectFrom('entry')
    .select(['seq', 'closed', 'opened'])
    .where('queue_id', '=', parameter('queueId'))
    .where('seq', '>=', parameter('seq'))
    .orderBy('seq')
    .limit(1),
);

const findNext = statement<{ queueId: number }, Placed>((db, parameter) =>
  db.query
    .selectFrom('queue_state')
    .select([sql<number>`last_seq + 1`.as('seq'), 'closed', 'opened'])
    .where('queue_id', '=', parameter('queueId')),
);

/** Where somebody who joined then is placed. */
async function placedThen({ db }: Context, { id: queueId }: Queue, seq: number): Promise<Placed> {
  const [[joined], [next]] = await Promise.all([
    db.run(findJoined, { queueId, seq }),
    db.run(findNext, { queueId }),
  ]);
  return joined ?? next ?? { seq, closed: 0, opened: 0 };
}

/** The position of somebody who joined then and has this rank. */
async function positionThen(
  { db }: Context,
  { id: queueId }: Queue,
  seq: number,
  rank: number,
): Promise<number> {
  const [found] = await db.run(positionAt, { queueId, rank, seq });
  return found?.position ?? 1;
}

/** Sends the confirmation link again, at most once a day. Does nothing for anyone who is not pending. */
export async function requestConfirmation(
  context: Context,
  token: string,
): Promise<PersonStatus | undefined> {
  const person = await personStatus(context, token);
  if (person?.status === 'pending') await record(context, person, { kind: 'confirmation.requested' });
  return person;
}

/** For somebody who only typed the address: its owner gets a mail with all links, at most one a day. */
export async function mailStatusLink(context: Context, token: string): Promise<PersonStatus | undefined> {
  const person = await personStatus(context, token);
  if (!person || person.status === 'removed') return undefined;
  await record(context, person, { kind: 'status.requested' });
  return person;
}

/** Emails the link to download or to delete their data, whoever asks: only the owner of the address can use it. */
export function requestOwnData(context: Context, person: PersonStatus, purpose: OwnData): Promise<void> {
  return record(context, person, { kind: 'data.requested', purpose });
}

type Requested =
  | { kind: 'confirmation.requested' | 'status.requested' }
  | { kind: 'data.requested'; purpose: OwnData };

function record(context: Context, { queue, seq }: PersonStatus, requested: Requested): Promise<void> {
  return changeQueue(context, queue, async (change) => {
    const entry = await change.trx
      .selectFrom('entry')
      .select(['status', 'email_hash', 'mailbox_hash'])
      .where('queue_id', '=', queue.id)
      .where('seq', '=', seq)
      .executeTakeFirst();
    // Who typed the address is not told. What is stored stays theirs.
    const isOff = entry?.status === 'removed' || entry?.status === 'declined';
    if (isOff && requested.kind !== 'data.requested') return;
    const mailbox = entry?.mailbox_hash ?? entry?.email_hash;
    if (mailbox && (await countIfAllowed(change, mailbox))) change.record({ ...requested, entry: seq });
  });
}
