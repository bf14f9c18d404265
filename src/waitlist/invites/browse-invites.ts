import { type SelectQueryBuilder, sql } from 'kysely';
import { sharedNow } from '../../db/shared-clock.ts';
import type { InviteTable, Tables } from '../../db/tables.ts';
import { parseEmail } from '../../lib/email.ts';
import { invalid, notFound } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { type InviteState, inviteState, openSealed } from './invites.ts';

/** With the entry of the invited email, if there is one. */
export interface InviteOfEntry extends Invite {
  entryId: Uint8Array | null;
}

interface InviteFilter {
  limit: number;
  state?: InviteState | undefined;
  /** Only invites to the email of this entry. */
  entry?: string | undefined;
  /** Only invites to the email with this hash. */
  emailHash?: Uint8Array | undefined;
  /** Exact email or code of an invite, or its id. */
  search?: string | undefined;
  /** The last invite of the previous page. */
  before?: string | undefined;
}

type Invites = SelectQueryBuilder<Tables & { i: Tables['invite'] }, 'i', object>;

/** A page of invites, newest first. */
export async function browseInvites(
  context: Context,
  queue: Queue,
  { limit, state, entry, emailHash: given, search, before }: InviteFilter,
): Promise<{ invites: InviteOfEntry[]; more: boolean }> {
  const last = before === undefined ? undefined : parseId('inv', before);
  if (before !== undefined && !last) throw invalid('cursor: is invalid');
  const now = await sharedNow(context);
  const emailHash = entry === undefined ? given : await emailHashOf(context, queue, entry);
  const sought = search === undefined ? undefined : whatIsSought(queue, search);
  if (emailHash === null || sought === null) return { invites: [], more: false };
  const reads = queriesFor(state, now).map((narrow) => {
    let query = narrow(selectInvites(context, queue));
    if (emailHash) query = query.where('i.email_hash', '=', emailHash);
    if (sought) query = query.where(`i.${sought.column}`, '=', sought.value);
    const id = emailHash || sought ? idAsValue : sql.ref<Uint8Array>('i.id');
    if (last) query = query.where(id, '<', last);
    return readRows(query.orderBy(id, 'desc').limit(limit + 1));
  });
  const rows = (await Promise.all(reads)).flat().sort((a, b) => Buffer.compare(b.id, a.id));
  const invites = rows.slice(0, limit).map((row) => openInvite(context, queue, row, now));
  return { invites, more: rows.length > limit };
}

/** Keeps planners from walking all invites by id instead of finding the few of a person. */
const idAsValue = sql<Uint8Array>`substr(i.id, 1)`;

export function isInviteId(text: string): boolean {
  return text.trim().startsWith('inv_') && !text.includes('@');
}

/** Whether an email can accept an invite already, be it on the waitlist or not. */
export async function hasOpenInvite(context: Context, queue: Queue, email: string): Promise<boolean> {
  const { invites } = await browseInvites(context, queue, { search: email, state: 'live', limit: 1 });
  return invites.length > 0;
}

interface Sought {
  column: 'id' | 'email_hash' | 'code_hash';
  value: Uint8Array;
}

/** Each has an index. null if no invite can have it. */
function whatIsSought({ vault }: Queue, search: string): Sought | null {
  const text = search.trim();
  if (isInviteId(text)) {
    const id = parseId('inv', text);
    return id ? { column: 'id', value: id } : null;
  }
  if (!text.includes('@')) return { column: 'code_hash', value: vault.hash('invite', text) };
  const email = parseEmail(text);
  return email ? { column: 'email_hash', value: vault.hash('email', email.key) } : null;
}

/** Each has an index. An invite that is overdue, but not yet ended by upkeep, counts as expired. */
function queriesFor(state: InviteState | undefined, now: number): ((invites: Invites) => Invites)[] {
  const unended = (invites: Invites) =>
    invites.where('i.accepted_at', 'is', null).where('i.revoked_at', 'is', null);
  switch (state) {
    case undefined:
      return [(invites) => invites];
    case 'accepted':
      return [(invites) => invites.where('i.accepted_at', 'is not', null)];
    case 'revoked':
      return [(invites) => invites.where('i.accepted_at', 'is', null).where('i.revoked_at', 'is not', null)];
    case 'expired':
      return [
        (invites) => unended(invites).where('i.expired_at', 'is not', null),
        (invites) => unended(invites).where('i.expired_at', 'is', null).where('i.expires_at', '<=', now),
      ];
    case 'live':
      return [
        (invites) =>
          unended(invites)
            .where('i.expired_at', 'is', null)
            .where((e) => e.or([e('i.expires_at', 'is', null), e('i.expires_at', '>', now)])),
      ];
  }
}

function selectInvites({ db }: Context, queue: Queue): Invites {
  return db.query.selectFrom('invite as i').where('i.queue_id', '=', queue.id) as unknown as Invites;
}

function readRows(invites: Invites) {
  return invites
    .leftJoin('entry as e', (join) =>
      join.onRef('e.queue_id', '=', 'i.queue_id').onRef('e.email_hash', '=', 'i.email_hash'),
    )
    .select(['i.id', 'i.sealed', 'i.created_at', 'i.expires_at', 'i.accepted_at', 'i.revoked_at'])
    .select(['i.expired_at', 'e.id as entry_id'])
    .execute();
}

type RowOfEntry = Awaited<ReturnType<typeof readRows>>[number];

function openInvite(context: Context, queue: Queue, row: RowOfEntry, now: number): InviteOfEntry {
  return { ...toInvite(context, queue, row, now), entryId: row.entry_id };
}

async function emailHashOf({ db }: Context, queue: Queue, entryId: string): Promise<Uint8Array | null> {
  const id = parseId('ent', entryId);
  const row =
    id &&
    (await db.query
      .selectFrom('entry')
      .select('email_hash')
      .where('queue_id', '=', queue.id)
      .where('id', '=', id)
      .executeTakeFirst());
  if (!row) throw notFound(`there is no entry ${entryId}`);
  return row.email_hash;
}

export async function readInvite(context: Context, queue: Queue, inviteId: string): Promise<InviteOfEntry> {
  const id = parseId('inv', inviteId);
  const [row] = id ? await readRows(selectInvites(context, queue).where('i.id', '=', id)) : [];
  if (!row) throw notFound(`there is no invite ${inviteId}`);
  return openInvite(context, queue, row, await sharedNow(context));
}

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

function toInvite(context: Context, queue: Queue, row: Row, now: number): Invite {
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
