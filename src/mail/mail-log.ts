import type { Database } from '../db/database.ts';
import { invalid } from '../lib/errors.ts';
import { formatId, oldestId, parseId } from '../lib/ids.ts';
import { HOUR_MS } from '../lib/time.ts';
import { responseRow } from '../outbox/delivery.ts';
import {
  type DeliveryFilter,
  type DeliveryRow,
  onLastAttempt,
  readDeliveryPage,
} from '../outbox/read-deliveries.ts';
import type { Target } from '../outbox/target.ts';
import { ifReadable } from '../vault/crypto.ts';
import type { Vault } from '../vault/vault.ts';
import type { MailState } from './templates/kinds.ts';

/** What mails to people and mails to operators have in common: what became of them. */
export interface MailSummary {
  id: string;
  kind: string;
  /** null if the recipient was erased. */
  to: string | null;
  state: MailState;
  attempts: number;
  error: string | null;
  createdAt: number;
  nextAttemptAt: number | null;
}

export interface MailAttempt {
  attempt: number;
  at: number;
  status: number | null;
  error: string | null;
  response: string | null;
}

export type MailRow = DeliveryRow;

export function stateOf({ due_at, failed_at, status }: MailRow): MailState {
  if (due_at !== null) return 'pending';
  if (failed_at !== null) return 'failed';
  return status === null ? 'kept' : 'sent';
}

/** The same as `stateOf`. */
const FILTERS: Record<MailState, DeliveryFilter> = {
  pending: { outcome: 'open' },
  failed: { outcome: 'failed' },
  sent: { outcome: 'done', answered: true },
  kept: { outcome: 'done', answered: false },
};

export interface MailPageQuery {
  limit: number;
  cursor?: string | undefined;
  state?: MailState | undefined;
  /** As the outbox knows it. */
  kind?: string | undefined;
}

/** The mails of a target, newest first. */
export async function readMailPage(
  db: Database,
  target: Target,
  { limit, cursor, state, kind }: MailPageQuery,
): Promise<{ rows: MailRow[]; nextCursor: string | null }> {
  const before = cursor === undefined ? undefined : { eventId: parseCursor(cursor), inclusive: false };
  const filter = state ? FILTERS[state] : {};
  const { rows, next } = await readDeliveryPage(db, target, { limit, before, kind, ...filter });
  return { rows, nextCursor: next && formatId('evt', next) };
}

export function parseCursor(cursor: string): Buffer {
  const id = parseId('evt', cursor);
  if (!id) throw invalid('cursor: must be the nextCursor of the previous page');
  return id;
}

export function summarizeMail(row: MailRow, kind: string, to: string | null): MailSummary {
  return {
    id: formatId('evt', row.event_id),
    kind,
    to,
    state: stateOf(row),
    attempts: row.attempts,
    error: row.error,
    createdAt: row.created_at,
    // One that is urgent is due before it was recorded.
    nextAttemptAt: row.due_at && Math.max(row.due_at, row.created_at),
  };
}

/** Each attempt to send a mail, with the server's response. */
export async function readMailAttempts(
  db: Database,
  vault: Pick<Vault<'delivery.response', never>, 'open'>,
  target: Target,
  eventId: Uint8Array,
): Promise<MailAttempt[]> {
  const rows = await db.query
    .selectFrom('delivery_attempt')
    .selectAll()
    .where('queue_id', '=', target.queueId)
    .where('event_id', '=', eventId)
    .where('channel', '=', target.channel)
    .orderBy('attempt')
    .execute();
  return rows.map(({ attempt, at, status, error, response }) => {
    const place = responseRow(target, { eventId, attempt });
    const said = response && ifReadable(() => vault.open<string>('delivery.response', place, response));
    return { attempt, at, status, error, response: said ?? null };
  });
}

const COUNTED_MAX = 10_000;

/**
 * No kept email is newer than this, and undefined means that there is none. Most installations keep emails only until
 * they have a mail server: then nobody has to look through all that were sent since.
 */
export async function newestKept({ query }: Database, target: Target): Promise<Buffer | undefined> {
  const { hour } = await query
    .selectFrom('delivery_stat')
    .select((e) => e.fn.max('hour').as('hour'))
    .where('queue_id', '=', target.queueId)
    .where('channel', '=', target.channel)
    .where('target_id', '=', target.id)
    .where('kept', '>', 0)
    .executeTakeFirstOrThrow();
  // Clocks may differ by up to an hour.
  return hour === null ? undefined : oldestId(hour + 2 * HOUR_MS);
}

/** How many emails of a target are kept. `more`: these, and others. */
export async function countKept(db: Database, target: Target): Promise<{ count: number; more: boolean }> {
  const before = await newestKept(db, target);
  if (!before) return { count: 0, more: false };
  const kept = db.query
    .selectFrom('delivery as d')
    .innerJoin('delivery_attempt as a', onLastAttempt)
    .select('d.event_id')
    .where('d.queue_id', '=', target.queueId)
    .where('d.channel', '=', target.channel)
    .where('d.target_id', '=', target.id)
    .where('d.event_id', '<', before)
    .where('d.due_at', 'is', null)
    .where('d.failed_at', 'is', null)
    .where('a.status', 'is', null)
    .limit(COUNTED_MAX + 1);
  const { count } = await db.query
    .selectFrom(kept.as('kept'))
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return { count: Math.min(Number(count), COUNTED_MAX), more: Number(count) > COUNTED_MAX };
}
