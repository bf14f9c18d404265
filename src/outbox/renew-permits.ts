import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { bytesKey } from '../lib/bytes-key.ts';
import type { Log } from '../lib/log.ts';
import { logSparingly } from '../lib/sparing-log.ts';
import type { Target } from './target.ts';
import type { TargetState } from './target-state.ts';

interface StandingRow {
  event_id: Uint8Array;
  token: Uint8Array | null;
  /** null if erased. */
  event: number | null;
}

const findStanding = statement<Target & { eventIds: readonly Uint8Array[] }, StandingRow>((db, parameter) =>
  db.query
    .selectFrom('delivery as d')
    // What concerns the installation itself, such as mails to operators, belongs to no queue.
    .leftJoin('queue as q', 'q.id', 'd.queue_id')
    .leftJoin('waitlist as w', 'w.id', 'q.waitlist_id')
    .leftJoin('event as e', (join) =>
      join
        .on('e.queue_id', '=', parameter('queueId'))
        .onRef('e.id', '=', 'd.event_id')
        .on('e.body', 'is not', null),
    )
    .select(['d.event_id', 'd.token', 'e.created_at as event'])
    .where('w.deleted_at', 'is', null)
    .where('d.queue_id', '=', parameter('queueId'))
    .where('d.channel', '=', parameter('channel'))
    .where('d.target_id', '=', parameter('id'))
    .where((e) => db.in(e.ref('d.event_id'), parameter('eventIds'))),
);

export const DELIVERIES_DELAYED = 'deliveries are delayed: the database did not respond';

/**
 * Runs one query per target at a time, for all of its deliveries: the ones that have not started will need
 * theirs next.
 */
export async function renewPermits(
  { db, log }: { db: Database; log: Log },
  state: TargetState,
): Promise<void> {
  state.renewing ??= renewAll();
  await state.renewing;

  async function renewAll(): Promise<void> {
    try {
      await askDatabase(db, state);
    } catch (error) {
      logSparingly(log, 'warn', { reason: (error as Error).message }, DELIVERIES_DELAYED);
      for (const { permit } of state.underWay) if (!permit.isGiven()) permit.end();
    } finally {
      state.renewing = undefined;
    }
  }
}

async function askDatabase(db: Database, { target, channel, underWay, waiting }: TargetState): Promise<void> {
  const deliveries = [...underWay, ...waiting];
  const eventIds = deliveries.map(({ eventId }) => eventId);
  const checkedAt = performance.now();
  const [rows, setup] = await Promise.all([
    db.run(findStanding, { ...target, eventIds }),
    channel.reopen?.(target),
  ]);
  const isClosed = channel.reopen !== undefined && setup === undefined;
  const byEvent = new Map(rows.map((row) => [bytesKey(row.event_id), row]));
  for (const delivery of deliveries) {
    const { permit, eventId, token, startBefore } = delivery;
    const row = byEvent.get(bytesKey(eventId));
    const ours = row?.token && Buffer.compare(row.token, token) === 0;
    if (!ours || checkedAt >= startBefore) permit.end();
    else if (row.event === null) permit.endErased();
    else if (isClosed) permit.end();
    else {
      delivery.setup = setup ?? delivery.setup;
      permit.extend(checkedAt);
    }
  }
}
