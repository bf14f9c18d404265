import type { Expression, ExpressionBuilder, JoinBuilder, Nullable, SqlBool } from 'kysely';
import type { Database } from '../db/database.ts';
import type { DeliveryAttemptTable, DeliveryTable, Tables } from '../db/tables.ts';
import type { Target } from './target.ts';

/** A delivery with its event, and the outcome of its last attempt. */
export interface DeliveryRow {
  target_id: Uint8Array;
  event_id: Uint8Array;
  due_at: number | null;
  attempts: number;
  delivered_at: number | null;
  failed_at: number | null;
  kind: string;
  body: Uint8Array | null;
  created_at: number;
  status: number | null;
  error: string | null;
}

export interface DeliveryFilter {
  outcome?: 'open' | 'failed' | 'done' | undefined;
  /** Whether the last attempt got a status. */
  answered?: boolean | undefined;
  kind?: string | undefined;
}

export interface PageQuery extends DeliveryFilter {
  limit: number;
  before?: { eventId: Uint8Array; inclusive: boolean } | undefined;
}

interface DeliveryPage {
  rows: DeliveryRow[];
  /** Where the next page begins, or null if there is none. */
  next: Uint8Array | null;
}

/** Rows that a page looks at. A rare filter gets a short page instead of a slow one. */
const LOOKED_AT = 5_000;
/** Up to this many unfinished deliveries are sorted. With more of them, the newest are among them anyway. */
const SORTED_MAX = 5_000;

type Query = Database['query'];

/** Deliveries of a target, newest event first. */
export async function readDeliveryPage(
  db: Database,
  target: Target,
  query: PageQuery,
): Promise<DeliveryPage> {
  const { limit, before, outcome, answered, kind } = query;
  const open = outcome === 'open' ? await findOpen(db, target) : undefined;
  if (open && open.length <= SORTED_MAX) return pageOf(db, target, open, query);
  const plain = answered === undefined && kind === undefined && (outcome ?? 'failed') === 'failed';
  const lookedAt = plain ? limit + 1 : LOOKED_AT;
  let ids = db.query
    .selectFrom('delivery')
    .select('event_id')
    .where('queue_id', '=', target.queueId)
    .where('channel', '=', target.channel)
    .where('target_id', '=', target.id)
    .orderBy('event_id', 'desc')
    .limit(lookedAt);
  if (before) ids = ids.where('event_id', before.inclusive ? '<=' : '<', before.eventId);
  if (outcome === 'failed') ids = ids.where('failed_at', 'is not', null);
  const found = (await ids.execute()).map(({ event_id }) => event_id);
  const page = await pageOf(db, target, found, { ...query, before: undefined });
  const isCut = page.next === null && found.length === lookedAt;
  return isCut ? { ...page, next: found.at(-1) ?? null } : page;
}

/** Along the index of due deliveries, so that a few old ones are found among millions. */
async function findOpen(db: Database, target: Target): Promise<Uint8Array[]> {
  const rows = await db.query
    .selectFrom('delivery')
    .select('event_id')
    .where('queue_id', '=', target.queueId)
    .where('channel', '=', target.channel)
    .where('target_id', '=', target.id)
    .where('due_at', 'is not', null)
    .limit(SORTED_MAX + 1)
    .execute();
  return rows.map(({ event_id }) => event_id).sort((a, b) => Buffer.compare(b, a));
}

const STEP = 500;

/** Takes the first deliveries that pass the filter from a list of events, newest first. */
async function pageOf(
  db: Database,
  target: Target,
  eventIds: readonly Uint8Array[],
  { limit, before, ...filter }: PageQuery,
): Promise<DeliveryPage> {
  const ids = before ? eventIds.filter((id) => isBefore(id, before)) : eventIds;
  const rows: DeliveryRow[] = [];
  const step = Math.max(STEP, limit + 1);
  for (let from = 0; from < ids.length && rows.length <= limit; from += step) {
    const some = ids.slice(from, from + step);
    const found = await selectDeliveries(db.query, target.queueId, target.channel)
      .where('d.target_id', '=', target.id)
      .where((e) => db.in(e.ref('d.event_id'), some))
      .where((e) => passes(e, filter))
      .orderBy('d.event_id', 'desc')
      .limit(limit + 1 - rows.length)
      .execute();
    rows.push(...found);
  }
  const shown = rows.slice(0, limit);
  return { rows: shown, next: rows.length > limit ? (shown.at(-1)?.event_id ?? null) : null };
}

function isBefore(id: Uint8Array, { eventId, inclusive }: NonNullable<PageQuery['before']>): boolean {
  const order = Buffer.compare(id, eventId);
  return inclusive ? order <= 0 : order < 0;
}

