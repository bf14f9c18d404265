import type { Expression } from 'kysely';
import type { Dialect } from '../../db/dialect.ts';
import { sharedTime } from '../../db/shared-clock.ts';
import { lookup, statement } from '../../db/statement.ts';
import type { InviteTable } from '../../db/tables.ts';
import { DoorlistError, invalid } from '../../lib/errors.ts';
import { formatId } from '../../lib/ids.ts';
import { isLonger } from '../../lib/text.ts';
import { Unreadable } from '../../vault/crypto.ts';
import { type CodeCheck, checkCode } from '../codes/codes.ts';
import type { Context } from '../queue/context.ts';
import { type Queue, TAG_CHARACTERS, type Waitlist } from '../queue/queue.ts';

export const CODE_CHARACTERS_MAX = 200;
/** 130 random bits, after the queue's tag. */
export const CODE_RANDOM_CHARACTERS = 26;

export type InviteState = 'live' | 'accepted' | 'revoked' | 'expired';

export interface SealedInvite {
  email: string;
  code: string;
}

type StateColumns = Pick<InviteTable, 'accepted_at' | 'revoked_at' | 'expires_at' | 'expired_at'>;

/** Once an invite is no longer live, it never becomes live again. */
export function inviteState(row: StateColumns, now: number): InviteState {
  if (row.accepted_at !== null) return 'accepted';
  if (row.revoked_at !== null) return 'revoked';
  // Once recorded as expired, it stays expired even if the clock is set back.
  if (row.expired_at !== null || (row.expires_at !== null && row.expires_at <= now)) return 'expired';
  return 'live';
}

const REFUSALS: Record<Exclude<InviteState, 'live'>, string> = {
  accepted: 'has already been accepted',
  revoked: 'was revoked',
  expired: 'has expired',
};

export function refuse(state: Exclude<InviteState, 'live'>): never {
  throw new DoorlistError(state, `this invite ${REFUSALS[state]}`);
}

export interface InviteRow extends StateColumns {
  /** The database's time of the read. */
  now: number;
  id: Uint8Array;
  created_at: number;
  email_hash: Uint8Array;
  sealed: Uint8Array;
  accept_key_hash: Uint8Array | null;
  accept_answer: Uint8Array | null;
  code_id: Uint8Array | null;
}

export const findInvite = lookup<{ queueId: number; hash: Buffer }, InviteRow>(
  { queueId: 'bigint', hash: 'bytes' },
  (db, parameter) => selectInvites(db, parameter('queueId')).where('code_hash', '=', parameter('hash')),
);

/** Those of one email, the newest first. */
export const findInvitesOf = statement<{ queueId: number; emailHash: Buffer }, InviteRow>((db, parameter) =>
  selectInvites(db, parameter('queueId'))
    .where('email_hash', '=', parameter('emailHash'))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc'),
);

function selectInvites(db: Dialect, queueId: Expression<number>) {
  return db.query
    .selectFrom('invite')
    .select(['id', 'email_hash', 'sealed', 'expires_at', 'accepted_at', 'revoked_at', 'expired_at'])
    .select(['created_at', 'accept_key_hash', 'accept_answer', 'code_id', db.clock.as('now')])
    .where('queue_id', '=', queueId);
}

/** A code starts with its queue's tag. Without one, it cannot be ours. */
export async function queueOfCode({ registry }: Context, code: string): Promise<Queue | undefined> {
  const looksRight = code.length === TAG_CHARACTERS + CODE_RANDOM_CHARACTERS && /^[0-9a-z]+$/.test(code);
  return looksRight ? registry.queueByTag(code.slice(0, TAG_CHARACTERS)) : undefined;
}

export function checkCodeLength(code: string): void {
  if (code === '') throw invalid('code: is empty');
  if (isLonger(code, CODE_CHARACTERS_MAX)) {
    throw invalid(`code: is longer than ${CODE_CHARACTERS_MAX} characters`);
  }
}

/** null if the person was erased, or if the data is damaged: that must not hide or hold up other invites. */
export function openSealed(
  { log }: Pick<Context, 'log'>,
  { id: queue, vault }: Queue,
  { id, sealed }: Pick<InviteTable, 'id' | 'sealed'>,
): SealedInvite | null {
  if (sealed.length === 0) return null;
  try {
    return vault.open<SealedInvite>('invite.sealed', id, sealed);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    log.error({ queue, invite: formatId('inv', id) }, 'cannot decrypt an invite');
    return null;
  }
}

export type InviteCheck =
  | { state: 'live'; email: string; waitlist: Waitlist; expiresAt: number | null }
  | { state: Exclude<InviteState, 'live'>; expiresAt: number | null }
  | CodeCheck
  | { state: 'not_found' };

export async function checkInvite(context: Context, code: string): Promise<InviteCheck> {
  checkCodeLength(code);
  const queue = await queueOfCode(context, code);
  if (!queue) return checkCode(context, code);
  const { db } = context;
  const row = await db.find(findInvite, { queueId: queue.id, hash: queue.vault.hash('invite', code) });
  if (!row) return { state: 'not_found' };
  const state = inviteState(row, sharedTime(context, row.now));
  if (state !== 'live') return { state, expiresAt: row.expires_at };
  const { email } = queue.vault.open<SealedInvite>('invite.sealed', row.id, row.sealed);
  return { state, email, waitlist: queue.waitlist, expiresAt: row.expires_at };
}
