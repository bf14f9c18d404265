import type { ClaimedRow } from '../db/claims.ts';
import type { Database, Trx } from '../db/database.ts';
import type { Log } from '../lib/log.ts';
import { randomBytes } from '../lib/random-bytes.ts';
import type { OpenTarget, OpenTargets } from './channel.ts';
import type { Delivery } from './delivery.ts';
import { holdBack } from './hold.ts';
import { Permit } from './permit.ts';
import { renewPermits } from './renew-permits.ts';
import type { TargetState } from './target-state.ts';

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
