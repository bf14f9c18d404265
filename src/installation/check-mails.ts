import { sql } from 'kysely';
import type { Config } from '../config/config.ts';
import { sharedNow } from '../db/shared-clock.ts';
import { oldestId } from '../lib/ids.ts';
import { DAY_MS } from '../lib/time.ts';
import { OPERATOR_MAIL_CHANNEL } from '../mail/operators/notices.ts';
import { readPauses } from '../mail/smtp/pauses.ts';
import { readAlerts } from '../operators/alerts.ts';
import { openOperators } from '../operators/context.ts';
import { HEALTH_COUNT_MAX } from '../outbox/delivery-health.ts';
import { INSTALLATION_ID } from '../outbox/target.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { MAIL_CHANNEL, MAIL_TARGET } from '../waitlist/sending/state.ts';
import { type Finding, RECENT_MS } from '../waitlist/upkeep/health.ts';
import { ownCommand } from './own-commands.ts';

/** A few addresses always bounce. */
const FAILED_SHARE_MAX = 0.05;

/** Whether there is a mail server, if one is needed, and whether it took emails lately. */
export async function checkMailServer(context: Context, config: Config, isSet: boolean): Promise<Finding[]> {
  const what = 'mail server';
  const { db } = context;
  if (!isSet) {
    const needing = await db.query
      .selectFrom('waitlist')
      .select('public_id')
      .where('deleted_at', 'is', null)
      .where('mail_kinds', '<>', '')
      .orderBy('id')
      .executeTakeFirst();
    if (!needing && (await areAlertsEmailed(context)))
      return [
        {
          ...{ what, ok: true, level: 'warning' },
          detail: 'DOORLIST_SMTP_URL is not set: alerts by email are kept in the mailbox and not sent',
        },
      ];
    if (!needing) return [{ what, ok: true, detail: 'not set, and no waitlist sends emails' }];
    return [
      {
        ...{ what, ok: true, level: 'warning' },
        detail: 'DOORLIST_SMTP_URL is not set: invites and other emails are kept in the mailbox and not sent',
        link: `/waitlists/${needing.public_id}/emails`,
      },
    ];
  }
  if ((await readPauses(context)).length > 0) return []; // They say it themselves.
  const taken = await countTaken(context, (await sharedNow(context)) - DAY_MS);
  return taken > 0
    ? [{ what, ok: true, detail: `took ${taken} ${taken === 1 ? 'email' : 'emails'} in the last 24 hours` }]
    : [
        {
          ...{ what, ok: true, level: 'unchecked' },
          detail: `set, but no email was sent in the last 24 hours. \`${ownCommand(config, 'doctor')}\` connects to it`,
        },
      ];
}

async function areAlertsEmailed(context: Context): Promise<boolean> {
  const { alerts } = await context.db.query.selectFrom('instance').select('alerts').executeTakeFirstOrThrow();
  return alerts !== null && (await readAlerts(await openOperators(context))).emails;
}

async function countTaken({ db }: Context, since: number): Promise<number> {
  const { rows } = await sql<{ taken: number | null }>`select sum(s.delivered) as taken
    from (select id from queue union all select ${INSTALLATION_ID}) as q join delivery_stat as s on s.queue_id = q.id
      and s.hour >= ${since} and s.channel in (${MAIL_CHANNEL}, ${OPERATOR_MAIL_CHANNEL})`.execute(db.query);
  return Number(rows[0]?.taken ?? 0);
}

interface FailingQueue {
  waitlist: string;
  environment: string;
  failed: number;
  taken: number;
}

/** Adds to what is known about emails where too many of them failed lately. */
export async function judgeMails(context: Context, emails: Finding): Promise<Finding> {
  const worst = (await countFailed(context))
    .filter(({ failed, taken }) => failed / (failed + taken) > FAILED_SHARE_MAX)
    .toSorted((a, b) => b.failed - a.failed)[0];
  if (!worst) return emails;
  const { waitlist, environment, failed, taken } = worst;
  const query = `tab=log&state=failed${environment === 'production' ? '' : `&environment=${environment}`}`;
  return {
    ...emails,
    ...(emails.ok ? { level: 'warning' } : {}),
    detail: `${emails.detail}. In ${waitlist}, ${shareInWords(failed, failed + taken)}`,
    link: `/waitlists/${waitlist}/emails?${query}`,
  };
}

function shareInWords(failed: number, all: number): string {
  if (all === 1) return 'the only email of the last 7 days failed';
  const share = failed === HEALTH_COUNT_MAX ? `at least ${failed}` : `${failed} of ${all}`;
  return `${share} emails of the last 7 days failed`;
}

async function countFailed(context: Context): Promise<FailingQueue[]> {
  const since = (await sharedNow(context)) - RECENT_MS;
  const { rows } = await sql<FailingQueue>`select * from (
      select w.public_id as waitlist, q.environment, (select count(*) from (select 1 from delivery as d
          where d.queue_id = t.queue_id and d.channel = ${MAIL_CHANNEL} and d.target_id = ${MAIL_TARGET}
          and d.failed_at is not null and d.event_id >= ${oldestId(since)} limit ${HEALTH_COUNT_MAX}) as f) as failed,
        (select coalesce(sum(s.delivered), 0) from delivery_stat as s where s.queue_id = t.queue_id and s.hour >= ${since}
          and s.channel = ${MAIL_CHANNEL}) as taken
      from queue_state as t join queue as q on q.id = t.queue_id join waitlist as w on w.id = q.waitlist_id
      where w.deleted_at is null
    ) as counted where failed > 0`.execute(context.db.query);
  return rows.map(({ failed, taken, ...row }) => ({ ...row, failed: Number(failed), taken: Number(taken) }));
}
