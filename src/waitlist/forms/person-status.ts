import { sql } from 'kysely';
import { statement } from '../../db/statement.ts';
import type { Status } from '../../db/tables.ts';
import { parseId } from '../../lib/ids.ts';
import { queueOfLink, readLink, signLink } from '../links/links.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import { positionAt } from '../queue/find-place.ts';
import { type Placed, placeOf } from '../queue/place.ts';
import { positionOf } from '../queue/positions.ts';
import type { Queue } from '../queue/queue.ts';
import { referralCodesOf } from '../referrals/referral-code.ts';
import { visitCodeOf } from '../referrals/visit-code.ts';
import { takeMail } from './mail-limit.ts';
import { openVisit, type Visit } from './visit-token.ts';

/** What the status page shows. */
export interface PersonStatus {
  queue: Queue;
  seq: number;
  status: Status;
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
}

const columns = ['e.seq', 'e.status', 'e.referrals'] as const;

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
  const place = visit ? await positionThen(context, queue, visit) : null;
  const [row] = rows;
  if (!row) return undefined;
  const { seq, status, referrals, position } = row;
  const common = {
    queue,
    seq,
    referralCode: link ? referralCodesOf(queue).of(seq) : visitCodeOf(queue, seq, token),
    boost: await boostOf(context, queue),
    leaveToken: link ? signLink(queue, 'leave', link) : null,
  };
  if (!visit?.known) return { ...common, status, referrals, position };
  return { ...common, status: 'waiting', referrals: 0, position: place };
}

async function boostOf({ db }: Context, queue: Queue): Promise<number> {
  const row = await db.query
    .selectFrom('waitlist')
    .select('boost')
    .where('id', '=', queue.waitlist.internalId)
    .executeTakeFirst();
  return row?.boost ?? 0;
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

/** The position of somebody who joined then and has no referrals. */
async function positionThen({ db }: Context, { id: queueId }: Queue, { place: seq }: Visit): Promise<number> {
  const [[joined], [next]] = await Promise.all([
    db.run(findJoined, { queueId, seq }),
    db.run(findNext, { queueId }),
  ]);
  const placed = joined ?? next;
  if (!placed) return 1;
  const [found] = await db.run(positionAt, { queueId, rank: placeOf(placed), seq });
  return found?.position ?? 1;
}

/** Sends the confirmation link again, at most once a day. Does nothing for anyone who is not pending. */
export async function requestConfirmation(
  context: Context,
  token: string,
): Promise<PersonStatus | undefined> {
  const person = await personStatus(context, token);
  if (person?.status === 'pending') await record(context, person, 'confirmation.requested');
  return person;
}

/** For somebody who only typed the address: its owner gets a mail with all links, at most one a day. */
export async function mailStatusLink(context: Context, token: string): Promise<PersonStatus | undefined> {
  const person = await personStatus(context, token);
  if (!person || person.status === 'removed') return undefined;
  await record(context, person, 'status.requested');
  return person;
}

function record(
  context: Context,
  { queue, seq }: PersonStatus,
  kind: 'confirmation.requested' | 'status.requested',
): Promise<void> {
  return changeQueue(context, queue, async (change) => {
    const entry = await change.trx
      .selectFrom('entry')
      .select(['status', 'email_hash', 'mailbox_hash'])
      .where('queue_id', '=', queue.id)
      .where('seq', '=', seq)
      .executeTakeFirst();
    if (entry?.status === 'removed') return; // Who typed the address is not told.
    const mailbox = entry?.mailbox_hash ?? entry?.email_hash;
    if (mailbox && (await takeMail(change, mailbox))) change.record({ kind, entry: seq });
  });
}
