import { statement } from '../db/statement.ts';
import type { InviteTable, Status } from '../db/tables.ts';
import { DoorlistError, invalid, notFound } from '../errors.ts';
import type { Context } from './context.ts';
import type { Found, Queue } from './directory.ts';
import { isoTimeOrNull } from './entry-view.ts';
import { parseEmail } from './identity.ts';
import { formatId, newId, parseId, randomCode } from './ids.ts';
import { changeQueue, type QueueChange } from './queue-change.ts';
import { TAG_CHARACTERS } from './waitlists.ts';

export const CODE_CHARACTERS_MAX = 200;
/** 130 random bits behind the queue's tag. */
const CODE_RANDOM_CHARACTERS = 26;

export type InviteState = 'live' | 'accepted' | 'revoked' | 'expired';

/** What an invite holds sealed. */
export interface SealedInvite {
  email: string;
  code: string;
}

type StateColumns = Pick<InviteTable, 'accepted_at' | 'revoked_at' | 'expires_at'>;

/** None of the other states ever turns live again. */
export function inviteState(row: StateColumns, now: number): InviteState {
  if (row.accepted_at !== null) return 'accepted';
  if (row.revoked_at !== null) return 'revoked';
  if (row.expires_at !== null && row.expires_at <= now) return 'expired';
  return 'live';
}

export interface InviteRow extends StateColumns {
  id: Uint8Array;
  email_hash: Uint8Array;
  sealed: Uint8Array;
  accept_key_hash: Uint8Array | null;
  accept_answer: Uint8Array | null;
}

export const findInvite = statement<{ queueId: number; hash: Buffer }, InviteRow>((db, parameter) =>
  db.query
    .selectFrom('invite')
    .select(['id', 'email_hash', 'sealed', 'expires_at', 'accepted_at', 'revoked_at'])
    .select(['accept_key_hash', 'accept_answer'])
    .where('queue_id', '=', parameter('queueId'))
    .where('code_hash', '=', parameter('hash')),
);

/** A code starts with the tag of its queue: without one it cannot be ours. */
export function queueOfCode({ directory }: Context, code: string): Found<Queue> {
  const looksRight = code.length === TAG_CHARACTERS + CODE_RANDOM_CHARACTERS && /^[0-9a-z]+$/.test(code);
  return looksRight ? directory.queueByTag(code.slice(0, TAG_CHARACTERS)) : undefined;
}

export function checkCodeLength(code: string): void {
  if (code === '') throw invalid('code: is empty');
  if (code.length > CODE_CHARACTERS_MAX && [...code].length > CODE_CHARACTERS_MAX) {
    throw invalid(`code: is longer than ${CODE_CHARACTERS_MAX} characters`);
  }
  if (code.includes('\0')) throw invalid('code: contains a NUL character');
}

export type InviteCheck =
  | { valid: true; email: string; waitlist: { id: string; name: string }; expiresAt?: string }
  | { valid: false; reason: 'not_found' | 'expired' | 'accepted' | 'revoked'; expiresAt?: string };

export async function checkInvite(context: Context, code: string): Promise<InviteCheck> {
  checkCodeLength(code);
  const queue = await queueOfCode(context, code);
  if (!queue) return { valid: false, reason: 'not_found' };
  const { db, clock } = context;
  const [row] = await findInvite.read(db, { queueId: queue.id, hash: queue.vault.hash('invite', code) });
  if (!row) return { valid: false, reason: 'not_found' };
  const expiresAt = isoTimeOrNull(row.expires_at);
  const expiry = expiresAt === null ? {} : { expiresAt };
  const state = inviteState(row, clock());
  if (state !== 'live') return { valid: false, reason: state, ...expiry };
  const { email } = queue.vault.open<SealedInvite>('invite.sealed', row.id, row.sealed);
  const { id, name } = queue.waitlist;
  return { valid: true, email, waitlist: { id, name }, ...expiry };
}

export interface CreatedInvite {
  id: string;
  code: string;
  email: string;
  expiresAt: string | null;
}