export async function readDelivery(
  db: Database,
  target: Target,
  eventId: Uint8Array,
): Promise<DeliveryRow | undefined> {
  return selectDeliveries(db.query, target.queueId, target.channel)
    .where('d.target_id', '=', target.id)
    .where('d.event_id', '=', eventId)
    .executeTakeFirst();
}

/** Deliveries of all targets of a channel whose message is about one of these subjects, newest first. */
export async function readDeliveriesAbout(
  db: Database,
  { queueId, channel }: Pick<Target, 'queueId' | 'channel'>,
  subjects: readonly Uint8Array[],
  { limit, after }: { limit: number; after?: { eventId: Uint8Array; targetId: Uint8Array } | undefined },
): Promise<DeliveryRow[]> {
  const found = new Map<string, DeliveryRow>();
  for (const subject of subjects) {
    let query = selectDeliveries(db.query, queueId, channel)
      .innerJoin('event_subject as s', (join) =>
        join.onRef('s.queue_id', '=', 'd.queue_id').onRef('s.event_id', '=', 'd.event_id'),
      )
      .where('s.queue_id', '=', queueId)
      .where('s.subject', '=', subject)
      .orderBy('s.event_id', 'desc')
      .orderBy('d.target_id')
      .limit(limit);
    if (after)
      query = query.where((e) =>
        e.or([
          e('s.event_id', '<', after.eventId),
          e.and([e('s.event_id', '=', after.eventId), e('d.target_id', '>', after.targetId)]),
        ]),
      );
    for (const row of await query.execute())
      found.set(Buffer.concat([row.event_id, row.target_id]).toString('latin1'), row);
  }
  return [...found.values()]
    .sort((a, b) => Buffer.compare(b.event_id, a.event_id) || Buffer.compare(a.target_id, b.target_id))
    .slice(0, limit);
}

type Joined = Tables & { d: DeliveryTable; e: Tables['event']; a: Nullable<DeliveryAttemptTable> };

function passes(
  e: ExpressionBuilder<Joined, 'd' | 'e' | 'a'>,
  { outcome, answered, kind }: DeliveryFilter,
): Expression<SqlBool> {
  return e.and([
    ...(outcome === undefined ? [] : [e('d.due_at', outcome === 'open' ? 'is not' : 'is', null)]),
    ...(outcome === 'failed' || outcome === 'done'
      ? [e('d.failed_at', outcome === 'failed' ? 'is not' : 'is', null)]
      : []),
    ...(answered === undefined ? [] : [e('a.status', answered ? 'is not' : 'is', null)]),
    ...(kind === undefined ? [] : [e('e.kind', '=', kind)]),
  ]);
}

export function selectDeliveries(query: Query, queueId: number, channel: string) {
  return query
    .selectFrom('delivery as d')
    .innerJoin('event as e', (join) =>
      join.onRef('e.queue_id', '=', 'd.queue_id').onRef('e.id', '=', 'd.event_id'),
    )
    .leftJoin('delivery_attempt as a', onLastAttempt)
    .select(['d.target_id', 'd.event_id', 'd.due_at', 'd.attempts', 'd.delivered_at', 'd.failed_at'])
    .select(['e.kind', 'e.body', 'e.created_at', 'a.status', 'a.error'])
    .where('d.queue_id', '=', queueId)
    .where('d.channel', '=', channel);
}

/** When something was last sent to a target, and why it failed, if it did. */
export async function readLastAttempt(
  db: Database,
  target: Target,
): Promise<{ at: number; error: string | null } | undefined> {
  return db.query
    .selectFrom('delivery as d')
    .innerJoin('delivery_attempt as a', onLastAttempt)
    .select(['a.at', 'a.error'])
    .where('d.queue_id', '=', target.queueId)
    .where('d.channel', '=', target.channel)
    .where('d.target_id', '=', target.id)
    .orderBy('d.event_id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

type WithLastAttempt = Tables & { d: DeliveryTable; a: DeliveryAttemptTable };

/** Joins to `delivery as d` what its last attempt was, as `a`. */
export function onLastAttempt(
  join: JoinBuilder<WithLastAttempt, 'd' | 'a'>,
): JoinBuilder<WithLastAttempt, 'd' | 'a'> {
  return join
    .onRef('a.queue_id', '=', 'd.queue_id')
    .onRef('a.event_id', '=', 'd.event_id')
    .onRef('a.channel', '=', 'd.channel')
    .onRef('a.target_id', '=', 'd.target_id')
    .onRef('a.attempt', '=', 'd.attempts');
}
