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

/** Reports what an import would do without writing anything, including bad rows. */
export async function checkImport(
  context: Context,
  queue: Queue,
  file: ImportSource,
  plan: ImportPlan,
  watch: Watch,
  given?: BadRowLists,
): Promise<ImportResult> {
  const columns = readColumns(plan);
  let progress = startOf(plan.shape, 0);
  const lists = given ?? (await openLists(plan, progress));
  const newcomers = new Newcomers();
  try {
    for await (const { rows, part } of chunksFrom(file, plan, columns, progress)) {
      const checked = await checkRows(context, queue, columns, rows, { confirmed: false });
      const taken = await findTakenCodes(context, queue, checked.good);
      const created = newcomers.add(checked.good, await findKnown(context, queue, checked.good));
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
  } finally {
    await closeLists(lists);
  }
  const { rows, created, skipped, failed, codesTaken, errorsBytes, rowsBytes } = progress;
  const found = addFound(progress.found ?? NOTHING_FOUND, {
    referralsUnresolved: newcomers.countUnresolved(),
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

/** Those whom an import would add, and whom they name as their referrers. */
class Newcomers {
  /** Half a hash still identifies a person or a code, in half the memory. */
  readonly #people = new Set<string>();
  readonly #codes = new Set<string>();
  /** How often a referrer is named who is not known yet: their row may come later. */
  readonly #awaited = new Map<string, number>();
  selfReferrals = 0;

  /** Returns how many would be added. */
  add(rows: readonly ImportCandidate[], known: Members): number {
    let count = 0;
    for (const row of rows) {
      const { candidate, code } = row;
      const names = [candidate.emailHash, candidate.phoneHash].flatMap((hash) =>
        hash ? [halfOf(hash)] : [],
      );
      if (code) this.#codes.add(halfOf(code.hash));
      if (known.holder(candidate) || names.some((name) => this.#people.has(name))) continue;
      for (const name of names) this.#people.add(name);
      count += 1;
      this.#noteReferrer(row, names, known);
    }
    return count;
  }

  #noteReferrer({ candidate, link, code }: ImportCandidate, names: readonly string[], known: Members): void {
    if (!link) return;
    const name = halfOf(link.hash);
    const reference =
      link.kind === 'code' ? { code: link.code ?? '', ownSeq: link.ownSeq } : candidate.referrer;
    const referrer = reference && known.find(reference);
    if (referrer && referrer.status !== 'removed') return;
    if (names.includes(name) || (code && halfOf(code.hash) === name)) this.selfReferrals += 1;
    else this.#awaited.set(name, (this.#awaited.get(name) ?? 0) + 1);
  }

  countUnresolved(): number {
    let count = 0;
    for (const [name, times] of this.#awaited) {
      if (!this.#people.has(name) && !this.#codes.has(name)) count += times;
    }
    return count;
  }
}

function halfOf(hash: Buffer): string {
  return hash.toString('latin1', 0, 16);
}