/** Invites an email, whether or not it is on the list; a waiting entry of that email becomes invited. */
export async function createInvite(
  context: Context,
  queue: Queue,
  input: { email: string; expiresAt: number | null },
): Promise<CreatedInvite> {
  const email = parseEmail(input.email);
  if (!email) throw invalid('email: not an email address');
  if (input.expiresAt !== null && input.expiresAt <= context.clock())
    throw invalid('expires-at: lies in the past');
  const { vault } = queue;
  const id = newId(context.clock());
  const code = queue.tag + randomCode(CODE_RANDOM_CHARACTERS);
  const emailHash = vault.hash('email', email.key);
  await changeQueue(context, queue, async (change) => {
    await change.trx
      .insertInto('invite')
      .values({
        queue_id: queue.id,
        id,
        code_hash: vault.hash('invite', code),
        email_hash: emailHash,
        sealed: vault.seal('invite.sealed', id, { email: email.shown, code } satisfies SealedInvite),
        created_at: change.now,
        expires_at: input.expiresAt,
        accepted_at: null,
        revoked_at: null,
        accept_key_hash: null,
        accept_answer: null,
      })
      .execute();
    const entry = await moveEntry(change, emailHash, ['pending', 'waiting'], 'invited');
    const invite = { id, email: email.shown, expiresAt: input.expiresAt };
    change.record({ kind: 'invite.sent', invite, entry });
  });
  return { id: formatId('inv', id), code, email: email.shown, expiresAt: isoTimeOrNull(input.expiresAt) };
}

/** Moves the entry of that email, where there is one in a status it can be moved from. Returns its sequence. */
export async function moveEntry(
  { trx, queue, now, tally }: QueueChange,
  emailHash: Uint8Array,
  from: Status[],
  to: 'waiting' | 'invited' | 'joined',
): Promise<number | null> {
  const entry = await trx
    .selectFrom('entry')
    .select(['seq', 'status', 'rank'])
    .where('queue_id', '=', queue.id)
    .where('email_hash', '=', emailHash)
    .executeTakeFirst();
  if (!entry || !from.includes(entry.status)) return entry?.seq ?? null;
  const times = { waiting: { invited_at: null }, invited: { invited_at: now }, joined: { joined_at: now } };
  await trx
    .updateTable('entry')
    .set({ status: to, ...times[to] })
    .where('queue_id', '=', queue.id)
    .where('seq', '=', entry.seq)
    .execute();
  tally.leave(entry.status, entry.rank);
  tally.enter(to, entry.rank);
  return entry.seq;
}

/** Revokes a live invite, found by its code or its id; its entry goes back to where it stood in the queue. */
export async function revokeInvite(context: Context, codeOrId: string): Promise<{ id: string }> {
  const { queue, row } = await findInviteByCodeOrId(context, codeOrId);
  return changeQueue(context, queue, async (change) => {
    const revoked = await change.trx
      .updateTable('invite')
      .set({ revoked_at: change.now })
      .where('queue_id', '=', queue.id)
      .where('id', '=', row.id)
      .where('accepted_at', 'is', null)
      .where('revoked_at', 'is', null)
      .returning(['sealed', 'expires_at'])
      .executeTakeFirst();
    if (!revoked) {
      const state = row.accepted_at === null ? 'revoked' : 'accepted';
      throw new DoorlistError(state, `this invite is ${state} already`);
    }
    const back: Status[] = (await hasLiveInvite(change, row.email_hash)) ? [] : ['invited'];
    const entry = await moveEntry(change, row.email_hash, back, 'waiting');
    const { email } = queue.vault.open<SealedInvite>('invite.sealed', row.id, revoked.sealed);
    const invite = { id: row.id, email, expiresAt: revoked.expires_at };
    change.record({ kind: 'invite.revoked', invite, entry });
    return { id: formatId('inv', row.id) };
  });
}

async function hasLiveInvite({ trx, queue, now }: QueueChange, emailHash: Uint8Array): Promise<boolean> {
  const live = await trx
    .selectFrom('invite')
    .select('id')
    .where('queue_id', '=', queue.id)
    .where('email_hash', '=', emailHash)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now)]))
    .executeTakeFirst();
  return live !== undefined;
}

async function findInviteByCodeOrId(context: Context, codeOrId: string) {
  const { db } = context;
  const id = parseId('inv', codeOrId);
  if (id) {
    const row = await db.query
      .selectFrom('invite')
      .innerJoin('queue', 'queue.id', 'invite.queue_id')
      .select(['invite.id', 'email_hash', 'accepted_at', 'code_tag'])
      .where('invite.id', '=', id)
      .executeTakeFirst();
    const queue = row && (await context.directory.queueByTag(row.code_tag));
    if (row && queue) return { queue, row };
  } else {
    const queue = await queueOfCode(context, codeOrId);
    const hash = queue?.vault.hash('invite', codeOrId);
    const [row] = queue && hash ? await findInvite.read(db, { queueId: queue.id, hash }) : [];
    if (queue && row) return { queue, row };
  }
  throw notFound('there is no invite with this code or id');
}
