import { UniqueViolation } from '../../db/database.ts';
import type { CodeEffect } from '../../db/tables.ts';
import { conflict, damaged, invalid, notFound } from '../../lib/errors.ts';
import { formatId, newId, parseId, randomCode } from '../../lib/ids.ts';
import { isLine, readText } from '../../lib/text.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import { expiryAt } from '../queue/expiry.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import {
  CODE_LENGTH,
  type Code,
  type CodeRow,
  hashCode,
  openCode,
  type SealedCode,
  selectCodes,
} from './codes.ts';

export const TAG_CHARACTERS_MAX = 100;
/** More than anybody invites, and small enough to be added up. */
export const LIMIT_MAX = 999_999_999;
/** More than anybody has ahead of them. */
export const PLACES_MAX = LIMIT_MAX;

interface CodeInput {
  /** Made up unless chosen. */
  code?: string | undefined;
  does: CodeEffect;
  /** Only for a code that advances. */
  places?: number | undefined;
  limit: number;
  expiresAt?: number | null | undefined;
  tag?: string | null | undefined;
}

export async function createCode(context: Context, queue: Queue, input: CodeInput): Promise<Code> {
  const written = (input.code ?? madeUp()).trim();
  const hash = await hashCode(context, written);
  if (!hash)
    throw invalid(
      `code: must be ${CODE_LENGTH.least} to ${CODE_LENGTH.most} letters of the English alphabet, digits, - and _`,
    );
  const sealed: SealedCode = { code: written, tag: readTag(input.tag ?? null) };
  const most = checkLimit(input.limit);
  const places = checkPlaces(input);
  const taken = () => conflict('code: is taken, here or on another waitlist or environment');
  try {
    return await changeQueue(context, queue, async (change) => {
      const { trx, now } = change;
      const other = await trx
        .selectFrom('code')
        .select('id')
        .where('code_hash', '=', hash)
        .executeTakeFirst();
      if (other) throw taken();
      const id = newId(now);
      const row: CodeRow = {
        ...{ queue_id: queue.id, id, code_hash: hash, does: input.does, places, most, used: 0 },
        sealed: queue.vault.seal('code.sealed', id, sealed),
        expires_at: expiryAt(input.expiresAt, now) ?? null,
        ...{ created_at: now, deleted_at: null },
      };
      trx.insert('code', [row]);
      const created = openCode(context, queue, row);
      await record(context, change, 'code.created', undefined, created);
      return created;
    });
  } catch (error) {
    if (error instanceof UniqueViolation) throw taken();
    throw error;
  }
}

/** Three groups of four: enough that nobody guesses one, and few enough to be read out. */
function madeUp(): string {
  return [1, 2, 3].map(() => randomCode(4).toUpperCase()).join('-');
}

interface CodeChanges {
  limit?: number | undefined;
  expiresAt?: number | null | undefined;
  tag?: string | null | undefined;
}

export async function updateCode(
  context: Context,
  queue: Queue,
  codeId: string,
  changes: CodeChanges,
): Promise<Code> {
  const most = changes.limit === undefined ? undefined : checkLimit(changes.limit);
  const tag = changes.tag === undefined ? undefined : readTag(changes.tag);
  return changeQueue(context, queue, async (change) => {
    const { trx, now } = change;
    const row = await requireRow(trx, queue, codeId);
    if (most !== undefined && most < row.used)
      throw invalid(`limit: must be at least ${row.used}, because as many people have used the code`);
    const before = openCode(context, queue, row);
    if (before.code === null)
      throw damaged('this code cannot be decrypted: delete it, and create another one');
    const sealed: SealedCode = { code: before.code, tag: tag === undefined ? before.tag : tag };
    const expiresAt = expiryAt(changes.expiresAt, now);
    const changed = {
      most: most ?? row.most,
      sealed: queue.vault.seal('code.sealed', row.id, sealed),
      expires_at: expiresAt === undefined ? row.expires_at : expiresAt,
    };
    trx.update('code', { key: ['queue_id', 'id'] }, [{ queue_id: queue.id, id: row.id, ...changed }]);
    const after = openCode(context, queue, { ...row, ...changed });
    await record(context, change, 'code.updated', before, after);
    return after;
  });
}

/** Nobody can use it any more. What it did stays, and nobody gets its text again. */
export async function deleteCode(context: Context, queue: Queue, codeId: string): Promise<void> {
  await changeQueue(context, queue, async (change) => {
    const { trx, now } = change;
    const row = await requireRow(trx, queue, codeId);
    trx.update('code', { key: ['queue_id', 'id'] }, [{ queue_id: queue.id, id: row.id, deleted_at: now }]);
    await record(context, change, 'code.deleted', openCode(context, queue, row), undefined);
  });
}

