import { HOUR_MS } from '../lib/time.ts';
import type { Actor } from './actor.ts';
import { referenceTo } from './actor.ts';
import { changeOperators, recordAudit } from './audit.ts';
import type { OperatorContext } from './context.ts';

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

/** Remembers what it recorded, so that a page costs no query. Other instances are asked through the trail. */
export function recordReadings(context: OperatorContext): RecordReading {
  const recorded = new Set<string>();
  return async (actor, action, waitlistId, environment) => {
    const who = referenceTo(actor);
    const hour = Math.floor(context.clock() / HOUR_MS);
    const known = `${who} ${action} ${waitlistId} ${environment} ${hour}`;
    if (recorded.has(known)) return;
    await changeOperators(context, async (trx, now) => {
      const earlier = await trx
        .selectFrom('audit')
        .select('seq')
        .where('actor', '=', who)
        .where('action', '=', action)
        .where('object', '=', `waitlist:${waitlistId}/${environment}`)
        .where('at', '>=', now - (now % HOUR_MS))
        .limit(1)
        .executeTakeFirst();
      if (earlier) return;
      const object = { kind: 'waitlist', id: `${waitlistId}/${environment}` } as const;
      await recordAudit(context, trx, actor, { action, object }, now);
    });
    if (recorded.size >= REMEMBERED_MAX) recorded.clear();
    recorded.add(known);
  };
}
