import { sql } from 'kysely';
import type { Trx } from '../db/database.ts';
import { sharedNow } from '../db/shared-clock.ts';
import { oldestId } from '../ids.ts';
import type { Context } from '../waitlist/queue/context.ts';

const EVERY_MS = 60 * 60 * 1000;
/** A step's transaction takes milliseconds, and other work gets in between. */
const STEP = 500;
const PAUSE_BETWEEN_STEPS_MS = 20;

export interface Pruning {
  stop(): Promise<void>;
}

/** Takes away what is older than the log is kept, now and then every hour. Several processes may do so at once. */
export function startPruning(context: Context, keepMs: number): Pruning {
  let stopping = false;
  const prune = async () => {
    try {
      await pruneEvents(context, keepMs, () => stopping);
    } catch (error) {
      context.log.warn({ reason: (error as Error).message }, 'old deliveries were not pruned: next time');
    }
  };
  let pruning = prune();
  const timer = setInterval(() => {
    pruning = pruning.then(prune);
  }, EVERY_MS);
  timer.unref();
  return {
    stop: async () => {
      stopping = true;
      clearInterval(timer);
      await pruning;
    },
  };
}

/** Returns how many events went, each with its deliveries and their attempts. */
export async function pruneEvents(
  context: Context,
  keepMs: number,
  enough: () => boolean = () => false,
): Promise<number> {
  const before = oldestId((await sharedNow(context)) - keepMs);
  let pruned = 0;
  for (let queueId = await nextQueue(context, -1); queueId !== null; ) {
    const count = enough() ? 0 : await pruneStep(context, queueId, before);
    pruned += count;
    if (enough()) break;
    if (count > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_BETWEEN_STEPS_MS));
    if (count < STEP) queueId = await nextQueue(context, queueId);
  }
  return pruned;
}

/** The next queue that has events at all. */
async function nextQueue({ db }: Context, after: number): Promise<number | null> {
  const row = await db.query
    .selectFrom('event')
    .select(sql<number | null>`min(queue_id)`.as('queue_id'))
    .where('queue_id', '>', after)
    .executeTakeFirst();
  return row?.queue_id ?? null;
}

async function pruneStep({ db }: Context, queueId: number, before: Buffer): Promise<number> {
  const old = await db.query
    .selectFrom('event')
    .select('id')
    .where('queue_id', '=', queueId)
    .where('id', '<', before)
    .orderBy('id')
    .limit(STEP)
    .execute();
  if (old.length === 0) return 0;
  const ids = db.bytesList(old.map(({ id }) => id));
  const upTo = old.at(-1)?.id as Uint8Array;
  await db.transaction(async (trx) => {
    for (const lane of await targetsOf(trx, queueId)) {
      await trx
        .deleteFrom('delivery')
        .where('queue_id', '=', queueId)
        .where('channel', '=', lane.channel)
        .where('target_id', '=', lane.target_id)
        .where('event_id', '<=', upTo)
        .execute();
    }
    for (const table of ['delivery_attempt', 'event_subject'] as const) {
      await trx
        .deleteFrom(table)
        .where('queue_id', '=', queueId)
        .where((e) => db.inBytes(e.ref('event_id'), e.val(ids)))
        .execute();
    }
    await trx
      .deleteFrom('event')
      .where('queue_id', '=', queueId)
      .where((e) => db.inBytes(e.ref('id'), e.val(ids)))
      .execute();
  });
  return old.length;
}

/** From target to target along the primary key: deliveries are found by target, and have no index by event. */
export async function targetsOf(
  trx: Trx,
  queueId: number,
): Promise<{ channel: string; target_id: Uint8Array }[]> {
  const first = (column: string, where: string) =>
    sql.raw(`(select d.${column} from delivery as d where ${where} order by d.${column} limit 1)`);
  const ours = `d.queue_id = ${Number(queueId)}`;
  const found = await sql<{ channel: string; target_id: Uint8Array }>`with recursive c (channel) as (
      select ${first('channel', ours)}
      union all
      select ${first('channel', `${ours} and d.channel > c.channel`)} from c where c.channel is not null
    ), lane (channel, target_id) as (
      select c.channel, ${first('target_id', `${ours} and d.channel = c.channel`)} from c where c.channel is not null
      union all
      select lane.channel, ${first('target_id', `${ours} and d.channel = lane.channel and d.target_id > lane.target_id`)}
      from lane where lane.target_id is not null
    )
    select channel, target_id from lane where target_id is not null`.execute(trx);
  return found.rows;
}
