import { type RawBuilder, sql } from 'kysely';

export interface ClaimRequest {
  queueId: number;
  channel: string;
  targetId: Uint8Array;
  limit: number;
}

export interface Lease {
  now: number;
  leaseEnd: number;
  /** The claim is valid as long as the row has this token. */
  token: Uint8Array;
}

export interface ClaimedRow {
  event_id: Uint8Array;
  tries: number;
  attempts: number;
  body: Uint8Array | null;
}

type Parameter = (name: keyof Lease) => RawBuilder<unknown>;

/** The attempt counts from here on, even if this process dies. */
export function leaseDeliveries(parameter: Parameter): RawBuilder<unknown> {
  return sql`update delivery set due_at = ${parameter('leaseEnd')}, token = ${parameter('token')},
    tries = tries + 1, attempts = attempts + 1`;
}

export const CLAIMED = sql`delivery.event_id, delivery.tries, delivery.attempts,
  (select e.body from event as e where e.queue_id = delivery.queue_id and e.id = delivery.event_id) as body`;
