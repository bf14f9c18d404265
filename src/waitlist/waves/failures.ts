import { sql } from 'kysely';
import { sharedNow } from '../../db/shared-clock.ts';
import { oldestId } from '../../lib/ids.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { WavePlan } from './plan.ts';
import type { WaveRow } from './waves.ts';

/** Fewer can fail by chance. */
const LEAST_FAILURES = 5;
/** After about 5 minutes. A receiver that was away for a moment has got its webhooks by then. */
const FAILING_TRIES = 3;

/** Says why the wave must not go on, if too many of its last invites could not be delivered. */
export async function whyFailing(
  context: Context,
  queue: Queue,
  wave: WaveRow,
  { failurePercent }: WavePlan,
): Promise<string | undefined> {
  if (failurePercent === null) return undefined;
  const since = oldestId(await countedSince(context, queue, wave));
  const failed = await countFailed(context, queue, wave, since);
  if (failed < LEAST_FAILURES) return undefined;
  const enough = failurePercent === 0 ? undefined : Math.ceil((failed * 100) / failurePercent);
  const invited = await countInvited(context, queue, wave, since, enough);
  if (failed * 100 <= failurePercent * invited) return undefined;
  return `${failed} of the last ${invited} invites could not be delivered by email or webhook, or bounced`;
}

/** Since the last run began, and for a day: runs that keep invites open are small. What was before a pause is over. */
async function countedSince(context: Context, queue: Queue, wave: WaveRow): Promise<number> {
  const last = await context.db.query
    .selectFrom('wave_run')
    .select('started_at')
    .where('queue_id', '=', queue.id)
    .where('wave_id', '=', wave.id)
    .where('started_at', 'is not', null)
    .orderBy('scheduled_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  const dayAgo = (await sharedNow(context)) - DAY_MS;
  return Math.max(wave.checked_at, Math.min(dayAgo, last?.started_at ?? dayAgo));
}

/**
 * Invites with a message that was given up, with a webhook that fails again and again, or to an address that bounced
 * or complained afterwards. An address that had bounced before was not emailed, which is nobody's fault now.
 */
async function countFailed({ db }: Context, queue: Queue, wave: WaveRow, since: Uint8Array): Promise<number> {
  const messages = sql`delivery as d
    join event_subject as s on s.queue_id = d.queue_id and s.event_id = d.event_id
    join invite as i on i.queue_id = s.queue_id and i.id = s.subject
    where d.queue_id = ${queue.id} and s.queue_id = ${queue.id} and i.queue_id = ${queue.id}
      and d.event_id >= ${since} and i.id >= ${since} and i.wave_id = ${wave.id}`;
  const { rows } = await sql<{ failed: number }>`select count(*) as failed from (
    select i.id from ${messages} and d.channel in ('email', 'webhook') and d.failed_at is not null
      and not (d.channel = 'email' and exists (select 1 from mail_suppression as m
        where m.queue_id = ${queue.id} and m.email_hash = i.email_hash
          and m.reason = 'bounced' and m.created_at < i.created_at))
    union
    select i.id from ${messages} and d.channel = 'webhook' and d.due_at is not null and d.tries >= ${FAILING_TRIES}
    union
    select i.id from mail_suppression as m
    join invite as i on i.queue_id = m.queue_id and i.email_hash = m.email_hash
    where m.queue_id = ${queue.id} and i.queue_id = ${queue.id}
      and m.reason in ('bounced', 'complained') and m.created_at >= i.created_at
      and i.id >= ${since} and i.wave_id = ${wave.id}
  ) as failures`.execute(db.query);
  return Number(rows[0]?.failed ?? 0);
}

/** No further than to `enough`: a large wave has many. */
async function countInvited(
  { db }: Context,
  queue: Queue,
  wave: WaveRow,
  since: Uint8Array,
  enough: number | undefined,
): Promise<number> {
  const some = db.query
    .selectFrom('invite')
    .select('id')
    .where('queue_id', '=', queue.id)
    .where('wave_id', '=', wave.id)
    .where('id', '>=', since);
  const { invited } = await db.query
    .selectFrom((enough === undefined ? some : some.limit(enough)).as('some'))
    .select((e) => e.fn.countAll<number>().as('invited'))
    .executeTakeFirstOrThrow();
  return Number(invited);
}
