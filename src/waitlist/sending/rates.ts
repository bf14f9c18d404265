import { sql } from 'kysely';
import type { Database, Trx } from '../../db/database.ts';
import { HOUR_MS } from '../../lib/time.ts';
import type { Queue } from '../queue/queue.ts';
import { mailTarget, type SendingState } from './state.ts';

const WINDOW_MS = 7 * 24 * HOUR_MS;
/** Of fewer, a few are a large part by chance. */
export const LEAST_SENT = 50;
export const LEAST_REPORTED = 5;

export interface Rates {
  /** Since when is counted: the last 7 days, or since an operator ended a pause. */
  since: number;
  /** A mail server took them. */
  sent: number;
  /** Addresses that we emailed. A second report about one does not count. */
  bounced: number;
  complained: number;
}

export async function readRates(
  executor: Database['query'] | Trx,
  queue: Queue,
  { counted_from, sent_before }: Pick<SendingState, 'counted_from' | 'sent_before'>,
  now: number,
): Promise<Rates> {
  const since = Math.max(now - WINDOW_MS, counted_from ?? 0);
  const sent = await countSent(executor, queue, since);
  const reported = await executor
    .selectFrom('mail_suppression')
    .select(['reason', (e) => e.fn.countAll<number>().as('count')])
    .where('queue_id', '=', queue.id)
    .where('reason', 'in', ['bounced', 'complained'])
    .where('emailed', '=', 1)
    .where('created_at', '>', since)
    .groupBy('reason')
    .execute();
  const countOf = (wanted: string) => Number(reported.find(({ reason }) => reason === wanted)?.count ?? 0);
  return {
    since,
    sent: since === counted_from ? Math.max(0, sent - sent_before) : sent,
    bounced: countOf('bounced'),
    complained: countOf('complained'),
  };
}

/** They are counted by the hour. */
export async function countSent(
  executor: Database['query'] | Trx,
  queue: Queue,
  since: number,
): Promise<number> {
  const { channel, id } = mailTarget(queue.id);
  const { sent } = await executor
    .selectFrom('delivery_stat')
    .select(sql<number | null>`sum(delivered)`.as('sent'))
    .where('queue_id', '=', queue.id)
    .where('channel', '=', channel)
    .where('target_id', '=', id)
    .where('hour', '>=', since - (since % HOUR_MS))
    .executeTakeFirstOrThrow();
  return Number(sent ?? 0);
}

/** In percent. A mail server can refuse an address at once: then more may bounce than were sent. */
export function percentOf(part: number, { sent }: Pick<Rates, 'sent'>): number | null {
  if (sent === 0) return null;
  return Math.min(100, Math.round((part / sent) * 10_000) / 100);
}

/** Says what there is too much of, if there is. */
export function whyTooMany(
  rates: Rates,
  { bounce_limit, complaint_limit }: Pick<SendingState, 'bounce_limit' | 'complaint_limit'>,
): string | undefined {
  const isAbove = (count: number, limit: number | null) =>
    limit !== null &&
    rates.sent >= LEAST_SENT &&
    count >= LEAST_REPORTED &&
    count * 10_000 > limit * rates.sent;
  const said = (count: number, what: string, limit: number | null) =>
    `${count} ${what} of ${rates.sent} emails sent (${percentOf(count, rates)}%; the limit is ${(limit ?? 0) / 100}%)`;
  if (isAbove(rates.bounced, bounce_limit)) return said(rates.bounced, 'hard bounces', bounce_limit);
  if (isAbove(rates.complained, complaint_limit))
    return said(rates.complained, 'spam complaints', complaint_limit);
  return undefined;
}
