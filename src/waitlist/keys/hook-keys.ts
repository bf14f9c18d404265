import type { Trx } from '../../db/database.ts';
import { sharedNow } from '../../db/shared-clock.ts';
import { conflict, invalid, notFound } from '../../lib/errors.ts';
import { formatId, type Id, newId, parseId } from '../../lib/ids.ts';
import { readName } from '../../lib/text.ts';
import { changeSettings } from '../queue/change-settings.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import {
  findHookKey,
  type HookKey,
  type HookKind,
  hashOfHookKey,
  newHookKey,
  type OwnValues,
  pickOwn,
  selectOwn,
} from './find-hook-key.ts';

export const HOOK_KEYS_MAX = 100;
const NAME_CHARACTERS_MAX = 100;

type IdPrefix = HookKind['idPrefix'];

export interface HookKeySummary<Prefix extends IdPrefix = IdPrefix> {
  id: Id<Prefix>;
  /** The last four characters. */
  hint: string;
  /** What operators call it. May be empty. */
  name: string;
  /** Whether it only takes requests that the provider has signed. */
  signed: boolean;
  createdAt: number;
  lastUsedAt: number | null;
  own: OwnValues;
}

/** `key` is shown only once and stored as a hash. */
export type CreatedHookKey<Prefix extends IdPrefix = IdPrefix> = HookKeySummary<Prefix> & { key: string };

export interface HookKeyChanges {
  name?: string | undefined;
  /** What the provider signs with. null for providers that do not sign. */
  secret?: string | null | undefined;
}

interface Row extends OwnValues {
  id: Uint8Array;
  hint: string;
  name: string;
  secret: Uint8Array | null;
  created_at: number;
  last_used_at: number | null;
}

/** What can be done with the keys of one kind. */
export interface HookKeys<Prefix extends IdPrefix> {
  find(context: Context, text: string): Promise<HookKey | undefined>;
  /** In the order of their creation. */
  list(context: Context, queue: Queue): Promise<HookKeySummary<Prefix>[]>;
  create(
    context: Context,
    queue: Queue,
    input?: HookKeyChanges,
    own?: OwnValues,
  ): Promise<CreatedHookKey<Prefix>>;
  /** Renames it, or sets what the provider signs with. `changeOwn` is given what the key has. */
  change(
    context: Context,
    queue: Queue,
    keyId: string,
    changes: HookKeyChanges,
    changeOwn?: (own: OwnValues) => OwnValues,
  ): Promise<HookKeySummary<Prefix>>;
  /** The key stops working at once. */
  remove(context: Context, queue: Queue, keyId: string): Promise<void>;
}

