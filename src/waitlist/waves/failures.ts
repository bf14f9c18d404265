import { sql } from 'kysely';
import { oldestId } from '../../lib/ids.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { WavePlan } from './plan.ts';
import type { WaveRow } from './waves.ts';

/** Fewer can fail by chance. */
const LEAST_FAILURES = 5;

/** Says why the wave must not go on, if too many of its last invites could not be delivered. */
export async function whyFailing(
  context: Context,
  queue: Queue,
  wave: WaveRow,
  { failurePercent }: WavePlan,
): Promise<string | undefined> {
  if (failurePercent === null) return undefined;
  const failed = await countFailed(context, queue, wave);
  if (failed < LEAST_FAILURES) return undefined;
  const invited = await countInvited(context, queue, wave);
  if (failed * 100 <= failurePercent * invited) return undefined;
  return `${failed} of the last ${invited} invites could not be delivered by email or webhook, or bounced`;
}

/**
 * Invites since the last check with a message that was given up, or to an address that bounced or complained
 * afterwards.
 */
async function countFailed({ db }: Context, queue: Queue, wave: WaveRow): Promise<number> {
  const since = oldestId(wave.checked_at);
  const { rows } = await sql<{ failed: number }>`select count(*) as failed from (
    select i.id from delivery as d
    join event_subject as s on s.queue_id = d.queue_id and s.event_id = d.event_id
    join invite as i on i.queue_id = s.queue_id and i.id = s.subject
    where d.queue_id = ${queue.id} and s.queue_id = ${queue.id} and i.queue_id = ${queue.id}
      and d.channel in ('email', 'webhook') and d.failed_at is not null
      and d.event_id >= ${since} and i.wave_id = ${wave.id}
    union
    select i.id from mail_suppression as m
    join invite as i on i.queue_id = m.queue_id and i.email_hash = m.email_hash
    where m.queue_id = ${queue.id} and i.queue_id = ${queue.id}
      and m.reason in ('bounced', 'complained') and m.created_at >= i.created_at
      and i.id >= ${since} and i.wave_id = ${wave.id}
  ) as failures`.execute(db.query);
  return Number(rows[0]?.failed ?? 0);
}

async function countInvited({ db }: Context, queue: Queue, wave: WaveRow): Promise<number> {
  const { invited } = await db.query
    .selectFrom('wave_run')
    .select((e) => e.fn.sum<number | null>('invited').as('invited'))
    .where('queue_id', '=', queue.id)
    .where('wave_id', '=', wave.id)
    .where('started_at', '>=', wave.checked_at)
    .executeTakeFirstOrThrow();
  return Number(invited ?? 0);
}
