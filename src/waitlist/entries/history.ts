import type { Decision } from '../../db/tables.ts';
import { ifReadable } from '../../vault/crypto.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { findConfirmation } from './confirm-entry.ts';
import type { Entry } from './entry.ts';

/** Of each kind that can be many. The newest are shown. */
const MOST = 200;

export const HISTORY_KINDS = [
  'signup.created',
  'signup.confirmed',
  'referral.credited',
  'invite.sent',
  'invite.accepted',
  'invite.revoked',
  'invite.expired',
  'entry.moved',
  'entry.updated',
  'entry.removed',
  'entry.approved',
  'entry.declined',
  'entry.reconsidered',
] as const;
type HistoryKind = (typeof HISTORY_KINDS)[number];

export interface HistoryEvent {
  at: number;
  kind: HistoryKind;
  /** Who was referred. */
  entryId?: Uint8Array;
  inviteId?: Uint8Array;
  expiresAt?: number | null;
  /** The operator who confirmed the email, moved or changed the entry, or decided. */
  by?: string;
  /** What was changed. */
  fields?: readonly string[];
  /** What they noted. */
  note?: string;
  /** Positions before and after a move. */
  moved?: { from: number; to: number };
}

/** What happened to an entry, oldest first, from what is stored about it. */
export async function readHistory(context: Context, queue: Queue, entry: Entry): Promise<HistoryEvent[]> {
  const { db } = context;
  const row = await db.query
    .selectFrom('entry')
    .select(['confirmed_at', 'removed_at', 'email_hash'])
    .where('queue_id', '=', queue.id)
    .where('seq', '=', entry.seq)
    .executeTakeFirstOrThrow();
  const confirmation = await findConfirmation(context, queue, entry.id);
  const confirmedAt = row.confirmed_at ?? confirmation?.at ?? null;
  const events: HistoryEvent[] = [{ at: entry.createdAt, kind: 'signup.created' }];
  if (confirmedAt !== null)
    events.push({
      at: confirmedAt,
      kind: 'signup.confirmed',
      ...(confirmation ? { by: confirmation.by } : {}),
    });
  events.push(...(await creditsOf(context, queue, entry.seq)));
  if (row.email_hash) events.push(...(await invitesTo(context, queue, row.email_hash)));
  if (row.removed_at !== null) events.push({ at: row.removed_at, kind: 'entry.removed' });
  for (const { decision, at, by, note } of (await readDecisions(context, queue, entry.seq, MOST)).reverse())
    events.push({ at, kind: `entry.${decision}`, ...(by && { by }), ...(note && { note }) });
  return events.sort((a, b) => a.at - b.at);
}

async function creditsOf({ db }: Context, queue: Queue, seq: number): Promise<HistoryEvent[]> {
  const rows = await db.query
    .selectFrom('entry')
    .select(['id', 'created_at', 'confirmed_at'])
    .where('queue_id', '=', queue.id)
    .where('referrer_seq', '=', seq)
    .where('credited', '=', 1)
    .orderBy('seq', 'desc')
    .limit(MOST)
    .execute();
  return rows.map(({ id, created_at, confirmed_at }) => ({
    at: confirmed_at ?? created_at,
    kind: 'referral.credited',
    entryId: id,
  }));
}

async function invitesTo({ db }: Context, queue: Queue, emailHash: Uint8Array): Promise<HistoryEvent[]> {
  const rows = await db.query
    .selectFrom('invite')
    .select(['id', 'created_at', 'expires_at', 'accepted_at', 'revoked_at', 'expired_at', 'code_id'])
    .where('queue_id', '=', queue.id)
    .where('email_hash', '=', emailHash)
    .orderBy('created_at', 'desc')
    .limit(MOST)
    .execute();
  return rows.flatMap(({ id, created_at, expires_at, accepted_at, revoked_at, expired_at, code_id }) => {
    const ends = [
      ['invite.accepted', accepted_at],
      ['invite.revoked', revoked_at],
      ['invite.expired', expired_at],
    ] as const;
    const sent: HistoryEvent = { at: created_at, kind: 'invite.sent', inviteId: id, expiresAt: expires_at };
    return [
      ...(code_id ? [] : [sent]),
      ...ends.flatMap(([kind, at]) => (at === null ? [] : [{ at, kind, inviteId: id }])),
    ];
  });
}

export interface PastDecision {
  decision: Decision;
  at: number;
  by: string | null;
  note: string | null;
}

/** The newest first. A note that cannot be decrypted is left out. */
export async function readDecisions(
  { db }: Context,
  { id: queueId, vault }: Queue,
  seq: number,
  limit: number,
): Promise<PastDecision[]> {
  const rows = await db.query
    .selectFrom('entry_decision')
    .select(['id', 'decision', 'note', 'decided_by', 'decided_at'])
    .where('queue_id', '=', queueId)
    .where('seq', '=', seq)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ id, decision, note: sealed, decided_by, decided_at }) => ({
    decision,
    at: decided_at,
    by: decided_by,
    note: (sealed && ifReadable(() => vault.open<string>('decision.note', id, sealed))) ?? null,
  }));
}
