import { sql } from 'kysely';
import type { Trx } from '../../db/database.ts';
import { sharedNow } from '../../db/shared-clock.ts';
import { repeat } from '../../lib/promises.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { formOf } from './form.ts';
import { isOrigin } from './form-settings.ts';

/** Why a post to the form was turned away. Only operators see it. */
export const REFUSAL_REASONS = [
  'origin',
  'honeypot',
  'token',
  'expired',
  'too_fast',
  'proof',
  'spent',
  'captcha',
  'disposable',
  'rate_limited',
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

const REFUSAL_SLOT_MS = 15 * 60 * 1000;
const WRITE_EVERY_MS = 1_000;

/** Counts in memory and writes once a second, so that a flood does not become a flood of writes. */
export interface Refusals {
  note(queue: Queue, reason: RefusalReason): void;
  /** A page of this origin asked for the form, and was not allowed to. */
  noteOrigin(queue: Queue, origin: string): void;
  /** Writes what is pending. */
  write(): Promise<void>;
  close(): Promise<void>;
}

export function countRefusals(context: Context): Refusals {
  const { db, log } = context;
  const counts = new Map<string, number>();
  const origins = noteBlockedOrigins();
  let writing: Promise<void> = Promise.resolve();

  const writeCounts = async () => {
    if (counts.size === 0 && origins.isEmpty()) return;
    const batch = [...counts].map(([name, refused]) => {
      const [queueId = '', reason = ''] = name.split(' ');
      return { queueId: Number(queueId), reason, refused };
    });
    counts.clear();
    const blocked = origins.take();
    const now = await sharedNow(context);
    const slot = now - (now % REFUSAL_SLOT_MS);
    await db.transaction(async (trx) => {
      const rows = batch.map(({ queueId, reason, refused }) => ({
        queue_id: queueId,
        slot,
        reason,
        refused,
      }));
      trx.insert('form_refusal', rows, { onConflict: { add: ['refused'] } });
      await writeBlockedOrigins(trx, blocked, now);
    });
  };
  const write = () => {
    writing = writing.then(writeCounts).catch((error: Error) => {
      log.warn({ reason: error.message }, 'could not save how many posts to forms were turned away');
    });
    return writing;
  };
  const stop = repeat(WRITE_EVERY_MS, write);
  return {
    note: (queue, reason) => {
      const name = `${queue.id} ${reason}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    },
    noteOrigin: origins.note,
    write,
    close: async () => {
      await stop();
      await write();
    },
  };
}

export interface RefusalSlot {
  at: number;
  reason: RefusalReason;
  refused: number;
}

/** By quarter of an hour, oldest first. */
export async function listRefusals(
  { db }: Context,
  queue: Queue,
  { from, to }: { from: number; to: number },
): Promise<RefusalSlot[]> {
  const rows = await db.query
    .selectFrom('form_refusal')
    .select(['slot', 'reason', 'refused'])
    .where('queue_id', '=', queue.id)
    .where('slot', '>=', from - (from % REFUSAL_SLOT_MS))
    .where('slot', '<', to)
    .orderBy('slot')
    .orderBy('reason')
    .execute();
  return rows.map(({ slot, reason, refused }) => ({ at: slot, reason: reason as RefusalReason, refused }));
}

/** Anyone can send any origin: only the newest are kept. */
const KEPT = 20;
const NOTED_MAX = 200;
export const BLOCKED_KEPT_MS = 30 * DAY_MS;

export interface BlockedOrigin {
  origin: string;
  attempts: number;
  lastAt: number;
}

/** Sites that tried to show a form without being allowed to, until they are written. */
function noteBlockedOrigins() {
  const noted = new Map<string, number>();
  return {
    isEmpty: () => noted.size === 0,
    note: ({ id }: Queue, origin: string) => {
      const name = `${id} ${origin}`;
      if ((noted.size < NOTED_MAX || noted.has(name)) && isOrigin(origin))
        noted.set(name, (noted.get(name) ?? 0) + 1);
    },
    /** Returns them, and forgets them here. */
    take: () => {
      const taken = [...noted].map(([name, attempts]) => {
        const [queueId = '', origin = ''] = name.split(' ');
        return { queue_id: Number(queueId), origin, attempts };
      });
      noted.clear();
      return taken;
    },
  };
}

async function writeBlockedOrigins(
  trx: Trx,
  blocked: ReturnType<ReturnType<typeof noteBlockedOrigins>['take']>,
  now: number,
): Promise<void> {
  for (const row of blocked)
    await trx
      .insertInto('form_blocked_origin')
      .values({ ...row, last_at: now })
      .onConflict((known) =>
        known.columns(['queue_id', 'origin']).doUpdateSet({
          attempts: sql`form_blocked_origin.attempts + ${row.attempts}`,
          last_at: now,
        }),
      )
      .execute();
  for (const id of new Set(blocked.map(({ queue_id }) => queue_id))) await keepNewest(trx, id);
}

async function keepNewest(trx: Trx, queueId: number): Promise<void> {
  const newest = trx
    .selectFrom('form_blocked_origin')
    .select('origin')
    .where('queue_id', '=', queueId)
    .orderBy('last_at', 'desc')
    .orderBy('origin')
    .limit(KEPT);
  await trx
    .deleteFrom('form_blocked_origin')
    .where('queue_id', '=', queueId)
    .where('origin', 'not in', newest)
    .execute();
}

/** Newest first, without those that have been allowed since. */
export async function listBlockedOrigins(context: Context, queue: Queue): Promise<BlockedOrigin[]> {
  const { settings } = await formOf(context, queue);
  const rows = await context.db.query
    .selectFrom('form_blocked_origin')
    .select(['origin', 'attempts', 'last_at'])
    .where('queue_id', '=', queue.id)
    .orderBy('last_at', 'desc')
    .orderBy('origin')
    .execute();
  return rows
    .filter(({ origin }) => !settings.allowedOrigins.includes(origin))
    .map(({ origin, attempts, last_at }) => ({ origin, attempts, lastAt: last_at }));
}
