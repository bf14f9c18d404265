import { sql } from 'kysely';
import type { Trx } from '../db/database.ts';
import { knownSharedNow } from '../db/shared-clock.ts';
import { statement } from '../db/statement.ts';
import { formatId } from '../ids.ts';
import type { Lane } from '../outbox/bell.ts';
import type { Channel, Quota, Target } from '../outbox/channel.ts';
import { reportState } from '../state-log.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/directory.ts';
import { type EndpointRow, openEndpoint } from './endpoints.ts';
import { MustNotBegin } from './post.ts';
import { liveSecrets, type SigningKey, signingKeys } from './secrets.ts';
import { DEADLINE_MS, type Sender } from './send.ts';

/** Connections to one endpoint. More would let a small receiver drown; less would leave a distant one idle. */
const AT_ONCE = 16;
/** How stale `last_success_at` may be: not every delivery is worth a write to the endpoint's row. */
const SUCCESS_NOTED_EVERY_MS = 60_000;
const GIVE_UP_AFTER_MS = 5 * 24 * 60 * 60 * 1000;
const GONE = 410;
const MOST_REMEMBERED = 10_000;

/** What sending to an endpoint takes. */
interface Setup {
  url: string;
  headers: Record<string, string>;
  keys: SigningKey[];
}

type OpenRow = Pick<EndpointRow, 'id' | 'sealed' | 'rate_limit' | 'updated_at'>;

const readEndpoints = statement<{ ids: unknown }, OpenRow>((db, parameter) =>
  db.query
    .selectFrom('webhook_endpoint')
    .select(['id', 'sealed', 'rate_limit', 'updated_at'])
    .where((e) => db.inBytes(e.ref('id'), parameter('ids')))
    .where('disabled_at', 'is', null),
);

/** Endpoints as targets of the dispatcher. */
export function webhookChannel(
  context: Context,
  sender: Sender,
  deadlineMs: number = DEADLINE_MS,
): Channel<Setup> {
  const { db, log } = context;
  const opened = new Map<string, { updatedAt: number; setup: Setup }>();
  const noted = new Map<string, { failing: boolean; at: number }>();

  /** Unsealed once, until it changes. */
  const unseal = (queue: Queue, row: OpenRow): Setup => {
    const name = nameOf(row.id);
    const known = opened.get(name);
    if (known?.updatedAt === row.updated_at) return known.setup;
    const { url, headers, secrets } = openEndpoint(queue, row);
    const setup = { url, headers, keys: signingKeys(secrets) };
    if (opened.size >= MOST_REMEMBERED) opened.clear();
    opened.set(name, { updatedAt: row.updated_at, setup });
    return setup;
  };

  return {
    name: 'webhook',
    deadlineMs,
    atOnce: AT_ONCE,
    open: async (trx, targets, now) => {
      const ids = db.bytesList(targets.map(({ lane }) => lane.targetId));
      const rows = await readEndpoints.within(db, trx, { ids });
      const byName = new Map(rows.map((row) => [nameOf(row.id), row]));
      const found: (Target<Setup> | undefined)[] = [];
      for (const { lane, queue } of targets) {
        const row = byName.get(nameOf(lane.targetId));
        if (!row) found.push(undefined);
        else if (row.rate_limit === null) found.push({ setup: unseal(queue, row) });
        else found.push({ setup: unseal(queue, row), quota: await quotaOf(trx, lane, row.rate_limit, now) });
      }
      return found;
    },
    /** Each delivery uses up its share of a second; a second's worth may go out at once. */
    charge: async (trx, lane, { usedUntil, perSecond }, claimed, now) => {
      const until = Math.max(usedUntil, now) + Math.ceil((claimed * 1000) / perSecond);
      await byLane(trx.updateTable('webhook_endpoint').set({ rate_used_until: until }), lane).execute();
    },
    send: async (setup, _queue, { eventId }, body, { permit }) => {
      const { url, headers } = setup;
      const id = formatId('evt', eventId);
      while (await permit.renew()) {
        const now = knownSharedNow(context);
        const keys = liveSecrets(setup.keys, now).map(({ key }) => key);
        try {
          return await sender.send({ url, headers, keys, id, body }, now, permit.isGiven);
        } catch (error) {
          if (!(error instanceof MustNotBegin)) throw error; // The connection took its time: ask again.
        }
      }
      return undefined;
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
        report(lane, 'ok');
        await byLane(
          trx.updateTable('webhook_endpoint').set({ failing_since: null, last_success_at: now }),
          lane,
        ).execute();
      } else if (attempts.some(({ unsent }) => !unsent)) {
        noted.set(name, { failing: true, at: now });
        report(lane, 'failing', attempts.findLast(({ unsent }) => !unsent)?.error);
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

  function report({ queueId, targetId }: Lane, state: string, reason?: string | null): void {
    const endpoint = formatId('whe', targetId);
    reportState(log, `webhook endpoint ${endpoint}`, state, {
      queue: queueId,
      endpoint,
      ...(reason ? { reason } : {}),
    });
  }

  /** Another instance may be about to charge the same endpoint: then this one waits its turn. */
  async function quotaOf(trx: Trx, lane: Lane, perSecond: number, now: number): Promise<Quota> {
    const locked = await sql<{ rate_used_until: number }>`select rate_used_until from webhook_endpoint
      where queue_id = ${lane.queueId} and id = ${lane.targetId} ${db.skipLocked}`.execute(trx);
    const usedUntil = locked.rows[0]?.rate_used_until ?? Number.POSITIVE_INFINITY;
    const ahead = Math.max(0, usedUntil - now);
    const left = Math.max(0, Math.floor(((1000 - ahead) * perSecond) / 1000));
    return { left, againInMs: Math.ceil(1000 / perSecond), usedUntil, perSecond };
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
