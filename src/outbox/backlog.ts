import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { bytesKey } from '../lib/ids.ts';
import { isHeld } from './hold.ts';
import { findDueTargets } from './target.ts';

const BACKLOG_STATES = ['pending', 'held', 'failed', 'done'] as const;

export interface BacklogCount {
  channel: string;
  /** `held`: the endpoint is disabled, or the channel does not send it yet. */
  state: (typeof BACKLOG_STATES)[number];
  count: number;
  /** When the oldest undelivered event happened. */
  oldestAt: number | null;
}

interface BacklogError {
  channel: string;
  error: string;
  count: number;
  lastAt: number;
}

/**
 * Counts all stored deliveries by channel and state. Reads every row, so it is for commands, not for the
 * server.
 */
export async function countBacklog(db: Database, now: number): Promise<BacklogCount[]> {
  const { rows } = await sql<{
    channel: string;
    state: BacklogCount['state'];
    count: number;
    oldest: number | null;
  }>`
    select channel, state, count(*) as count, min(created_at) as oldest from (
      select d.channel, e.created_at,
        case when d.due_at is null then case when d.failed_at is null then 'done' else 'failed' end
          when w.disabled_at is null and not (d.token is null and d.due_at > ${now}) then 'pending' else 'held' end as state
      from delivery as d
      left join webhook_endpoint as w on w.queue_id = d.queue_id and w.id = d.target_id
      left join event as e on e.queue_id = d.queue_id and e.id = d.event_id and d.due_at is not null
    ) as deliveries group by channel, state order by channel, state`.execute(db.query);
  return rows.map(({ channel, state, count, oldest }) => ({ channel, state, count, oldestAt: oldest }));
}

/** Counts undelivered messages by the error of their last attempt, most frequent first. */
export async function countBacklogErrors(db: Database, limit: number): Promise<BacklogError[]> {
  const { rows } = await sql<BacklogError>`
    select d.channel, a.error, count(*) as count, max(a.at) as "lastAt"
    from delivery as d join delivery_attempt as a on a.queue_id = d.queue_id and a.event_id = d.event_id
      and a.channel = d.channel and a.target_id = d.target_id and a.attempt = d.attempts
    where (d.due_at is not null or d.failed_at is not null) and a.error is not null
    group by d.channel, a.error order by count(*) desc limit ${limit}`.execute(db.query);
  return rows;
}

interface ChannelBacklog {
  pending: number;
  oldestAt: number | null;
}

interface Glance extends ChannelBacklog {
  oldestUnexplainedAt: number | null;
  /** Only those with something pending. */
  channels: ReadonlyMap<string, ChannelBacklog>;
  /** By channel, what a disabled endpoint or a pause keeps. */
  held: ReadonlyMap<string, number>;
}

/**
 * A cheaper estimate: its cost depends on the number of targets, not on the size of the backlog. It counts up to a number
 * for each channel, and apart from it what is held. What waits for a failing endpoint has an explanation.
 */
export async function glanceAtBacklog(db: Database, most: number, now: number): Promise<Glance> {
  const unwell = await db.query
    .selectFrom('webhook_endpoint')
    .select(['id', 'disabled_at'])
    .where((is) => is.or([is('disabled_at', 'is not', null), is('failing_since', 'is not', null)]))
    .where((e) => db.reachable(e.ref('queue_id')))
    .execute();
  const namesOf = (rows: typeof unwell) => new Set(rows.map(({ id }) => bytesKey(id)));
  const disabled = namesOf(unwell.filter(({ disabled_at }) => disabled_at !== null));
  const failing = namesOf(unwell);
  let oldest: Buffer | undefined;
  let unexplained: Buffer | undefined;
  const channels = new Map<string, ChannelBacklog & { oldest: Buffer | undefined }>();
  const held = new Map<string, number>();
  for (const { queueId, channel, id: targetId } of await findDueTargets(db)) {
    const known = channels.get(channel);
    const counted = known?.pending ?? 0;
    const keep = (count: number) => held.set(channel, Math.min(most, (held.get(channel) ?? 0) + count));
    const unfinished = db.query
      .selectFrom('delivery')
      .where('queue_id', '=', queueId)
      .where('channel', '=', channel)
      .where('target_id', '=', targetId)
      .where('due_at', 'is not', null);
    if (disabled.has(bytesKey(targetId))) {
      const some = unfinished.select('event_id').limit(most).as('some');
      const all = db.query.selectFrom(some).select((e) => e.fn.countAll<number>().as('count'));
      keep(Number((await all.executeTakeFirstOrThrow()).count));
      continue;
    }
    if (counted > most) continue;
    const due = await unfinished
      .select(['event_id', 'token', 'due_at'])
      .orderBy('due_at')
      .limit(most + 1 - counted)
      .execute();
    const waiting = due.filter((delivery) => !isHeld(delivery, now));
    keep(due.length - waiting.length);
    if (waiting.length === 0) continue;
    const first = firstOf(waiting);
    oldest = earlier(oldest, first);
    const ofChannel = earlier(known?.oldest, first);
    const pending = counted + waiting.length;
    channels.set(channel, { pending, oldest: ofChannel, oldestAt: timeOf(ofChannel) });
    if (!failing.has(bytesKey(targetId))) unexplained = earlier(unexplained, first);
  }
  const pending = [...channels.values()].reduce((sum, each) => sum + each.pending, 0);
  return { pending, oldestAt: timeOf(oldest), oldestUnexplainedAt: timeOf(unexplained), channels, held };
}

function firstOf(deliveries: readonly { event_id: Uint8Array }[]): Buffer | undefined {
  let first: Uint8Array | undefined;
  for (const { event_id } of deliveries)
    if (first === undefined || Buffer.compare(event_id, first) < 0) first = event_id;
  return first && Buffer.from(first);
}

function earlier(a: Buffer | undefined, b: Buffer | undefined): Buffer | undefined {
  return a && b ? (a.compare(b) <= 0 ? a : b) : (a ?? b);
}

/** Ids begin with the time. */
function timeOf(eventId: Buffer | undefined): number | null {
  return eventId === undefined ? null : eventId.readUIntBE(0, 6);
}
