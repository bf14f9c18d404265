import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { invalid } from '../../lib/errors.ts';
import { changeSettings } from '../queue/change-settings.ts';
import type { Context } from '../queue/context.ts';
import { findTimeZone } from '../statistics/time-zone.ts';

/** Settings of the whole installation that no variable sets. */
interface InstanceSettings {
  /** IANA name of the time zone in which charts are drawn unless a request says otherwise. */
  defaultTimeZone: string;
}

interface Instance extends InstanceSettings {
  createdAt: number;
  waitlists: number;
}

export async function readInstance({ db }: { db: Database }): Promise<Instance> {
  const row = await db.query
    .selectFrom('instance')
    .select(['created_at', 'default_time_zone'])
    .executeTakeFirstOrThrow();
  const { waitlists } = await db.query
    .selectFrom('waitlist')
    .select(sql<number>`count(*)`.as('waitlists'))
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return { createdAt: row.created_at, defaultTimeZone: row.default_time_zone, waitlists };
}

export async function readTimeZone({ db }: { db: Database }): Promise<string> {
  const row = await db.query.selectFrom('instance').select('default_time_zone').executeTakeFirstOrThrow();
  return row.default_time_zone;
}

export async function updateInstance(context: Context, changes: Partial<InstanceSettings>): Promise<void> {
  const { defaultTimeZone } = changes;
  if (defaultTimeZone === undefined) throw invalid('at least one setting is required');
  if (!findTimeZone(defaultTimeZone))
    throw invalid('defaultTimeZone: must be the IANA name of a time zone, such as Europe/Berlin');
  await changeSettings(context, async (trx) => {
    const before = await trx.selectFrom('instance').select('default_time_zone').executeTakeFirstOrThrow();
    if (before.default_time_zone === defaultTimeZone) return;
    await trx.updateTable('instance').set({ default_time_zone: defaultTimeZone }).execute();
    await context.audit?.(trx, {
      action: 'instance.updated',
      object: { kind: 'instance', id: 'instance' },
      before: { defaultTimeZone: before.default_time_zone },
      after: { defaultTimeZone },
    });
  });
}
