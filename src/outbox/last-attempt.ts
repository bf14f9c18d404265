import type { JoinBuilder } from 'kysely';
import type { DeliveryAttemptTable, DeliveryTable, Tables } from '../db/tables.ts';

type Joined = Tables & { d: DeliveryTable; a: DeliveryAttemptTable };

/** Joins to `delivery as d` what its last attempt was, as `a`. */
export function onLastAttempt(join: JoinBuilder<Joined, 'd' | 'a'>): JoinBuilder<Joined, 'd' | 'a'> {
  return join
    .onRef('a.queue_id', '=', 'd.queue_id')
    .onRef('a.event_id', '=', 'd.event_id')
    .onRef('a.channel', '=', 'd.channel')
    .onRef('a.target_id', '=', 'd.target_id')
    .onRef('a.attempt', '=', 'd.attempts');
}
