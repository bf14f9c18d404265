import { statement } from '../../db/statement.ts';
import type { Status } from '../../db/tables.ts';
import { bytesKey } from '../../lib/ids.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { creditReferrersOf } from '../referrals/credits.ts';

export interface Movable {
  readonly seq: number;
  readonly status: Status;
  readonly rank: number;
}

/** All allowed transitions. */
const LEGAL: Record<Status, readonly Status[]> = {
  pending: ['waiting', 'invited', 'joined', 'removed', 'declined'],
  waiting: ['invited', 'joined', 'removed', 'declined'],
  invited: ['waiting', 'joined', 'removed', 'declined'],
  joined: ['removed'],
  removed: [],
  declined: ['pending', 'waiting', 'invited', 'removed'],
};

export function canMove(from: Status, to: Status): boolean {
  return LEGAL[from].includes(to);
}

interface Standing {
  readonly status: Status;
  readonly declined_from: Status | null;
}

/** The status of somebody who was declined is what they come back to. */
export function standingOf({ status, declined_from }: Standing): Status {
  return status === 'declined' ? (declined_from ?? 'waiting') : status;
}

type Destination = Exclude<Status, 'pending' | 'removed' | 'declined'>;

/**
 * Moves entries to another status. An illegal move is a bug in the caller. Leaving `pending` credits the
 * referrer.
 */
export async function moveEntries(
  change: QueueChange,
  entries: readonly Movable[],
  to: Destination,
): Promise<void> {
  const { trx, queue, now, tally } = change;
  const rows = entries.map(({ seq, status, rank }) => {
    if (!canMove(status, to)) throw new Error(`an entry cannot go from ${status} to ${to}`);
    tally.leave(status, rank);
    tally.enter(to, rank);
    return { queue_id: queue.id, seq, status: to };
  });
  const options = { key: ['queue_id', 'seq'] } as const;
  if (to === 'joined') {
    trx.update(
      'entry',
      options,
      rows.map((row) => ({ ...row, joined_at: now })),
    );
  } else {
    const invitedAt = to === 'invited' ? now : null;
    trx.update(
      'entry',
      options,
      rows.map((row) => ({ ...row, invited_at: invitedAt })),
    );
  }
  const confirmed = entries.filter(({ status }) => status === 'pending');
  if (confirmed.length > 0) await creditReferrersOf(change, confirmed, to);
}

interface Found extends Movable {
  readonly id: Uint8Array;
}

const findEntries = statement<
  { queueId: number; hashes: readonly Uint8Array[] },
  Found & { email_hash: Uint8Array | null }
>((db, parameter) =>
  db.query
    .selectFrom('entry')
    .select(['seq', 'id', 'status', 'rank', 'email_hash'])
    .where('queue_id', '=', parameter('queueId'))
    .where((e) => db.in(e.ref('email_hash'), parameter('hashes'))),
);

/** Maps each email's hash key to its entry. */
export async function findByEmails(
  { trx, queue }: QueueChange,
  hashes: readonly Uint8Array[],
): Promise<Map<string, Found>> {
  if (hashes.length === 0) return new Map();
  const rows = await trx.run(findEntries, { queueId: queue.id, hashes });
  return new Map(rows.map(({ email_hash, ...entry }) => [bytesKey(email_hash ?? new Uint8Array()), entry]));
}