export function hookKeys<Prefix extends IdPrefix>(kind: HookKind<Prefix>): HookKeys<Prefix> {
  const { table, called } = kind;

  const readRows = (executor: Context['db']['query'], queue: Queue): Promise<Row[]> =>
    executor
      .selectFrom(table)
      .select(['id', 'hint', 'name', 'secret', 'created_at', 'last_used_at'])
      .select(() => selectOwn(kind))
      .where('queue_id', '=', queue.id)
      .orderBy('id')
      .execute();

  const requireRow = async (trx: Trx, queue: Queue, keyId: string): Promise<Row> => {
    const id = parseId(kind.idPrefix, keyId);
    const row = id && (await readRows(trx, queue)).find((each) => id.equals(each.id));
    if (!row) throw notFound(`there is no ${called} ${keyId}`);
    return row;
  };

  const seal = ({ vault }: Queue, id: Uint8Array, secret: string | null) =>
    secret === null ? null : vault.seal(`${table}.secret`, id, secret);

  const checkSecret = (text: string | null, own: OwnValues) =>
    text === null ? null : kind.checkSecret(text.trim(), own);

  return {
    find: (context, text) => findHookKey(context, kind, text),

    list: async ({ db }, queue) => (await readRows(db.query, queue)).map((row) => summaryOf(kind, row)),

    create: async (context, queue, input = {}, own = {}) => {
      const name = readName(input.name ?? '', { least: 0, most: NAME_CHARACTERS_MAX });
      const secret = checkSecret(input.secret ?? null, own);
      return changeSettings(context, async (trx) => {
        await requireWaitlist(trx, queue);
        if ((await readRows(trx, queue)).length >= HOOK_KEYS_MAX)
          throw conflict(`a waitlist has at most ${HOOK_KEYS_MAX} ${called}s: delete one first`);
        const now = await sharedNow(context, trx);
        const id = newId(now);
        const key = newHookKey(kind, queue);
        const row: Row = {
          id,
          hint: key.slice(-4),
          name,
          secret: seal(queue, id, secret),
          created_at: now,
          last_used_at: null,
          ...own,
        };
        await trx
          .insertInto(table)
          .values({ queue_id: queue.id, hash: hashOfHookKey(kind, queue, key), ...row })
          .execute();
        await record(context, trx, queue, kind, 'created', row);
        return { ...summaryOf(kind, row), key };
      });
    },

    change: async (context, queue, keyId, { name, secret }, changeOwn) => {
      if (name === undefined && secret === undefined && !changeOwn)
        throw invalid('name or secret: is required');
      const newName = name && readName(name, { least: 0, most: NAME_CHARACTERS_MAX });
      return changeSettings(context, async (trx) => {
        const before = await requireRow(trx, queue, keyId);
        const own = { ...pickOwn(kind.own, before), ...changeOwn?.(before) };
        const after: Row = {
          ...before,
          name: newName ?? before.name,
          secret: secret === undefined ? before.secret : seal(queue, before.id, checkSecret(secret, before)),
          ...own,
        };
        await trx
          .updateTable(table)
          .set({ name: after.name, secret: after.secret, ...own })
          .where('queue_id', '=', queue.id)
          .where('id', '=', before.id)
          .execute();
        await record(context, trx, queue, kind, 'updated', after);
        return summaryOf(kind, after);
      });
    },

    remove: async (context, queue, keyId) => {
      await changeSettings(context, async (trx) => {
        const row = await requireRow(trx, queue, keyId);
        await trx.deleteFrom(table).where('queue_id', '=', queue.id).where('id', '=', row.id).execute();
        await record(context, trx, queue, kind, 'deleted', row);
      });
    },
  };
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

function summaryOf<Prefix extends IdPrefix>(
  { idPrefix, own }: HookKind<Prefix>,
  row: Row,
): HookKeySummary<Prefix> {
  return {
    id: formatId(idPrefix, row.id),
    hint: row.hint,
    name: row.name,
    signed: row.secret !== null,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    own: pickOwn(own, row),
  };
}

async function record(
  context: Context,
  trx: Trx,
  { waitlist, environment }: Queue,
  kind: HookKind,
  did: 'created' | 'updated' | 'deleted',
  row: Row,
): Promise<void> {
  const { id, name, hint, signed, own } = summaryOf(kind, row);
  await context.audit?.(trx, {
    action: `${kind.table}.${did}`,
    object: { kind: kind.table, id, name: name === '' ? `…${hint}` : name },
    ...(did === 'deleted' ? {} : { after: { name, waitlistId: waitlist.id, environment, signed, ...own } }),
  });
}

const SECRET_CHARACTERS_MAX = 200;

/** What a product's sign-up asks with whether people may sign up. */
export const gateKeys = hookKeys({
  table: 'gate_key',
  purpose: 'gate',
  start: 'dlg_',
  idPrefix: 'gat',
  called: 'gate key',
  own: [],
  checkSecret,
});

/** Supabase shows `v1,whsec_…`, of which the first part is the scheme. */
function checkSecret(text: string): string {
  const secret = text.replace(/^v1,(?=whsec_)/, '');
  if (!/^[!-~]+$/.test(secret) || secret.length > SECRET_CHARACTERS_MAX)
    throw invalid('secret: must be the secret that the provider shows');
  if (secret.startsWith('whsec_') && !/^whsec_[A-Za-z0-9+/]{16,}={0,2}$/.test(secret))
    throw invalid('secret: is incomplete; copy all of it, from v1,whsec_ to the end');
  return secret;
}
