import { withSmallHeap } from '../../../lib/heap-growth.ts';
import { endOfTurn } from '../../../lib/promises.ts';
import { openScratch } from '../../../lib/scratch.ts';
import type { Context } from '../../queue/context.ts';
import type { Queue } from '../../queue/queue.ts';
import { findMembers, type Members } from '../../referrals/members.ts';
import type { ImportSource } from '../files/raw-row.ts';
import { checkRows } from './check-rows.ts';
import { findTakenCodes, type ImportCandidate } from './import-candidate.ts';
import { type ImportPlan, readColumns } from './import-plan.ts';
import { addFound, startOf } from './import-progress.ts';
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
  const found = addFound(progress.found, {
    referralsUnresolved: unresolved,
    referralsCircular: newcomers.selfReferrals,
  });
  return {
    jobId: null,
    ...{ rows, created, skipped, failed, codesTaken, found },
    errorsFile: errorsBytes === 0 ? null : plan.errorsFile,
    badRowsFile: rowsBytes === 0 ? null : plan.badRowsFile,
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

/** Some milliseconds of work. */
const ROWS_A_TURN = 200;
const NAMES_A_TURN = 1_000;

/**
 * Those whom an import would add, and whom they name as their referrers: by keyed hashes, in a file, because there may be any
 * number of them.
 */
export class Newcomers {
  readonly #scratch = openScratch(`
    create table person (name blob primary key) strict, without rowid;
    create table code (name blob primary key) strict, without rowid;
    create table awaited (name blob primary key, times integer not null) strict, without rowid`);
  readonly #isKnown = this.#scratch.prepare('select 1 from person where name = ?');
  readonly #addPerson = this.#scratch.prepare('insert or ignore into person values (?)');
  readonly #addCode = this.#scratch.prepare('insert or ignore into code values (?)');
  /** How often a referrer is named who is not known yet: their row may come later. */
  readonly #await = this.#scratch.prepare(
    'insert into awaited values (?, 1) on conflict do update set times = times + 1',
  );
  selfReferrals = 0;

  /** Returns how many would be added. */
  async add(rows: readonly ImportCandidate[], known: Members): Promise<number> {
    let count = 0;
    for (const [at, row] of rows.entries()) {
      if (at % ROWS_A_TURN === ROWS_A_TURN - 1) await endOfTurn();
      const { candidate, code } = row;
      const names = [candidate.emailHash, candidate.phoneHash].filter((hash) => hash !== null);
      if (code) this.#addCode.run(code.hash);
      if (known.holder(candidate) || names.some((name) => this.#isKnown.get(name))) continue;
      for (const name of names) this.#addPerson.run(name);
      count += 1;
      this.#noteReferrer(row, names, known);
    }
    return count;
  }

  #noteReferrer({ candidate, link, code }: ImportCandidate, names: readonly Buffer[], known: Members): void {
    if (!link) return;
    const reference =
      link.kind === 'code' ? { code: link.code ?? '', ownSeq: link.ownSeq } : candidate.referrer;
    const referrer = reference && known.find(reference);
    if (referrer && referrer.status !== 'removed') return;
    const isOwn = [...names, ...(code ? [code.hash] : [])].some((name) => name.equals(link.hash));
    if (isOwn) this.selfReferrals += 1;
    else this.#await.run(link.hash);
  }

  async countUnresolved(): Promise<number> {
    const page = this.#scratch.prepare(`
      select name, times, name in (select name from person) or name in (select name from code) as isFound
      from awaited where name > ? order by name limit ${NAMES_A_TURN}`);
    let count = 0;
    for (let last: Uint8Array = Buffer.alloc(0); ; await endOfTurn()) {
      const found = page.all(last) as { name: Uint8Array; times: number; isFound: number }[];
      for (const { times, isFound } of found) if (isFound === 0) count += times;
      last = found.at(-1)?.name ?? last;
      if (found.length < NAMES_A_TURN) return count;
    }
  }

  close(): void {
    this.#scratch.close();
  }
}
