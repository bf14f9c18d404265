import type { Trx } from '../db/database.ts';
import { formatId } from '../lib/ids.ts';
import { chainHash, isSealed, unsealedHash } from './audit-chain.ts';
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
    return { ...followed, problem: await findUnrecorded(trx) };
  });
}

async function follow(vault: OperatorContext['vault'], trx: Trx): Promise<Verified> {
  const head = await trx.selectFrom('audit_head').select(['seq', 'hash', 'seal']).executeTakeFirst();
  let last: { seq: number; hash: Uint8Array } = { seq: 0, hash: Buffer.alloc(0) };
  /** The last one that this release wrote, which the seal is about. */
  let sealed: typeof last | undefined;
  for (;;) {
    const rows = await trx
      .selectFrom('audit')
      .selectAll()
      .where('seq', '>', last.seq)
      .orderBy('seq')
      .limit(PAGE)
      .execute();
    for (const row of rows) {
      const records = last.seq;
      if (row.seq !== records + 1) return { records, problem: `record ${records + 1} is missing` };
      if (chainHash(vault, last.hash, row).equals(row.hash)) sealed = row;
      else if (!unsealedHash(vault, last.hash, row).equals(row.hash))
        return { records, problem: `record ${row.seq} was modified` };
      last = row;
    }
    if (rows.length < PAGE) break;
  }
  const records = last.seq;
  const ends = (head?.seq ?? 0) === records && Buffer.compare(head?.hash ?? Buffer.alloc(0), last.hash) === 0;
  if (!ends) return { records, problem: `the records after ${records} are missing` };
  const seal = head?.seal ?? null;
  if (sealed ? isSealed(vault, sealed, seal) : seal === null) return { records, problem: undefined };
  const where = seal?.length === 0 ? 'before' : 'after';
  return { records, problem: `records ${where} ${records} were removed` };
}

/** Nobody gets in without a record of how. So this also finds a trail that was emptied and began again. */
async function findUnrecorded(trx: Trx): Promise<string | undefined> {
  const operators = await trx.selectFrom('operator').select('id').orderBy('id').execute();
  for (const { id } of operators) {
    const operator = formatId('opr', id);
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
