import type { Trx } from '../../db/database.ts';
import { sharedNow } from '../../db/shared-clock.ts';
import { conflict, invalid, notFound } from '../../lib/errors.ts';
import { formatId, type Id, newId, parseId } from '../../lib/ids.ts';
import type { AuditEvent } from '../queue/audit-trail.ts';
import { changeSettings } from '../queue/change-settings.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { hashOfGateKey, newGateKey } from './find-gate-key.ts';

export const GATE_KEYS_MAX = 100;
const NAME_CHARACTERS_MAX = 100;
const SECRET_CHARACTERS_MAX = 200;

export interface GateKeySummary {
  id: Id<'gat'>;
  /** The last four characters. */
  hint: string;
  /** What operators call it. May be empty. */
  name: string;
  /** Whether it only takes requests that the provider has signed. */
  signed: boolean;
  createdAt: number;
  lastUsedAt: number | null;
}

/** `key` is shown only once and stored as a hash. */
export type CreatedGateKey = GateKeySummary & { key: string };

export interface GateKeyChanges {
  name?: string | undefined;
  /** What the provider signs with. null for providers that do not sign. */
  secret?: string | null | undefined;
}

interface Row {
  id: Uint8Array;
  hint: string;
  name: string;
  secret: Uint8Array | null;
  created_at: number;
  last_used_at: number | null;
}

/** In the order of their creation. */
export async function listGateKeys({ db }: Context, queue: Queue): Promise<GateKeySummary[]> {
  return (await readRows(db.query, queue)).map(summaryOf);
}

export async function createGateKey(
  context: Context,
  queue: Queue,
  input: GateKeyChanges = {},
): Promise<CreatedGateKey> {
  const name = checkName(input.name ?? '');
  const secret = checkSecret(input.secret ?? null);
  return changeSettings(context, async (trx) => {
    await requireWaitlist(trx, queue);
    if ((await readRows(trx, queue)).length >= GATE_KEYS_MAX)
      throw conflict(`a waitlist has at most ${GATE_KEYS_MAX} gate keys: delete one first`);
    const now = await sharedNow(context, trx);
    const id = newId(now);
    const key = newGateKey(queue);
    const row: Row = {
      id,
      hint: key.slice(-4),
      name,
      secret: seal(queue, id, secret),
      created_at: now,
      last_used_at: null,
    };
    await trx
      .insertInto('gate_key')
      .values({ queue_id: queue.id, hash: hashOfGateKey(queue, key), ...row })
      .execute();
    await record(context, trx, queue, 'gate_key.created', row);
    return { ...summaryOf(row), key };
  });
}

/** Renames it, or sets what the provider signs with. */
export async function changeGateKey(
  context: Context,
  queue: Queue,
  gateKeyId: string,
  changes: GateKeyChanges,
): Promise<GateKeySummary> {
  const { name, secret } = changes;
  if (name === undefined && secret === undefined) throw invalid('name or secret: is required');
  const wanted = {
    ...(name === undefined ? {} : { name: checkName(name) }),
    ...(secret === undefined ? {} : { secret: checkSecret(secret) }),
  };
  return changeSettings(context, async (trx) => {
    const before = await requireRow(trx, queue, gateKeyId);
    const after: Row = {
      ...before,
      name: wanted.name ?? before.name,
      secret: wanted.secret === undefined ? before.secret : seal(queue, before.id, wanted.secret),
    };
    await trx
      .updateTable('gate_key')
      .set({ name: after.name, secret: after.secret })
      .where('queue_id', '=', queue.id)
      .where('id', '=', before.id)
      .execute();
    await record(context, trx, queue, 'gate_key.updated', after);
    return summaryOf(after);
  });
}

/** The key stops working at once. */
export async function deleteGateKey(context: Context, queue: Queue, gateKeyId: string): Promise<void> {
  await changeSettings(context, async (trx) => {
    const row = await requireRow(trx, queue, gateKeyId);
    await trx.deleteFrom('gate_key').where('queue_id', '=', queue.id).where('id', '=', row.id).execute();
    await record(context, trx, queue, 'gate_key.deleted', row);
  });
}

function checkName(text: string): string {
  const name = text.trim().normalize();
  if ([...name].length > NAME_CHARACTERS_MAX || /\p{Cc}/u.test(name))
    throw invalid(`name: must be at most ${NAME_CHARACTERS_MAX} characters on one line`);
  return name;
}

/** Supabase shows `v1,whsec_…`, of which the first part is the scheme. */
function checkSecret(text: string | null): string | null {
  if (text === null) return null;
  const secret = text.trim().replace(/^v1,(?=whsec_)/, '');
  if (!/^[!-~]+$/.test(secret) || secret.length > SECRET_CHARACTERS_MAX)
    throw invalid('secret: must be the secret that the provider shows');
  if (secret.startsWith('whsec_') && !/^whsec_[A-Za-z0-9+/]{16,}={0,2}$/.test(secret))
    throw invalid('secret: is incomplete; copy all of it, from v1,whsec_ to the end');
  return secret;
}

function seal({ vault }: Queue, id: Uint8Array, secret: string | null): Buffer | null {
  return secret === null ? null : vault.seal('gate_key.secret', id, secret);
}

/** It may have been deleted a moment ago. */
async function requireWaitlist(trx: Trx, { waitlist }: Queue): Promise<void> {
  const row = await trx
    .selectFrom('waitlist')
    .select('id')
    .where('id', '=', waitlist.internalId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw notFound(`there is no waitlist ${waitlist.id}`);
}

function readRows(executor: Context['db']['query'], queue: Queue): Promise<Row[]> {
  return executor
    .selectFrom('gate_key')
    .select(['id', 'hint', 'name', 'secret', 'created_at', 'last_used_at'])
    .where('queue_id', '=', queue.id)
    .orderBy('id')
    .execute();
}

async function requireRow(trx: Trx, queue: Queue, gateKeyId: string): Promise<Row> {
  const id = parseId('gat', gateKeyId);
  const row = id && (await readRows(trx, queue)).find((each) => id.equals(each.id));
  if (!row) throw notFound(`there is no gate key ${gateKeyId}`);
  return row;
}

function summaryOf(row: Row): GateKeySummary {
  return {
    id: formatId('gat', row.id),
    hint: row.hint,
    name: row.name,
    signed: row.secret !== null,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}

async function record(
  context: Context,
  trx: Trx,
  { waitlist, environment }: Queue,
  action: AuditEvent['action'] & `gate_key.${string}`,
  row: Row,
): Promise<void> {
  const { id, name, hint, signed } = summaryOf(row);
  await context.audit?.(trx, {
    action,
    object: { kind: 'gate_key', id, name: name === '' ? `…${hint}` : name },
    ...(action === 'gate_key.deleted'
      ? {}
      : { after: { name, waitlistId: waitlist.id, environment, signed } }),
  });
}
