import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import type { Tables } from '../../db/tables.ts';
import { parseId } from '../../lib/ids.ts';
import { findSegment, type Segment, selectSegment } from '../entries/segment.ts';
import type { Invitee } from '../invites/create-invites.ts';
import { type PickedRow, toInvitee } from '../invites/invite-run.ts';
import { pairsMeant } from '../people/person.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { type Group, groupsOf, type WavePlan } from './plan.ts';

/** Sorted in a fraction of a second. In a larger segment, the next people are near the front of the queue. */
const FEW = 10_000;

export interface SizedGroup extends Group {
  /** Few people are in its segment, so they are found by it instead of along the queue. */
  few: boolean;
}

/** Before the lock, because it can take a while to count. */
export async function sizeGroups({ db }: Context, queue: Queue, plan: WavePlan): Promise<SizedGroup[]> {
  const sized: SizedGroup[] = [];
  for (const group of groupsOf(plan)) {
    const waiting = group.segment && { ...group.segment, status: 'waiting' as const };
    const found = waiting ? await findSegment(db, queue, waiting, { after: 0, limit: FEW }) : [];
    sized.push({ ...group, few: waiting !== null && found.length < FEW });
  }
  return sized;
}

interface Picking {
  waveId: Uint8Array;
  groups: readonly SizedGroup[];
  /** Places that each group got in earlier batches. */
  seats: readonly number[];
  limit: number;
  unreadable: readonly number[];
}

interface Picked {
  invitees: Invitee[];
  seats: number[];
  unreadable: number[];
  /** Whether everyone whom the wave may invite was found. */
  nobodyLeft: boolean;
}

/** In one transaction. The next one goes on behind them. */
const PASSED_MAX = 500;

/**
 * The next people by the order of the queue, and by quotas. What a group has nobody for goes to the others. Whoever is
 * damaged is passed over, however few places there are.
 */
export async function pickPeople(context: Context, change: QueueChange, picking: Picking): Promise<Picked> {
  const invitees: Invitee[] = [];
  const unreadable = [...picking.unreadable];
  const seats = picking.groups.map((_, index) => picking.seats[index] ?? 0);
  for (;;) {
    const passed = unreadable.length - picking.unreadable.length;
    const left = picking.limit - invitees.length;
    if (left === 0 || passed >= PASSED_MAX) return { invitees, seats, unreadable, nobodyLeft: false };
    const known = [...unreadable, ...invitees.map(({ entry }) => entry?.seq ?? 0)];
    const next = { ...picking, limit: left + passed, known };
    const shares: { weight: number; seats: number; index: number; line: PickedRow[] }[] = [];
    for (const [index, group] of picking.groups.entries()) {
      const line = (await nextOfGroup(context, change, group, next)).toReversed();
      shares.push({ weight: group.weight, seats: seats[index] ?? 0, index, line });
    }
    while (invitees.length < picking.limit) {
      const share = nextShare(shares.filter(({ line }) => line.length > 0));
      const row = share?.line.pop();
      if (!share || !row) break;
      const invitee = toInvitee(context, change.queue, row);
      if (invitee) {
        invitees.push(invitee);
        share.seats += 1;
        seats[share.index] = share.seats;
      } else unreadable.push(row.seq);
    }
    const isShort = invitees.length < picking.limit;
    if (isShort && unreadable.length - picking.unreadable.length === passed)
      return { invitees, seats, unreadable, nobodyLeft: true };
  }
}

/** Waiting, with an email, and never invited by this wave before. */
async function nextOfGroup(
  { db }: Context,
  { trx, queue }: QueueChange,
  { segment, without, few }: SizedGroup,
  { waveId, limit, known }: Omit<Picking, 'unreadable'> & { known: readonly number[] },
): Promise<PickedRow[]> {
  const entries =
    segment && few
      ? (await selectSegment(db, trx, queue, segment, 0)).clearOrderBy().orderBy(sql`e.rank + 0`)
      : trx.selectFrom('entry as e').where('e.queue_id', '=', queue.id).orderBy('e.rank');
  let query = (entries as Awaited<ReturnType<typeof selectSegment>>)
    .select(['e.seq', 'e.id', 'e.rank', 'e.email_hash', 'e.person'])
    .where('e.status', '=', 'waiting')
    .where('e.email_hash', 'is not', null)
    .where((x) => x.not(db.in(x.ref('e.seq'), known)))
    .where((x) =>
      x.not(
        x.exists(
          x
            .selectFrom('invite as i')
            .select('i.id')
            .where('i.queue_id', '=', queue.id)
            .whereRef('i.email_hash', '=', 'e.email_hash')
            .where('i.wave_id', '=', waveId),
        ),
      ),
    )
    .where((x) => x.and(without.map((other) => x.not(matches(db, x, queue, other)))));
  if (segment && !few) query = query.where((x) => matches(db, x, queue, segment));
  return query.orderBy('e.seq', 'desc').limit(limit).execute();
}

type Entries = ExpressionBuilder<Tables & { e: Tables['entry'] }, 'e'>;

/** Never null, so that its opposite selects everyone else. */
function matches(db: Database, x: Entries, queue: Queue, segment: Segment): Expression<SqlBool> {
  const { pairs = [], minReferrals, joinedBefore, joinedAfter, referrer } = segment;
  return x.and([
    ...pairs.map(({ key, value }) =>
      x.exists(
        x
          .selectFrom('metadata_pair as p')
          .select('p.seq')
          .where('p.queue_id', '=', queue.id)
          .whereRef('p.seq', '=', 'e.seq')
          .where((y) => db.in(y.ref('p.pair_hash'), pairsMeant(queue.vault, key, value))),
      ),
    ),
    ...(minReferrals === undefined ? [] : [x('e.referrals', '>=', minReferrals)]),
    ...(joinedBefore === undefined ? [] : [x('e.created_at', '<', joinedBefore)]),
    ...(joinedAfter === undefined ? [] : [x('e.created_at', '>=', joinedAfter)]),
    ...(referrer === undefined
      ? []
      : [
          x.exists(
            x
              .selectFrom('entry as r')
              .select('r.seq')
              .where('r.queue_id', '=', queue.id)
              .where('r.id', '=', parseId('ent', referrer) ?? Buffer.alloc(0))
              .whereRef('r.seq', '=', 'e.referrer_seq'),
          ),
        ]),
  ]);
}

/** A share of the invites, as a weight, and how many it got so far. */
interface Share {
  readonly weight: number;
  seats: number;
}

/**
 * Which of the shares gets the next place, by the quota method of Balinski and Young: among the shares that it does
 * not take beyond their part, rounded up, the one with the most weight for each place. After every place, each
 * share is less than one person away from its part of all places.
 */
export function nextShare<S extends Share>(shares: readonly S[]): S | undefined {
  const weights = shares.reduce((sum, { weight }) => sum + weight, 0);
  const places = shares.reduce((sum, { seats }) => sum + seats, 0) + 1;
  const within = shares.filter(({ weight, seats }) => seats * weights < weight * places);
  return within.reduce<S | undefined>(
    (best, each) => (!best || each.weight * (best.seats + 1) > best.weight * (each.seats + 1) ? each : best),
    undefined,
  );
}
