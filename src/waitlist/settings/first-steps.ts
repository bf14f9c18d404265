import { knownSharedNow } from '../../db/shared-clock.ts';
import { notFound } from '../../lib/errors.ts';
import { formOf } from '../forms/form.ts';
import { changeSettings } from '../queue/change-settings.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';

/** What has been done with a queue, as far as the first steps are concerned. */
interface FirstStepFacts {
  /** Whether people can sign up: the form is on, or there is a key that works. */
  signups: boolean;
  person: boolean;
  invite: boolean;
  /** Whether operators asked not to see the steps of this waitlist any more. */
  dismissed: boolean;
}

export async function firstStepFacts(context: Context, queue: Queue): Promise<FirstStepFacts> {
  const [form, key, counters, invite] = await Promise.all([
    formOf(context, queue),
    hasKey(context, queue),
    readCounters(context, queue),
    hasInvite(context, queue),
  ]);
  return {
    signups: form.enabled || key,
    person: (counters?.last_seq ?? 0) > (counters?.undone ?? 0),
    invite,
    dismissed: counters?.first_steps_dismissed === 1,
  };
}

/** Of the waitlist, or one for every waitlist. */
async function hasKey(context: Context, { waitlist, environment }: Queue): Promise<boolean> {
  const now = knownSharedNow(context);
  const row = await context.db.query
    .selectFrom('server_key')
    .select('id')
    .where('environment', '=', environment)
    .where((e) => e.or([e('waitlist_id', '=', waitlist.internalId), e('waitlist_id', 'is', null)]))
    .where('revoked_at', 'is', null)
    .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now)]))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

function readCounters({ db }: Context, queue: Queue) {
  return db.query
    .selectFrom('queue_state as s')
    .innerJoin('queue as q', 'q.id', 's.queue_id')
    .innerJoin('waitlist as w', 'w.id', 'q.waitlist_id')
    .select(['s.last_seq', 's.undone', 'w.first_steps_dismissed'])
    .where('s.queue_id', '=', queue.id)
    .executeTakeFirst();
}

async function hasInvite({ db }: Context, queue: Queue): Promise<boolean> {
  const row = await db.query
    .selectFrom('invite')
    .select('id')
    .where('queue_id', '=', queue.id)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** In every environment of the waitlist, and for everyone. */
export async function dismissFirstSteps(context: Context, waitlistId: string): Promise<void> {
  await changeSettings(context, async (trx) => {
    const row = await trx
      .updateTable('waitlist')
      .set({ first_steps_dismissed: 1 })
      .where('public_id', '=', waitlistId)
      .where('deleted_at', 'is', null)
      .returning('name')
      .executeTakeFirst();
    if (!row) throw notFound(`there is no waitlist ${waitlistId}`);
    await context.audit?.(trx, {
      action: 'first_steps.dismissed',
      object: { kind: 'waitlist', id: waitlistId, name: row.name },
    });
  });
}
