import { sql } from 'kysely';
import type { Database, Trx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { bytesKey } from '../lib/ids.ts';
import { HOUR_MS } from '../lib/time.ts';
import type { Attempt, Delivery } from '../outbox/delivery.ts';
import type { Target } from '../outbox/target.ts';
import { ifReadable } from '../vault/crypto.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import {
  allowanceAt,
  columnsOf,
  isPaused,
  lockSending,
  startOfDay,
  writeSending,
} from '../waitlist/sending/state.ts';
import type { StoredMail } from './stored-mail.ts';
import { isAwaited, type MailKind } from './templates/kinds.ts';

/** What waits is released when a pause ends. This is for when that did not come about. */
const LOOK_AGAIN_MS = HOUR_MS;

type MailDelivery = Delivery<Queue>;

const findRestrained = statement<{ queueIds: readonly number[] }, { queue_id: number }>((db, parameter) =>
  db.query
    .selectFrom('mail_sending')
    .select('queue_id')
    .where((e) => db.in(e.ref('queue_id'), parameter('queueIds')))
    .where((e) =>
      e.or([
        e('warm_up_to', 'is not', null),
        e.and([e('paused_at', 'is not', null), e('resumed_at', 'is', null)]),
      ]),
    )
    .orderBy('queue_id'),
);

/**
 * Holds emails that nobody waits for while a queue is paused, and beyond the number of its day. Emails are counted
 * when they are claimed, under the lock of the row: together, all processes never send more. Those that a mail
 * server did not take are given back.
 */
export function createRestraint(db: Database) {
  const countedOn = new WeakMap<MailDelivery, number>();
  const unsent = new WeakMap<Attempt, number>();

  const giveBack = async (trx: Trx, { queueId }: Target, days: readonly number[]) => {
    for (const [day, some] of Map.groupBy(days, (day) => day))
      await trx
        .updateTable('mail_sending')
        .set({ warm_up_taken: sql`warm_up_taken - ${some.length}` })
        .where('queue_id', '=', queueId)
        .where('warm_up_day', '=', day)
        .where('warm_up_taken', '>=', some.length)
        .execute();
  };

  return {
    restrain: async (
      trx: Trx,
      claimed: readonly MailDelivery[],
      now: number,
    ): Promise<Map<MailDelivery, number>> => {
      const held = new Map<MailDelivery, number>();
      const byQueue = Map.groupBy(claimed, ({ target }) => target.queueId);
      const restrained = await trx.run(findRestrained, { queueIds: [...byQueue.keys()] });
      // Every process locks them in the same order, so that two never deadlock.
      for (const { queue_id } of restrained) {
        const deliveries = byQueue.get(queue_id) ?? [];
        const queue = deliveries[0]?.setup;
        if (queue?.environment !== 'production') continue;
        const state = await lockSending(trx, queue);
        const kinds = await kindsOf(db, trx, queue, deliveries);
        const bulk = deliveries.filter((delivery) => !isWaitedFor(delivery, kinds));
        const paused = isPaused(state);
        if (paused) for (const delivery of bulk) held.set(delivery, now + LOOK_AGAIN_MS);
        const allowance = allowanceAt(state, now);
        if (!allowance) continue;
        const { day, number, taken } = allowance;
        const room = Math.max(0, number - taken - (deliveries.length - bulk.length));
        if (!paused) for (const delivery of bulk.slice(room)) held.set(delivery, startOfDay(day + 1));
        const going = deliveries.filter((delivery) => !held.has(delivery));
        for (const delivery of going) countedOn.set(delivery, day);
        await writeSending(trx, queue, columnsOf({ ...allowance, taken: taken + going.length }));
      }
      return held;
    },
    /** What became of an email that was sent, or not. */
    noted: (delivery: MailDelivery, attempt: Attempt | undefined): Attempt | undefined => {
      const day = countedOn.get(delivery);
      const wasTaken = attempt?.ok === true && attempt.status !== null;
      if (attempt && day !== undefined && !wasTaken) unsent.set(attempt, day);
      return attempt;
    },
    settle: (trx: Trx, target: Target, attempts: readonly Attempt[]): Promise<void> =>
      giveBack(
        trx,
        target,
        attempts.flatMap((attempt) => unsent.get(attempt) ?? []),
      ),
    returned: (trx: Trx, target: Target, deliveries: readonly MailDelivery[]): Promise<void> =>
      giveBack(
        trx,
        target,
        deliveries.flatMap((delivery) => countedOn.get(delivery) ?? []),
      ),
  };
}

async function kindsOf(
  db: Database,
  trx: Trx,
  queue: Queue,
  deliveries: readonly MailDelivery[],
): Promise<Map<string, string>> {
  const ids = deliveries.map(({ eventId }) => eventId);
  const rows = await trx
    .selectFrom('event')
    .select(['id', 'kind'])
    .where('queue_id', '=', queue.id)
    .where((e) => db.in(e.ref('id'), ids))
    .execute();
  return new Map(rows.map(({ id, kind }) => [bytesKey(id), kind]));
}

/** By the person whom it answers, or by the operator who tests it. */
function isWaitedFor({ eventId, body, setup }: MailDelivery, kinds: ReadonlyMap<string, string>): boolean {
  const kind = kinds.get(bytesKey(eventId))?.replace('email.', '') as MailKind | undefined;
  if (kind === undefined || body === null || isAwaited(kind)) return true;
  const text = ifReadable(() => setup.vault.open<string>('event.body', eventId, body));
  if (text === undefined) return true; // Its attempt fails and says why. Others must not wait for it.
  return (JSON.parse(text) as Partial<StoredMail>).test === true;
}
