import type { Trx } from '../db/database.ts';
import { formatId } from '../lib/ids.ts';
import { endOfTurn } from '../lib/promises.ts';
import { type AuditDetails, auditRow } from './audit.ts';
import { chainHash, isIntact, startSealOf } from './audit-chain.ts';
import type { OperatorContext } from './context.ts';

const PAGE = 1_000;

interface Verified {
  records: number;
  /** Says where the trail is broken. */
  problem: string | undefined;
}

/** Follows the chain from its beginning to its sealed end, and looks for the records that must be there. */
export async function verifyAudit({ db, vault }: OperatorContext): Promise<Verified> {
  return db.snapshot(async (trx) => {
    const followed = await follow(vault, trx);
    if (followed.problem !== undefined) return followed;
    return { ...followed, problem: await findUnrecorded(vault, trx) };
  });
}

async function follow(vault: OperatorContext['vault'], trx: Trx): Promise<Verified> {
  const head = await trx.selectFrom('audit_head').selectAll().executeTakeFirst();
  const start = { seq: head?.start_seq ?? 0, hash: head?.start_hash ?? Buffer.alloc(0) };
  if (start.seq > 0 && !startSealOf(vault, start).equals(head?.start_seal ?? Buffer.alloc(0)))
    return { records: 0, problem: `records before ${start.seq + 1} were removed` };
  let last: { seq: number; hash: Uint8Array } = start;
  for (;;) {
    const rows = await trx
      .selectFrom('audit')
      .selectAll()
      .where('seq', '>', last.seq)
      .orderBy('seq')
      .limit(PAGE)
      .execute();
    for (const row of rows) {
      const records = last.seq - start.seq;
      if (row.seq !== last.seq + 1) return { records, problem: `record ${last.seq + 1} is missing` };
      if (!chainHash(vault, last.hash, row).equals(row.hash))
        return { records, problem: `record ${row.seq} was modified` };
      last = row;
    }
    if (rows.length < PAGE) break;
    await endOfTurn();
  }
  const records = last.seq - start.seq;
  const ends =
    (head?.seq ?? 0) === last.seq && Buffer.compare(head?.hash ?? Buffer.alloc(0), last.hash) === 0;
  if (!ends) return { records, problem: `the records after ${last.seq} are missing` };
  const seal = head?.seal ?? null;
  if (isIntact(vault, { ...last, seal })) return { records, problem: undefined };
  const where = seal?.length === 0 ? 'before' : 'after';
  return { records, problem: `records ${where} ${last.seq} were removed` };
}

/** Nobody gets in without a record of how. So this also finds a trail that was emptied and began again. */
async function findUnrecorded(vault: OperatorContext['vault'], trx: Trx): Promise<string | undefined> {
  const known = await readTrimmed(vault, trx);
  const operators = await trx.selectFrom('operator').select('id').orderBy('id').execute();
  for (const { id } of operators) {
    const operator = formatId('opr', id);
    if (known.has(operator)) continue;
    const record = await trx
      .selectFrom('audit')
      .select('seq')
      .where('object', '=', `operator:${operator}`)
      .where('action', 'in', ['setup.completed', 'operator.created'])
      .limit(1)
      .executeTakeFirst();
    if (!record) return `there is no record of how operator ${operator} was added`;
  }
  const tokens = await trx.selectFrom('admin_token').select('id').orderBy('id').execute();
  for (const { id } of tokens) {
    const token = formatId('tok', id);
    if (known.has(token)) continue;
    const record = await trx
      .selectFrom('audit')
      .select('seq')
      .where('object', '=', `token:${token}`)
      .where('action', '=', 'token.created')
      .limit(1)
      .executeTakeFirst();
    if (!record) return `there is no record of how token ${token} was created`;
  }
  return undefined;
}

/** Operators and tokens that were there when old records were deleted, theirs among them. */
async function readTrimmed(vault: OperatorContext['vault'], trx: Trx): Promise<Set<string>> {
  const row = await trx
    .selectFrom('audit')
    .select(['seq', 'details'])
    .where('action', '=', 'audit.trimmed')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!row) return new Set();
  const { after } = vault.open<AuditDetails>('audit.details', auditRow(row.seq), row.details);
  const { operators = [], tokens = [] } = (after ?? {}) as { operators?: string[]; tokens?: string[] };
  return new Set([...operators, ...tokens]);
}
