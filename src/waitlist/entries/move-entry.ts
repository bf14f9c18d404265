import type { Columns, Status } from '../../db/tables.ts';
import type { Context } from '../queue/context.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { creditReferrersOf } from '../referrals/credits.ts';

/** An entry as far as moving it goes. */
export interface Movable {
  readonly seq: number;
  readonly status: Status;
  readonly rank: number;
}

/** Every way that an entry can go. */
const LEGAL: Record<Status, readonly Status[]> = {
  pending: ['waiting', 'invited', 'joined', 'removed'],
  waiting: ['invited', 'joined', 'removed'],
  invited: ['waiting', 'joined', 'removed'],
  joined: ['removed'],
  removed: [],
};

export function canMove(from: Status, to: Status): boolean {
  return LEGAL[from].includes(to);
}

type Destination = Exclude<Status, 'pending' | 'removed'>;

const KEY = { queue_id: 'bigint', seq: 'bigint' } as const;
const COLUMNS = {
  waiting: { ...KEY, status: 'text', invited_at: 'bigint' },
  invited: { ...KEY, status: 'text', invited_at: 'bigint' },
  joined: { ...KEY, status: 'text', joined_at: 'bigint' },
} as const satisfies Record<Destination, Columns<'entry'>>;

/**
 * Moves entries to another status; an illegal move is a defect of the caller. Whoever leaves `pending` brings their
 * referrer the credit that waited for it.
 */
export async function moveEntries(
  context: Context,
  change: QueueChange,
  entries: readonly Movable[],
  to: Destination,
): Promise<void> {
  const { db } = context;
  const { trx, queue, now, tally, send } = change;
  const rows = entries.map(({ seq, status, rank }) => {
    if (!canMove(status, to)) throw new Error(`an entry cannot go from ${status} to ${to}`);
    tally.leave(status, rank);
    tally.enter(to, rank);
    return [queue.id, seq, to, to === 'waiting' ? null : now];
  });
  send(db.updateRows(trx, { table: 'entry', columns: COLUMNS[to], key: ['queue_id', 'seq'], rows }));
  const confirmed = entries.filter(({ status }) => status === 'pending');
  if (confirmed.length > 0) await creditReferrersOf(context, change, confirmed, to);
}

/** The entries of these emails, by the hash of the email in latin1. */
export async function findByEmails(
  { db }: Context,
  { trx, queue }: QueueChange,
  emailHashes: readonly Uint8Array[],
): Promise<Map<string, Movable>> {
  if (emailHashes.length === 0) return new Map();
  const rows = await trx
    .selectFrom('entry')
    .select(['seq', 'status', 'rank', 'email_hash'])
    .where('queue_id', '=', queue.id)
    .where((e) => db.inBytes(e.ref('email_hash'), e.val(db.bytesList(emailHashes))))
    .execute();
  return new Map(rows.map(({ email_hash, ...entry }) => [hashKey(email_hash ?? new Uint8Array()), entry]));
}

export function hashKey(hash: Uint8Array): string {
  return Buffer.from(hash).toString('latin1');
}
