import { sql } from 'kysely';
import type { Trx } from '../db/database.ts';
import { knownSharedNow } from '../db/shared-clock.ts';
import { statement } from '../db/statement.ts';
import { bytesKey, formatId } from '../lib/ids.ts';
import { reportState } from '../lib/state-log.ts';
import { DAY_MS } from '../lib/time.ts';
import type { Channel, OpenTarget, OpenTargets, Quota } from '../outbox/channel.ts';
import { type Attempt, type Delivery, responseRow } from '../outbox/delivery.ts';
import type { Target } from '../outbox/target.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { readable, readableQueue, readableQueues } from '../waitlist/queue/readable.ts';
import { ANSWERED_GONE, type EndpointRow, openEndpoint } from './endpoints.ts';
import { WEBHOOK_CHANNEL } from './listener.ts';
import { MustNotBegin } from './requests.ts';
import { DEADLINE_MS, type Sender } from './send.ts';
import { liveSecrets, type SigningKey, signingKeys } from './signing.ts';

/** Connections per endpoint. More would overload a small receiver; fewer would leave a distant one idle. */
const AT_ONCE = 16;
/** How stale `last_success_at` may be: not every delivery needs a write to the endpoint's row. */
const SUCCESS_NOTED_EVERY_MS = 60_000;
const GIVE_UP_AFTER_MS = 5 * DAY_MS;
const GONE = 410;
const MOST_REMEMBERED = 10_000;

/** What is needed to send to an endpoint. */
interface Setup {
  queue: Queue;
  endpoint: Endpoint;
}

interface Endpoint {
  url: string;
  headers: Record<string, string>;
  keys: SigningKey[];
}

type OpenRow = Pick<EndpointRow, 'id' | 'sealed' | 'rate_limit'>;

interface Endpoints {
  queueIds: readonly number[];
  ids: readonly Uint8Array[];
}

const readEndpoints = statement<Endpoints, OpenRow>((db, parameter) =>
  db.query
    .selectFrom('webhook_endpoint')
    .select(['id', 'sealed', 'rate_limit'])
    .where((e) => db.in(e.ref('queue_id'), parameter('queueIds')))
    .where((e) => db.in(e.ref('id'), parameter('ids')))
    .where('disabled_at', 'is', null),
);

/** Sends the deliveries of webhook endpoints, each as its endpoint is at that time. */
export class WebhookChannel implements Channel<Setup> {
  readonly name = WEBHOOK_CHANNEL;
  readonly deadlineMs: number;
  readonly atOnce = AT_ONCE;
  readonly #context: Context;
  readonly #sender: Sender;
  readonly #opened = new Map<string, { sealed: Uint8Array; endpoint: Endpoint }>();
  readonly #noted = new Map<string, { failing: boolean; at: number }>();

  constructor(context: Context, sender: Sender, deadlineMs: number = DEADLINE_MS) {
    this.#context = context;
    this.#sender = sender;
    this.deadlineMs = deadlineMs;
  }

