import { type Expression, sql } from 'kysely';
import { statement } from '../../db/statement.ts';
import type { Queue } from './queue.ts';
import { SETTINGS, type SettingsRow } from './queue-settings.ts';

export interface LockedRow {
  last_seq: number;
  waiting: number;
  listens: string;
}

/** All that a change reads of a queue after it was locked. */
export interface QueueState {
  readonly row: LockedRow;
  readonly settings: SettingsRow;
}

export interface Identities {
  readonly emails: readonly Buffer[];
  readonly phones: readonly Buffer[];
}

type Expectation = Identities &
  LockedRow &
  Omit<SettingsRow, 'now'> & { readonly queueId: number; readonly waitlistId: number };

/** Whether the queue is as expected, and none of these people is in it. If not, the transaction writes nothing. */
export const expectQueue = statement<Expectation, { holds: number }>((db, parameter) => {
  const queueId = parameter('queueId');
  const hasState = sql`exists (select from queue_state where queue_id = ${queueId}
    and last_seq = ${parameter('last_seq')} and waiting = ${parameter('waiting')} and listens = ${parameter('listens')})`;
  const same = SETTINGS.map((name) => sql`${sql.ref(name)} is not distinct from ${parameter(name)}`);
  const hasSettings = sql`exists (select from waitlist where id = ${parameter('waitlistId')} and deleted_at is null
    and ${sql.join(same, sql` and `)}
    and (select enabled from form where queue_id = ${queueId}) is not distinct from ${parameter('form_enabled')})`;
  const knows = (column: string, hashes: Expression<unknown>) =>
    sql`exists (select from entry where queue_id = ${queueId} and ${db.in(sql.ref(column), hashes)})`;
  const condition = sql`${hasState} and ${hasSettings} and not ${knows('email_hash', parameter('emails'))}
    and not ${knows('phone_hash', parameter('phones'))}`;
  const holds = db.applyIf?.(condition) ?? sql`0`;
  return { compile: () => sql<{ holds: number }>`select ${holds} as holds`.compile(db.query) };
});

export function expectationOf(
  queue: Queue,
  { row, settings: { now: _, ...settings } }: QueueState,
  unknown: Identities,
): Expectation {
  return { ...row, ...settings, ...unknown, queueId: queue.id, waitlistId: queue.waitlist.internalId };
}
