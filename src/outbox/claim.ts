import type { ClaimedRow } from '../db/claims.ts';
import type { Database, Trx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { bytesKey, randomBytes } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { logSparingly } from '../lib/sparing-log.ts';
import type { OpenTarget, OpenTargets } from './channel.ts';
import { type Delivery, giveBack, Permit } from './delivery.ts';
import type { TargetState } from './round-robin.ts';
import type { Target } from './target.ts';

/** How often to check whether a disabled target has been enabled. */
const CLOSED_PAUSE_MS = 5_000;
const TOKEN_BYTES = 16;

export interface Claim {
  deliveries: Delivery[];
  /** More deliveries may be due. */
  ready: boolean;
  pauseMs: number;
}

interface Prepared {
  readonly states: readonly TargetState[];
  readonly open: OpenTargets<unknown>;
}

export async function prepareTargets(states: readonly TargetState[]): Promise<Prepared[]> {
  const prepared: Prepared[] = [];
  for (const [channel, some] of Map.groupBy(states, (state) => state.channel))
    prepared.push({ states: some, open: await channel.prepare(some.map(({ target }) => target)) });
  return prepared;
}

/**
 * Claims as many deliveries from each target as this process has room for and the target's quota allows. The
 * attempt counts from here on, even if this process dies.
 */
export async function claimDue(
  parts: { db: Database; log: Log },
  trx: Trx,
  prepared: readonly Prepared[],
  { now, leaseMs }: { now: number; leaseMs: number },
): Promise<Map<TargetState, Claim>> {
  const startedAt = performance.now();
  const claims = new Map<TargetState, Claim>();
  const requests: Request[] = [];
  for (const { states, open } of prepared) {
    const opened = await open(trx, now);
    for (const [index, state] of states.entries()) {
      const request = requestFor(state, opened[index]);
      if ('limit' in request) requests.push(request);
      else claims.set(state, request);
    }
  }
  const token = randomBytes(TOKEN_BYTES);
  const claimed = await parts.db.claimDeliveries(
    trx,
    requests.map(({ state: { target }, limit }) => ({ ...target, targetId: target.id, limit })),
    { now, leaseEnd: now + leaseMs, token },
  );
  for (const [index, { state, setup, limit }] of requests.entries()) {
    const { channel, target } = state;
    const rows = inOrder(claimed[index] ?? []);
    const startBefore = startedAt + leaseMs - channel.deadlineMs;
    const deliveries = rows.map(({ event_id: eventId, tries, attempts: attempt, body }): Delivery => {
      const permit = new Permit(startedAt, () => renewPermits(parts, state));
      return { target, eventId, tries, attempt, body, token, startBefore, permit, setup };
    });
    claims.set(state, { deliveries, ready: rows.length === limit, pauseMs: 0 });
  }
  await holdBack(trx, claims, now);
  for (const { state, quota } of requests) {
    const { length } = claims.get(state)?.deliveries ?? [];
    if (quota && length > 0) await state.channel.charge(trx, state.target, quota, length, now);
  }
  return claims;
}

interface Request extends OpenTarget<unknown> {
  state: TargetState;
  limit: number;
}

/** Returns an empty claim if nothing may be sent now. */
function requestFor(state: TargetState, open: OpenTarget<unknown> | undefined): Request | Claim {
  if (!open) return { deliveries: [], ready: false, pauseMs: CLOSED_PAUSE_MS };
  const { left = Number.POSITIVE_INFINITY, againInMs = 0 } = open.quota ?? {};
  const limit = Math.min(state.room, left);
  return limit < 1 ? { deliveries: [], ready: true, pauseMs: againInMs } : { ...open, state, limit };
}

/** In the order of the events. */
function inOrder(rows: readonly ClaimedRow[]): ClaimedRow[] {
  return rows.toSorted((a, b) => Buffer.compare(a.event_id, b.event_id));
}

/** Gives back what a channel does not send yet. */
async function holdBack(
  trx: Trx,
  claims: ReadonlyMap<TargetState, { deliveries: Delivery[] }>,
  now: number,
): Promise<void> {
  for (const [channel, some] of Map.groupBy(claims, ([state]) => state.channel)) {
    const claimed = some.flatMap(([, { deliveries }]) => deliveries);
    if (!channel.restrain || claimed.length === 0) continue;
    const held = await channel.restrain(trx, claimed, now);
    if (held.size === 0) continue;
    for (const [, claim] of some) {
      const waiting = claim.deliveries.filter((delivery) => held.has(delivery));
      for (const [until, deliveries] of Map.groupBy(waiting, (delivery) => held.get(delivery) ?? now))
        await giveBack(trx, deliveries, until);
      claim.deliveries = claim.deliveries.filter((delivery) => !held.has(delivery));
    }
  }
}

interface StandingRow {
  event_id: Uint8Array;
  token: Uint8Array | null;
  /** null if erased. */
  event: number | null;
}

const findStanding = statement<Target & { eventIds: readonly Uint8Array[] }, StandingRow>((db, parameter) =>
  db.query
    .selectFrom('delivery as d')
    // What concerns the installation itself, such as mails to operators, belongs to no queue.
    .leftJoin('queue as q', 'q.id', 'd.queue_id')
    .leftJoin('waitlist as w', 'w.id', 'q.waitlist_id')
    .leftJoin('event as e', (join) =>
      join
        .on('e.queue_id', '=', parameter('queueId'))
        .onRef('e.id', '=', 'd.event_id')
        .on('e.body', 'is not', null),
    )
    .select(['d.event_id', 'd.token', 'e.created_at as event'])
    .where('w.deleted_at', 'is', null)
    .where('d.queue_id', '=', parameter('queueId'))
    .where('d.channel', '=', parameter('channel'))
    .where('d.target_id', '=', parameter('id'))
    .where((e) => db.in(e.ref('d.event_id'), parameter('eventIds'))),
);

export const DELIVERIES_DELAYED = 'deliveries are delayed: the database did not respond';

/**
 * Runs one query per target at a time, for all of its deliveries: the ones that have not started will need
 * theirs next.
 */
async function renewPermits({ db, log }: { db: Database; log: Log }, state: TargetState): Promise<void> {
  state.renewing ??= renewAll();
  await state.renewing;

  async function renewAll(): Promise<void> {
    try {
      await askDatabase(db, state);
    } catch (error) {
      logSparingly(log, 'warn', { reason: (error as Error).message }, DELIVERIES_DELAYED);
      for (const { permit } of state.underWay) if (!permit.isGiven()) permit.end();
    } finally {
      state.renewing = undefined;
    }
  }
}

async function askDatabase(db: Database, { target, channel, underWay, waiting }: TargetState): Promise<void> {
  const deliveries = [...underWay, ...waiting];
  const eventIds = deliveries.map(({ eventId }) => eventId);
  const checkedAt = performance.now();
  const [rows, setup] = await Promise.all([
    db.run(findStanding, { ...target, eventIds }),
    channel.reopen?.(target),
  ]);
  const isClosed = channel.reopen !== undefined && setup === undefined;
  const byEvent = new Map(rows.map((row) => [bytesKey(row.event_id), row]));
  for (const delivery of deliveries) {
    const { permit, eventId, token, startBefore } = delivery;
    const row = byEvent.get(bytesKey(eventId));
    const ours = row?.token && Buffer.compare(row.token, token) === 0;
    if (!ours || checkedAt >= startBefore) permit.end();
    else if (row.event === null) permit.endErased();
    else if (isClosed) permit.end();
    else {
      delivery.setup = setup ?? delivery.setup;
      permit.extend(checkedAt);
    }
  }
}