  async prepare(targets: readonly Target[]): Promise<OpenTargets<Setup>> {
    const queues = await readableQueues(
      this.#context,
      targets.map(({ queueId }) => queueId),
    );
    return async (trx, now) => {
      const queueIds = [...new Set(targets.map(({ queueId }) => queueId))];
      const rows = await trx.run(readEndpoints, { queueIds, ids: targets.map(({ id }) => id) });
      const byName = new Map(rows.map((row) => [bytesKey(row.id), row]));
      const found: (OpenTarget<Setup> | undefined)[] = [];
      for (const [index, target] of targets.entries()) {
        const row = byName.get(bytesKey(target.id));
        const setup = this.#setupOf(queues[index], row);
        const perSecond = row?.rate_limit ?? null;
        if (!setup) found.push(undefined);
        else if (perSecond === null) found.push({ setup });
        else found.push({ setup, quota: await this.#quotaOf(trx, target, perSecond, now) });
      }
      return found;
    };
  }

  async reopen({ queueId, id }: Target): Promise<Setup | undefined> {
    const queue = await readableQueue(this.#context, queueId);
    const [row] = await this.#context.db.run(readEndpoints, { queueIds: [queueId], ids: [id] });
    return this.#setupOf(queue, row);
  }

  /** One that is damaged must not hold up the others. Its deliveries wait until it can be read again. */
  #setupOf(queue: Queue | undefined, row: OpenRow | undefined): Setup | undefined {
    if (!queue || !row) return undefined;
    const stored = { what: 'webhook endpoint', id: formatId('whe', row.id), queue: queue.id } as const;
    return readable(this.#context, stored, () => ({ queue, endpoint: this.#unseal(queue, row) }));
  }

  /** Unsealed once, until it changes: sealing never gives the same bytes twice. */
  #unseal(queue: Queue, row: OpenRow): Endpoint {
    const name = bytesKey(row.id);
    const known = this.#opened.get(name);
    if (known && Buffer.compare(known.sealed, row.sealed) === 0) return known.endpoint;
    const { url, headers, secrets } = openEndpoint(queue, row);
    const endpoint = { url, headers, keys: signingKeys(secrets) };
    if (this.#opened.size >= MOST_REMEMBERED) this.#opened.clear();
    this.#opened.set(name, { sealed: row.sealed, endpoint });
    return endpoint;
  }

  /** Another instance may be charging the same endpoint: then this one waits. */
  async #quotaOf(trx: Trx, target: Target, perSecond: number, now: number): Promise<Quota> {
    const locked = await sql<{ rate_used_until: number }>`select rate_used_until from webhook_endpoint
      where queue_id = ${target.queueId} and id = ${target.id} ${this.#context.db.skipLocked}`.execute(trx);
    const usedUntil = locked.rows[0]?.rate_used_until ?? Number.POSITIVE_INFINITY;
    const ahead = Math.max(0, usedUntil - now);
    const left = Math.max(0, Math.floor(((1000 - ahead) * perSecond) / 1000));
    return { left, againInMs: Math.ceil(1000 / perSecond), usedUntil, perSecond };
  }

  /** Each delivery uses up its share of a second. One second's worth can be sent at once. */
  async charge(
    trx: Trx,
    target: Target,
    { usedUntil, perSecond }: Quota,
    claimed: number,
    now: number,
  ): Promise<void> {
    const until = Math.max(usedUntil, now) + Math.ceil((claimed * 1000) / perSecond);
    await byTarget(trx.updateTable('webhook_endpoint').set({ rate_used_until: until }), target).execute();
  }

  async send(delivery: Delivery<Setup>, sealedBody: Uint8Array): Promise<Attempt | undefined> {
    const { eventId, permit } = delivery;
    const body = delivery.setup.queue.vault.open<string>('event.body', eventId, sealedBody);
    const id = formatId('evt', eventId);
    while (await permit.renew()) {
      const { url, headers, keys } = delivery.setup.endpoint;
      const now = knownSharedNow(this.#context);
      const outgoing = { url, headers, keys: liveSecrets(keys, now).map(({ key }) => key), id, body };
      try {
        return sealResponse(delivery, await this.#sender.send(outgoing, now, permit.isGiven));
      } catch (error) {
        if (!(error instanceof MustNotBegin)) throw error; // Connecting took too long: renew the permit.
      }
    }
    return undefined;
  }

  async settle(
    trx: Trx,
    target: Target,
    attempts: readonly Attempt[],
    now: number,
  ): Promise<(() => void) | undefined> {
    if (attempts.some(({ status }) => status === GONE)) return this.#disable(trx, target, now, ANSWERED_GONE);
    if (attempts.some(({ ok }) => ok)) return this.#noteSuccess(trx, target, now);
    const failed = attempts.findLast(({ unsent }) => !unsent);
    return failed && this.#noteFailure(trx, target, failed, now);
  }

  async #noteSuccess(trx: Trx, target: Target, now: number): Promise<(() => void) | undefined> {
    const name = bytesKey(target.id);
    const before = this.#noted.get(name);
    if (before && !before.failing && now - before.at < SUCCESS_NOTED_EVERY_MS) return undefined;
    await byTarget(
      trx.updateTable('webhook_endpoint').set({ failing_since: null, last_success_at: now }),
      target,
    ).execute();
    return () => {
      this.#noted.set(name, { failing: false, at: now });
      this.#report(target, 'ok');
    };
  }

  async #noteFailure(trx: Trx, target: Target, { error }: Attempt, now: number): Promise<() => void> {
    const row = await byTarget(
      trx.updateTable('webhook_endpoint').set({ failing_since: sql`coalesce(failing_since, ${now})` }),
      target,
    )
      .returning('failing_since')
      .executeTakeFirst();
    const isHopeless = row?.failing_since != null && now - row.failing_since >= GIVE_UP_AFTER_MS;
    const tellOfEnd = isHopeless
      ? await this.#disable(trx, target, now, 'no delivery succeeded for 5 days')
      : undefined;
    return () => {
      this.#noted.set(bytesKey(target.id), { failing: true, at: now });
      this.#report(target, 'failing', error);
      tellOfEnd?.();
    };
  }

  /** Returns what tells of it after the commit, unless it was disabled before. */
  async #disable(trx: Trx, target: Target, now: number, reason: string): Promise<(() => void) | undefined> {
    const row = await byTarget(
      trx.updateTable('webhook_endpoint').set({ disabled_at: now, disabled_reason: reason, updated_at: now }),
      target,
    )
      .where('disabled_at', 'is', null)
      .returning('id')
      .executeTakeFirst();
    const endpoint = formatId('whe', target.id);
    const { log } = this.#context;
    return (
      row && (() => log.warn({ endpoint, reason }, 'webhook endpoint disabled: its deliveries are held'))
    );
  }

  #report({ queueId, id }: Pick<Target, 'queueId' | 'id'>, state: string, reason?: string | null): void {
    const endpoint = formatId('whe', id);
    reportState(this.#context.log, `webhook endpoint ${endpoint}`, state, {
      queue: queueId,
      endpoint,
      ...(reason ? { reason } : {}),
    });
  }

  close(): Promise<void> {
    return this.#sender.close();
  }
}

function sealResponse(delivery: Delivery<Setup>, attempt: Attempt<string>): Attempt {
  const { response, ...rest } = attempt;
  if (response === null) return { ...rest, response };
  const { vault } = delivery.setup.queue;
  return {
    ...rest,
    response: vault.seal('delivery.response', responseRow(delivery.target, delivery), response),
  };
}

interface Filtered<Q> {
  where(
    column: 'queue_id',
    operator: '=',
    value: number,
  ): { where(column: 'id', operator: '=', value: Uint8Array): Q };
}

function byTarget<Q>(query: Filtered<Q>, { queueId, id }: Target): Q {
  return query.where('queue_id', '=', queueId).where('id', '=', id);
}
