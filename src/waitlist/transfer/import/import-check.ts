import { withSmallHeap } from '../../../lib/heap-growth.ts';
import type { Context } from '../../queue/context.ts';
import type { Queue } from '../../queue/queue.ts';
import { findMembers, type Members } from '../../referrals/members.ts';
import type { ImportSource } from '../files/raw-row.ts';
import { checkRows } from './check-rows.ts';
import { findTakenCodes, type ImportCandidate } from './import-candidate.ts';
import { type ImportPlan, readColumns } from './import-plan.ts';
import { addFound, NOTHING_FOUND, startOf } from './import-progress.ts';
import { reportOn } from './import-report.ts';
import {
  type BadRowLists,
  chunksFrom,
  closeLists,
  type ImportResult,
  listBadRows,
  openLists,
  type Watch,
} from './import-run.ts';
import { Newcomers } from './newcomers.ts';

/** Reports what an import would do without writing anything, including bad rows. */
export function checkImport(
  context: Context,
  queue: Queue,
  file: ImportSource,
  plan: ImportPlan,
  watch: Watch,
  given?: BadRowLists,
): Promise<ImportResult> {
  return withSmallHeap(() => checkAll(context, queue, file, plan, watch, given));
}

async function checkAll(
  context: Context,
  queue: Queue,
  file: ImportSource,
  plan: ImportPlan,
  watch: Watch,
  given: BadRowLists | undefined,
): Promise<ImportResult> {
  const columns = readColumns(plan);
  let progress = startOf(plan.shape, 0);
  const lists = given ?? (await openLists(plan, progress));
  const newcomers = new Newcomers();
  let unresolved = 0;
  try {
    for await (const { rows, part } of chunksFrom(file, plan, columns, progress)) {
      const checked = await checkRows(context, queue, columns, rows, { confirmed: false });
      const taken = await findTakenCodes(context, queue, checked.good);
      const created = await newcomers.add(checked.good, await findKnown(context, queue, checked.good));
      progress = {
        ...progress,
        ...(await listBadRows(file, lists, checked, taken)),
        rows: progress.rows + rows.length,
        created: progress.created + created,
        failed: progress.failed + checked.bad.length,
        skipped: progress.skipped + checked.nobody + checked.good.length - created,
        codesTaken: progress.codesTaken + taken.length,
        found: addFound(progress.found, checked.found),
      };
      await watch(progress, part);
    }
    unresolved = await newcomers.countUnresolved();
  } finally {
    newcomers.close();
    await closeLists(lists);
  }
  const { rows, created, skipped, failed, codesTaken, errorsBytes, rowsBytes } = progress;
  const found = addFound(progress.found ?? NOTHING_FOUND, {
    referralsUnresolved: unresolved,
    referralsCircular: newcomers.selfReferrals,
  });
  return {
    jobId: null,
    ...{ rows, created, skipped, failed, codesTaken, found },
    errorsFile: errorsBytes === 0 ? null : plan.errorsFile,
    badRowsFile: rowsBytes ? (plan.badRowsFile ?? null) : null,
    report: reportOn(plan, { rows, found }),
  };
}

function findKnown({ db }: Context, queue: Queue, rows: readonly ImportCandidate[]): Promise<Members> {
  const candidates = rows.map(({ candidate, link }) =>
    link?.kind === 'code'
      ? { ...candidate, referrer: { code: link.code ?? '', ownSeq: link.ownSeq } }
      : candidate,
  );
  return db.transaction((trx) => findMembers(trx, queue, candidates));
}
