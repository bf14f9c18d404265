import { sharedNow } from '../../db/shared-clock.ts';
import type { InviteTable } from '../../db/tables.ts';
import { invalid } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { type InviteState, inviteState, openSealed } from './invites.ts';

export interface Invite {
  id: Uint8Array;
  state: InviteState;
  /** null if the person was erased, or if the data is damaged. */
  email: string | null;
  code: string | null;
  createdAt: number;
  expiresAt: number | null;
  acceptedAt: number | null;
  revokedAt: number | null;
}

interface Filter {
  emailHash?: Uint8Array;
  after?: string | undefined;
  limit: number;
}

/** Lists invites in the order of creation, including their codes. For operators only. */
export async function listInvites(context: Context, queue: Queue, filter: Filter): Promise<Invite[]> {
  let query = context.db.query
    .selectFrom('invite')
    .select(['id', 'sealed', 'created_at', 'expires_at', 'accepted_at', 'revoked_at', 'expired_at'])
    .where('queue_id', '=', queue.id)
    .orderBy('id')
    .limit(filter.limit);
  if (filter.emailHash) query = query.where('email_hash', '=', filter.emailHash);
  if (filter.after !== undefined) {
    const after = parseId('inv', filter.after);
    if (!after) throw invalid('after: must be an invite id');
    query = query.where('id', '>', after);
  }
  const now = await sharedNow(context);
  return (await query.execute()).map((row) => toInvite(context, queue, row, now));
}

type Row = Pick<
  InviteTable,
  'id' | 'sealed' | 'created_at' | 'expires_at' | 'accepted_at' | 'revoked_at' | 'expired_at'
>;

export function toInvite(context: Context, queue: Queue, row: Row, now: number): Invite {
  const sealed = openSealed(context, queue, row);
  return {
    id: row.id,
    state: inviteState(row, now),
    email: sealed?.email ?? null,
    code: sealed?.code ?? null,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    acceptedAt: row.accepted_at,
    revokedAt: row.revoked_at,
  };
}
