import { statement } from '../../db/statement.ts';
import { notFound } from '../../lib/errors.ts';
import { readColumn } from '../../lib/setting.ts';
import { advancingCodeOf } from '../codes/codes.ts';
import type { Context } from '../queue/context.ts';
import { type Placed, placeOf } from '../queue/place.ts';
import { positionOf } from '../queue/positions.ts';
import type { Queue } from '../queue/queue.ts';
import { WAITLIST_SETTINGS } from '../queue/waitlist-settings.ts';

/** What a position comes from. */
export interface PositionReasons {
  /** null unless the entry is waiting. */
  position: number | null;
  /** How many are waiting. */
  waiting: number;
  /** Its place by joining alone, among those who count. */
  joinedAs: number;
  referrals: number;
  /** How many places earlier a referral counts as having joined. */
  boost: number;
  /** How many places earlier it counts as having joined, by the code it came with. */
  advanced: number;
  /** That code. null if there is none, or if it is damaged. */
  code: string | null;
  /** How many places later an operator put it, or earlier if negative. */
  moved: number;
}

type Row = Omit<PositionReasons, 'joinedAs' | 'code'> & Placed;

/** In one statement, so that the numbers fit together while others join. */
const findReasons = statement<{ queueId: number; seq: number }, Row>((db, parameter) =>
  db.query
    .selectFrom('entry as e')
    .innerJoin('queue_state as s', 's.queue_id', 'e.queue_id')
    .innerJoin('queue as q', 'q.id', 'e.queue_id')
    .innerJoin('waitlist as w', 'w.id', 'q.waitlist_id')
    .select(['e.seq', 'e.closed', 'e.opened', 'e.referrals', 'e.advanced', 'e.moved'])
    .select(['s.waiting', 'w.boost'])
    .select(positionOf('e', parameter('queueId')).as('position'))
    .where('e.queue_id', '=', parameter('queueId'))
    .where('s.queue_id', '=', parameter('queueId'))
    .where('q.id', '=', parameter('queueId'))
    .where('e.seq', '=', parameter('seq')),
);

export async function explainPosition(context: Context, queue: Queue, seq: number): Promise<PositionReasons> {
  const [row] = await context.db.run(findReasons, { queueId: queue.id, seq });
  if (!row) throw notFound('the entry is gone');
  const { position, waiting, referrals, advanced, moved } = row;
  const boost = readColumn(WAITLIST_SETTINGS.boost, row);
  const code = advanced === 0 ? null : await advancingCodeOf(context, queue, seq);
  return { position, waiting, joinedAs: placeOf(row), referrals, boost, advanced, code, moved };
}
