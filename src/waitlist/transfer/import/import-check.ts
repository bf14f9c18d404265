import type { Context } from '../../queue/context.ts';
import type { Queue } from '../../queue/queue.ts';
import { findMembers } from '../../referrals/members.ts';
import type { ImportSource } from '../files/raw-row.ts';
import { type ErrorsFile, openErrorsFile } from './errors-file.ts';
import type { ImportCandidate } from './import-candidate.ts';
import { findTakenCodes } from './import-codes.ts';
import { type ImportPlan, readColumns } from './import-plan.ts';
import { checkRows, chunksFrom, type ImportResult, type Watch } from './import-run.ts';

/** Reports what an import would do without writing anything, including bad rows. */
export async function checkImport(
  context: Context,
  queue: Queue,
  file: ImportSource,
  plan: ImportPlan,
  watch: Watch,
  given?: ErrorsFile,
): Promise<ImportResult> {
  const columns = readColumns(plan);
  const errors = given ?? (await openErrorsFile(plan.errorsFile, 0));
  const seen = new Set<string>();
  const start = { rows: 0, next: plan.shape.first };
  const result = { rows: 0, created: 0, skipped: 0, failed: 0, codesTaken: 0 };
  let errorsBytes = 0;
  try {
    for await (const { rows, part } of chunksFrom(file, plan, columns, start)) {
      const { good, problems, failed, nobody } = checkRows(context, queue, columns, rows, false);
      const taken = await findTakenCodes(context, queue, good);
      errorsBytes = await errors.append([...problems, ...taken]);
      result.codesTaken += taken.length;
      const created = await countNew(context, queue, good, seen);
      result.rows += rows.length;
      result.created += created;
      result.failed += failed;
      result.skipped += nobody + good.length - created;
      const rest = { phase: 'rows', next: start.next, errorsBytes, baseSeq: 0, linkedUpTo: 0 } as const;
      await watch({ ...result, ...rest }, part);
    }
  } finally {
    await errors.close();
  }
  return { jobId: null, ...result, errorsFile: errorsBytes === 0 ? null : plan.errorsFile };
}

async function countNew(
  context: Context,
  queue: Queue,
  rows: readonly ImportCandidate[],
  seen: Set<string>,
): Promise<number> {
  const candidates = rows.map(({ candidate }) => candidate);
  const members = await context.db.transaction((trx) => findMembers(trx, queue, candidates));
  let count = 0;
  for (const candidate of candidates) {
    // Half a hash still identifies a person, in half the memory.
    const names = [candidate.emailHash, candidate.phoneHash].flatMap((hash) =>
      hash ? [hash.toString('latin1', 0, 16)] : [],
    );
    if (members.holder(candidate) || names.some((name) => seen.has(name))) continue;
    for (const name of names) seen.add(name);
    count += 1;
  }
  return count;
}
