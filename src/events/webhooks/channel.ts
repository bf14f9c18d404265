import { sql } from 'kysely';
import type { Trx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Context } from '../../waitlist/context.ts';
import type { Queue } from '../../waitlist/directory.ts';
import { formatId } from '../../waitlist/ids.ts';
import type { Lane } from '../outbox/bell.ts';
import type { Attempt, Channel } from '../outbox/channel.ts';
import { type EndpointRow, openEndpoint, type SealedEndpoint } from './endpoints.ts';
import { keysOf } from './secrets.ts';
import { DEADLINE_MS, type Sender } from './send.ts';

/** Connections to one endpoint. More would let a small receiver drown; less would leave a distant one idle. */
const AT_ONCE = 16;
/** How stale `last_success_at` may be: not every delivery is worth a write to the endpoint's row. */
const SUCCESS_NOTED_EVERY_MS = 60_000;
const GIVE_UP_AFTER_MS = 5 * 24 * 60 * 60 * 1000;
const GONE = 410;

interface Setup {
  sealed: SealedEndpoint;
  rateLimit: number | null;
  usedUntil: number;
}

type OpenRow = Pick<EndpointRow, 'id' | 'sealed' | 'rate_limit' | 'rate_used_until' | 'updated_at'>;

const readEndpoint = statement<{ queueId: number; id: Uint8Array }, OpenRow>((db, parameter) =>
  db.query
    .selectFrom('webhook_endpoint')
    .select(['id', 'sealed', 'rate_limit', 'rate_used_until', 'updated_at'])
    .where('queue_id', '=', parameter('queueId'))
    .where('id', '=', parameter('id'))
    .where('disabled_at', 'is', null),
);

/** Endpoints as targets of the dispatcher. */
export function webhookChannel(
  { db, clock, log }: Context,
  sender: Sender,
  deadlineMs: number = DEADLINE_MS,
): Channel<Setup> {
  const opened = new Map<string, { updatedAt: number; sealed: SealedEndpoint }>();
  const noted = new Map<string, { failing: boolean; at: number }>();

  /** Unsealed once, until it changes. */
  const unseal = (queue: Queue, row: OpenRow): SealedEndpoint => {
    const name = nameOf(row.id);
    const known = opened.get(name);
    if (known?.updatedAt === row.updated_at) return known.sealed;
    const sealed = openEndpoint(queue, row);
    opened.set(name, { updatedAt: row.updated_at, sealed });
    return sealed;
  };

  return {
    name: 'webhook',
    deadlineMs,
    atOnce: AT_ONCE,
    open: async (trx, lane, queue, now) => {
      const [row] = await readEndpoint.within(db, trx, { queueId: lane.queueId, id: lane.targetId });
      if (!row) return undefined;
      const setup: Setup = { sealed: unseal(queue, row), rateLimit: row.rate_limit, usedUntil: 0 };
      if (row.rate_limit === null) return { setup };
      return openLimited(trx, lane, setup, row.rate_limit, now);
    },
    /** Each delivery uses up its share of a second; a second's worth may go out at once. */
    charge: async (trx, lane, { setup }, claimed, now) => {
      const { rateLimit, usedUntil } = setup;
      if (rateLimit === null) return;
      const until = Math.max(usedUntil, now) + Math.ceil((claimed * 1000) / rateLimit);
      await byLane(trx.updateTable('webhook_endpoint').set({ rate_used_until: until }), lane).execute();
    },
    send: (setup, _queue, { eventId }, body) => {
      const { url, headers, secrets } = setup.sealed;
      const now = clock();
      const id = formatId('evt', eventId);
      return sender.send({ url, headers, keys: keysOf(secrets, now), id, body }, now);
    },
    settle: async (trx, lane, attempts, now) => {
      const name = nameOf(lane.targetId);
      if (attempts.some(({ status }) => status === GONE)) {
        return disable(trx, lane, now, 'answered 410 Gone');
      }
      const before = noted.get(name);
      if (attempts.some(({ ok }) => ok)) {
        if (before && !before.failing && now - before.at < SUCCESS_NOTED_EVERY_MS) return;
        noted.set(name, { failing: false, at: now });
        await byLane(
          trx.updateTable('webhook_endpoint').set({ failing_since: null, last_success_at: now }),
          lane,
        ).execute();
      } else if (attempts.some(wasSent)) {
        noted.set(name, { failing: true, at: now });
        const row = await byLane(
          trx.updateTable('webhook_endpoint').set({ failing_since: sql`coalesce(failing_since, ${now})` }),
          lane,
        )
          .returning('failing_since')
          .executeTakeFirst();
        if (row?.failing_since != null && now - row.failing_since >= GIVE_UP_AFTER_MS)
          await disable(trx, lane, now, 'no delivery succeeded for 5 days');
      }
    },
    close: () => sender.close(),
  };

  /** Another instance may be about to charge the same endpoint: then this one waits its turn. */
  async function openLimited(trx: Trx, lane: Lane, setup: Setup, rateLimit: number, now: number) {
    const locked = await sql<{ rate_used_until: number }>`select rate_used_until from webhook_endpoint
      where queue_id = ${lane.queueId} and id = ${lane.targetId} ${db.skipLocked}`.execute(trx);
    const usedUntil = locked.rows[0]?.rate_used_until;
    const shareMs = Math.ceil(1000 / rateLimit);
    if (usedUntil === undefined) return { setup, quota: { left: 0, againInMs: shareMs } };
    const ahead = Math.max(0, usedUntil - now);
    const left = Math.max(0, Math.floor(((1000 - ahead) * rateLimit) / 1000));
    return { setup: { ...setup, usedUntil }, quota: { left, againInMs: shareMs } };
  }

  async function disable(trx: Trx, lane: Lane, now: number, reason: string): Promise<void> {
    const row = await byLane(
      trx.updateTable('webhook_endpoint').set({ disabled_at: now, disabled_reason: reason, updated_at: now }),
      lane,
    )
      .where('disabled_at', 'is', null)
      .returning('id')
      .executeTakeFirst();
    if (row) {
      const endpoint = formatId('whe', lane.targetId);
      log.warn({ endpoint, reason }, 'a webhook endpoint was disabled: its deliveries are held');
    }
  }
}

/** Ours, not the receiver's, are the attempts that never left. */
function wasSent({ error }: Attempt): boolean {
  return !error?.startsWith('not sent');
}

function nameOf(id: Uint8Array): string {
  return Buffer.from(id).toString('latin1');
}

interface Filtered<Q> {
  where(
    column: 'queue_id',
    operator: '=',
    value: number,
  ): { where(column: 'id', operator: '=', value: Uint8Array): Q };
}

function byLane<Q>(query: Filtered<Q>, { queueId, targetId }: Lane): Q {
  return query.where('queue_id', '=', queueId).where('id', '=', targetId);
}