/** Newest first. */
export async function listCodes(
  context: Context,
  queue: Queue,
  { limit, after }: { limit: number; after: Uint8Array | undefined },
): Promise<Code[]> {
  let query = selectCodes(context.db.query, queue).where('deleted_at', 'is', null);
  if (after) query = query.where('id', '<', after);
  const rows = await query.orderBy('id', 'desc').limit(limit).execute();
  return rows.map((row) => openCode(context, queue, row));
}

export async function readCode(context: Context, queue: Queue, codeId: string): Promise<Code> {
  return openCode(context, queue, await requireRow(context.db.query, queue, codeId));
}

/** Not one that was deleted. */
export async function findCodeByIdOrText(
  context: Context,
  queue: Queue,
  codeOrId: string,
): Promise<Code | undefined> {
  const row = await findRow(context.db.query, queue, await codeIdOf(context, queue, codeOrId));
  return row ? openCode(context, queue, row) : undefined;
}

/** By its id, or by its text. */
export async function codeIdOf(context: Context, queue: Queue, codeOrId: string): Promise<string> {
  const hash = parseId('cod', codeOrId) ? undefined : await hashCode(context, codeOrId);
  const row =
    hash && (await selectCodes(context.db.query, queue).where('code_hash', '=', hash).executeTakeFirst());
  return row ? formatId('cod', row.id) : codeOrId;
}

/** Who came with a code, the last one first: those after `after`, which is a joining sequence. */
export async function listUses(
  context: Context,
  queue: Queue,
  codeId: string,
  { limit, after }: { limit: number; after: number | undefined },
) {
  const { db } = context;
  const { id } = await requireRow(db.query, queue, codeId);
  let query = db.query
    .selectFrom('code_use')
    .select(['seq', 'used_at', 'returned_at'])
    .where('queue_id', '=', queue.id)
    .where('code_id', '=', id);
  if (after !== undefined) query = query.where('seq', '<', after);
  return query.orderBy('seq', 'desc').limit(limit).execute();
}

async function findRow(
  query: Context['db']['query'],
  queue: Queue,
  codeId: string,
): Promise<CodeRow | undefined> {
  const id = parseId('cod', codeId);
  if (!id) return undefined;
  return selectCodes(query, queue).where('id', '=', id).where('deleted_at', 'is', null).executeTakeFirst();
}

async function requireRow(query: Context['db']['query'], queue: Queue, codeId: string): Promise<CodeRow> {
  const row = await findRow(query, queue, codeId);
  if (!row) throw notFound(`there is no code ${codeId}`);
  return row;
}

function checkLimit(limit: number): number {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > LIMIT_MAX)
    throw invalid(`limit: must be a whole number from 1 to ${LIMIT_MAX}`);
  return limit;
}

function checkPlaces({ does, places }: CodeInput): number | null {
  if (does !== 'advance') {
    if (places !== undefined) throw invalid('places: is only for a code that does "advance"');
    return null;
  }
  if (places === undefined) throw invalid('places: is required when does is "advance"');
  if (!Number.isSafeInteger(places) || places < 1 || places > PLACES_MAX)
    throw invalid(`places: must be a whole number from 1 to ${PLACES_MAX}`);
  return places;
}

function readTag(tag: string | null): string | null {
  if (tag === null) return null;
  const text = readText(tag, TAG_CHARACTERS_MAX);
  if (text === undefined || text === '' || !isLine(text, TAG_CHARACTERS_MAX))
    throw invalid(`tag: must be 1 to ${TAG_CHARACTERS_MAX} characters on one line`);
  return text;
}

async function record(
  context: Context,
  { trx, queue }: QueueChange,
  action: 'code.created' | 'code.updated' | 'code.deleted',
  before: Code | undefined,
  after: Code | undefined,
): Promise<void> {
  const { id } = (after ?? before) as Code;
  const where = { waitlist: queue.waitlist.id, environment: queue.environment };
  const shown = (code: Code | undefined) =>
    code && {
      does: code.does,
      ...(code.places !== null && { places: code.places }),
      limit: code.limit,
      expiresAt: code.expiresAt,
      ...where,
    };
  await context.audit?.(trx, {
    action,
    object: { kind: 'code', id },
    ...(before ? { before: shown(before) ?? {} } : {}),
    ...(after ? { after: shown(after) ?? {} } : {}),
  });
}
