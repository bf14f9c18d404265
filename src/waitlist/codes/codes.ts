import { sharedTime } from '../../db/shared-clock.ts';
import { lookup } from '../../db/statement.ts';
import type { CodeEffect, Tables } from '../../db/tables.ts';
import { formatId, type Id } from '../../lib/ids.ts';
import type { Context } from '../queue/context.ts';
import type { Queue, Waitlist } from '../queue/queue.ts';
import { readable } from '../queue/readable.ts';

/** Shorter than the code of an invite, so that neither is taken for the other. */
export const CODE_LENGTH = { least: 4, most: 30 };
export const CODE_PATTERN = '^[A-Za-z0-9_-]+$';
const WRITTEN = new RegExp(CODE_PATTERN);

/** A code that several people can use. */
export interface Code {
  id: Id<'cod'>;
  /** null if it is damaged. */
  code: string | null;
  does: CodeEffect;
  /** How many places earlier whoever joins with it counts as having joined. null unless it advances. */
  places: number | null;
  limit: number;
  used: number;
  expiresAt: number | null;
  /** Goes to the metadata of whoever uses it. */
  tag: string | null;
  createdAt: number;
}

export interface SealedCode {
  code: string;
  tag: string | null;
}

export type CodeRow = Tables['code'];

const COLUMNS = [
  ...(['queue_id', 'id', 'code_hash', 'sealed', 'does', 'places', 'most', 'used'] as const),
  ...(['expires_at', 'created_at', 'deleted_at'] as const),
] as const;

export function selectCode(query: Context['db']['query']) {
  return query.selectFrom('code').select(COLUMNS);
}

export function selectCodes(query: Context['db']['query'], queue: Queue) {
  return selectCode(query).where('queue_id', '=', queue.id);
}

const findByHash = lookup<{ hash: Buffer }, CodeRow & { now: number }>({ hash: 'bytes' }, (db, parameter) =>
  selectCode(db.query).select(db.clock.as('now')).where('code_hash', '=', parameter('hash')),
);

/** People type it, so capitals do not matter. Undefined if it cannot be one. */
function codeKey(text: string): string | undefined {
  const code = text.trim();
  const fits = code.length >= CODE_LENGTH.least && code.length <= CODE_LENGTH.most;
  return fits && WRITTEN.test(code) ? code.toLowerCase() : undefined;
}

/** Undefined if it cannot be a code. */
export async function hashCode(context: Context, text: string): Promise<Buffer | undefined> {
  const key = codeKey(text);
  return key === undefined ? undefined : (await installationVault(context)).hash('code', key);
}

async function installationVault({ db, keyring, registry }: Context) {
  const vault = await registry.cached('installation', 'vault', async () => {
    const { installation_keys: wrapped } = await db.query
      .selectFrom('instance')
      .select('installation_keys')
      .executeTakeFirstOrThrow();
    return wrapped ? keyring.openInstallation(wrapped) : undefined;
  });
  if (!vault) throw new Error('the keys of the installation are missing');
  return vault;
}

/** A code as it was when it was read, and the waitlist that it is of. */
export interface FoundCode {
  queue: Queue;
  row: CodeRow;
  /** The database's time of the read. */
  now: number;
}

export async function findCode(context: Context, text: string): Promise<FoundCode | undefined> {
  const hash = await hashCode(context, text);
  const row = hash && (await context.db.find(findByHash, { hash }));
  const queue = row && (await context.registry.queueById(row.queue_id));
  return queue && { queue, row, now: sharedTime(context, row.now) };
}

export type CodeState = 'live' | 'accepted' | 'revoked' | 'expired';

/** In the words of an invite: `accepted` once it is used up. */
export function codeState(row: Pick<CodeRow, 'used' | 'most' | 'deleted_at' | 'expires_at'>, now: number) {
  if (row.used >= row.most) return 'accepted';
  if (row.deleted_at !== null) return 'revoked';
  return row.expires_at !== null && row.expires_at <= now ? 'expired' : 'live';
}

export type CodeCheck =
  | { state: 'live'; email: null; waitlist: Waitlist; expiresAt: number | null; places: number | null }
  | { state: Exclude<CodeState, 'live'>; expiresAt: number | null };

/** Says nothing about who used it. */
export async function checkCode(context: Context, text: string): Promise<CodeCheck | { state: 'not_found' }> {
  const found = await findCode(context, text);
  if (!found) return { state: 'not_found' };
  const { queue, row, now } = found;
  const state = codeState(row, now);
  const { expires_at: expiresAt, places } = row;
  if (state !== 'live') return { state, expiresAt };
  return { state, email: null, waitlist: queue.waitlist, expiresAt, places };
}

/** The text of the code that put somebody earlier. Of several, after a merge, the one that is worth most. */
export async function advancingCodeOf(context: Context, queue: Queue, seq: number): Promise<string | null> {
  const { query } = context.db;
  const row = await selectCodes(query, queue)
    .where('id', 'in', uses(query, queue, seq))
    .where('places', 'is not', null)
    .orderBy('places', 'desc')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row ? openCode(context, queue, row).code : null;
}

function uses(query: Context['db']['query'], queue: Queue, seq: number) {
  return query
    .selectFrom('code_use')
    .select('code_id')
    .where('queue_id', '=', queue.id)
    .where('seq', '=', seq);
}

export function openCode({ log }: Pick<Context, 'log'>, { id: queue, vault }: Queue, row: CodeRow): Code {
  const id = formatId('cod', row.id);
  const sealed = readable({ log }, { what: 'code', id, queue }, () =>
    vault.open<SealedCode>('code.sealed', row.id, row.sealed),
  );
  return {
    id,
    code: sealed?.code ?? null,
    does: row.does,
    places: row.places,
    limit: row.most,
    used: row.used,
    expiresAt: row.expires_at,
    tag: sealed?.tag ?? null,
    createdAt: row.created_at,
  };
}
