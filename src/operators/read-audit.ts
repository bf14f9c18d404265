import { invalid } from '../lib/errors.ts';
import { ifReadable } from '../vault/crypto.ts';
import { type AuditAction, type AuditDetails, auditRow } from './audit.ts';
import type { OperatorContext } from './context.ts';

interface AuditFilter {
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
  /** Then there are no details. `doctor` says where the trail was modified. */
  isDamaged: boolean;
}

const NO_DETAILS: AuditDetails = {
  actorName: null,
  address: null,
  objectName: null,
  before: null,
  after: null,
};

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
  const records = page.map(({ seq, at, action, actor, object, details: sealed }) => {
    const details = ifReadable(() => vault.open<AuditDetails>('audit.details', auditRow(seq), sealed));
    return {
      ...{ seq, at, action: action as AuditAction, actor, object },
      details: details ?? NO_DETAILS,
      isDamaged: details === undefined,
    };
  });
  const last = page.at(-1);
  return { records, nextCursor: rows.length > limit && last ? String(last.seq) : null };
}
