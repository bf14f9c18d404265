import { sql } from 'kysely';
import type { Database, Trx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Log } from '../log.ts';
import { randomBytes } from '../random-bytes.ts';
import type { OpenTarget, OpenTargets } from './channel.ts';
import type { Delivery } from './delivery.ts';
import { Permit } from './permit.ts';
import { renewPermits } from './renew-permits.ts';
import type { TargetState } from './target-state.ts';

/** A target that is switched off is asked again this often. */
const CLOSED_PAUSE_MS = 5_000;
const TOKEN_BYTES = 16;

/** What came of claiming for one target. */
export interface Claim {
  deliveries: Delivery[];
  /** There may be more. */
  ready: boolean;
  pauseMs: number;
}

interface ClaimedRow {
  event_id: Uint8Array;
  tries: number;
  attempts: number;
  body: Uint8Array | null;
}

export const claimDeliveries = statement<
  {
    queueId: number;
    channel: string;
    id: Uint8Array;
    limit: number;
    now: number;
    leaseEnd: number;
    token: Uint8Array;
  },
  ClaimedRow
>((db, parameter) => {
  const ofTarget = sql`queue_id = ${parameter('queueId')} and channel = ${parameter('channel')}
    and target_id = ${parameter('id')}`;
  const query = sql`with picked as materialized (
      select event_id from delivery where ${ofTarget} and due_at <= ${parameter('now')}
      order by due_at, event_id limit ${parameter('limit')} ${db.skipLocked}
    )
    update delivery set due_at = ${parameter('leaseEnd')}, token = ${parameter('token')},
      tries = tries + 1, attempts = attempts + 1
    where ${ofTarget} and event_id in (select event_id from picked)
    returning event_id, tries, attempts,
      (select e.body from event as e where e.queue_id = delivery.queue_id and e.id = delivery.event_id) as body`;
  return { compile: () => query.compile(db.query) as never };
});

interface Prepared {
  readonly states: readonly TargetState[];
  readonly open: OpenTargets<unknown>;
}

/** Asks each channel about its targets, before the transaction that claims from them. */
export async function prepareTargets(states: readonly TargetState[]): Promise<Prepared[]> {
  const prepared: Prepared[] = [];
  for (const [channel, some] of Map.groupBy(states, (state) => state.channel))
    prepared.push({ states: some, open: await channel.prepare(some.map(({ target }) => target)) });
  return prepared;
}

/**
 * Claims for each target what this process has room for and the target's quota lets through. The attempt counts from
 * here on, whatever becomes of this process.
 */
export async function claimDue(
  parts: { db: Database; log: Log },
  trx: Trx,
  prepared: readonly Prepared[],
  { now, leaseMs }: { now: number; leaseMs: number },
): Promise<Map<TargetState, Claim>> {
  const startedAt = performance.now();
  const claims = new Map<TargetState, Claim>();
  const requests: { state: TargetState; openTarget: OpenTarget<unknown>; limit: number }[] = [];
  for (const { states, open } of prepared) {
    const opened = await open(trx, now);
    for (const [index, state] of states.entries()) {
      const openTarget = opened[index];
      const { left = Number.POSITIVE_INFINITY, againInMs = 0 } = openTarget?.quota ?? {};
      const limit = Math.min(state.room, left);
      if (!openTarget) claims.set(state, { deliveries: [], ready: false, pauseMs: CLOSED_PAUSE_MS });
      else if (limit < 1) claims.set(state, { deliveries: [], ready: true, pauseMs: againInMs });
      else requests.push({ state, openTarget, limit });
    }
  }
  const token = randomBytes(TOKEN_BYTES);
  const lease = { now, leaseEnd: now + leaseMs, token };
  const claimed = await Promise.all(
    requests.map(({ state, limit }) => trx.run(claimDeliveries, { ...state.target, ...lease, limit })),
  );
  for (const [index, { state, openTarget, limit }] of requests.entries()) {
    const { channel, target } = state;
    const { setup, quota } = openTarget;
    const rows = inOrder(claimed[index] ?? []);
    if (quota && rows.length > 0) await channel.charge(trx, target, quota, rows.length, now);
    const startBefore = startedAt + leaseMs - channel.deadlineMs;
    const deliveries = rows.map(({ event_id: eventId, tries, attempts: attempt, body }): Delivery => {
      const permit = new Permit(startedAt, () => renewPermits(parts, state));
      return { target, eventId, tries, attempt, body, token, startBefore, permit, setup };
    });
    claims.set(state, { deliveries, ready: rows.length === limit, pauseMs: 0 });
  }
  return claims;
}

/** As things happened. */
function inOrder(rows: readonly ClaimedRow[]): ClaimedRow[] {
  return rows.toSorted((a, b) => Buffer.compare(a.event_id, b.event_id));
}
