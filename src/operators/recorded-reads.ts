import { HOUR_MS } from '../lib/time.ts';
import { changeOperators, recordAudit } from './audit.ts';
import type { OperatorContext } from './context.ts';
import { type Actor, referenceTo } from './roles.ts';

const REMEMBERED_MAX = 10_000;

/** Someone saw personal data, or asked a question that their role may not ask. */
type Reading = 'entries.read' | 'entries.read_refused';

/** Records it once per actor, waitlist and hour. */
export type RecordReading = (
  actor: Actor,
  action: Reading,
  waitlistId: string,
  environment: string,
) => Promise<void>;

/**
 * Remembers what it recorded, so that a page costs no query. Other instances are asked through the trail, whose hours are
 * those of the database: the clock here only measures how much of one is left.
 */
export function recordReadings(context: OperatorContext): RecordReading {
  const recorded = new Map<string, { since: number; until: number }>();
  return async (actor, action, waitlistId, environment) => {
    const who = referenceTo(actor);
    const known = `${who} ${action} ${waitlistId} ${environment}`;
    const since = context.clock();
    const last = recorded.get(known);
    if (last && last.since <= since && since < last.until) return;
    const leftMs = await changeOperators(context, async (trx, now) => {
      const begunMs = now % HOUR_MS;
      const earlier = await trx
        .selectFrom('audit')
        .select('seq')
        .where('actor', '=', who)
        .where('action', '=', action)
        .where('object', '=', `waitlist:${waitlistId}/${environment}`)
        .where('at', '>=', now - begunMs)
        .limit(1)
        .executeTakeFirst();
      const object = { kind: 'waitlist', id: `${waitlistId}/${environment}` } as const;
      if (!earlier) await recordAudit(context, trx, actor, { action, object }, now);
      return HOUR_MS - begunMs;
    });
    if (recorded.size >= REMEMBERED_MAX) recorded.clear();
    recorded.set(known, { since, until: since + leftMs });
  };
}
