import { invalid } from '../errors.ts';
import { type AuditAction, type AuditDetails, auditRow, chainHash } from './audit.ts';
import type { OperatorContext } from './context.ts';

export interface AuditFilter {
  limit: number;
  cursor?: string | undefined;
  action?: string | undefined;
  actor?: string | undefined;
  object?: string | undefined;
}

export interface AuditRecord {
  seq: number;
  at: number;
  action: AuditAction;
  actor: string;
  object: string | null;
  details: AuditDetails;
}

/** Newest first. */
export async function listAudit(
  { db, vault }: OperatorContext,
  { limit, cursor, action, actor, object }: AuditFilter,
): Promise<{ records: AuditRecord[]; nextCursor: string | null }> {
  if (cursor !== undefined && !/^[1-9][0-9]{0,14}$/.test(cursor)) throw invalid('cursor: is not valid');
  let query = db.query
    .selectFrom('audit')
    .selectAll()
    .orderBy('seq', 'desc')
    .limit(limit + 1);
  if (cursor !== undefined) query = query.where('seq', '<', Number(cursor));
  if (action !== undefined) query = query.where('action', '=', action);
  if (actor !== undefined) query = query.where('actor', '=', actor);
  if (object !== undefined) query = query.where('object', '=', object);
  const rows = await query.execute();
  const page = rows.slice(0, limit);
  const records = page.map(({ seq, at, action, actor, object, details }) => ({
    seq,
    at,
    action: action as AuditAction,
    actor,
    object,
    details: vault.open<AuditDetails>('audit.details', auditRow(seq), details),
  }));
  const last = page.at(-1);
  return { records, nextCursor: rows.length > limit && last ? String(last.seq) : null };
}

const PAGE = 1_000;

/** Follows the chain from its beginning. `problem` says where it is broken. */
export async function verifyAudit({ db, vault }: OperatorContext): Promise<{
  records: number;
  problem: string | undefined;
}> {
  return db.snapshot(async (trx) => {
    const head = await trx.selectFrom('audit_head').select(['seq', 'hash']).executeTakeFirst();
    let previous: Uint8Array = Buffer.alloc(0);
    let seq = 0;
    for (;;) {
      const rows = await trx
        .selectFrom('audit')
        .selectAll()
        .where('seq', '>', seq)
        .orderBy('seq')
        .limit(PAGE)
        .execute();
      for (const row of rows) {
        if (row.seq !== seq + 1) return { records: seq, problem: `record ${seq + 1} is missing` };
        const expected = chainHash(vault, previous, row);
        if (!expected.equals(row.hash)) return { records: seq, problem: `record ${row.seq} was modified` };
        seq = row.seq;
        previous = row.hash;
      }
      if (rows.length < PAGE) break;
    }
    const ends = (head?.seq ?? 0) === seq && Buffer.compare(head?.hash ?? Buffer.alloc(0), previous) === 0;
    return { records: seq, problem: ends ? undefined : `the records after ${seq} are missing` };
  });
}
