import type { Database, Trx } from '../db/database.ts';
import type { ScheduledTask } from '../db/scheduler.ts';
import { sharedNow } from '../db/shared-clock.ts';
import { formatId } from '../lib/ids.ts';
import { DAY_MS, HOUR_MS, isoTime } from '../lib/time.ts';
import { changeOperators, recordAudit } from './audit.ts';
import { startSealOf } from './audit-chain.ts';
import type { OperatorContext } from './context.ts';
import { SERVER } from './roles.ts';
import { verifyAudit } from './verify-audit.ts';

/** Shortened once a day at most, or the trail would consist of records about that. */
const SLACK_MS = DAY_MS;
/** Keeps each transaction to a few milliseconds. */
const DELETED_AT_ONCE = 1_000;

export function auditUpkeep(context: OperatorContext, keepDays: number): ScheduledTask {
  return {
    name: 'removal of old audit records',
    ...{ everyMs: HOUR_MS, atLeastEveryMs: HOUR_MS },
    run: async () => {
      await trimAudit(context, keepDays * DAY_MS);
    },
  };
}

/**
 * Deletes old records. First the sealed beginning of the trail moves, then what is before it goes, in steps: a process
 * that dies in between leaves that to the next. A trail that is broken stays as it is, because it is evidence.
 */
export async function trimAudit(context: OperatorContext, keepMs: number): Promise<void> {
  const before = (await sharedNow(context)) - keepMs;
  if (await isTooLong(context.db, before)) {
    const { problem } = await verifyAudit(context);
    if (problem === undefined) await moveStart(context, before);
    else context.log.warn({ reason: problem }, 'the audit trail is broken, so old records are kept');
  }
  await deleteBeforeStart(context.db);
}

async function isTooLong(db: Database, before: number): Promise<boolean> {
  const oldest = await db.query
    .selectFrom('audit')
    .select('at')
    .where('seq', '>', (e) => e.selectFrom('audit_head').select('start_seq'))
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();
  return oldest !== undefined && oldest.at < before - SLACK_MS;
}

async function moveStart(context: OperatorContext, before: number): Promise<void> {
  await changeOperators(context, async (trx, now) => {
    const last = await lastBefore(trx, before);
    if (!last) return; // Another instance was faster.
    const { seq: through, hash } = last;
    const after = { through, before: isoTime(before), ...(await whoIsThere(trx)) };
    await recordAudit(context, trx, SERVER, { action: 'audit.trimmed', after }, now);
    const start = { start_seq: through, start_hash: hash, start_seal: startSealOf(context.vault, last) };
    await trx.updateTable('audit_head').set(start).execute();
  });
}

/** The last one of the old records at the beginning of the trail. */
async function lastBefore(trx: Trx, before: number): Promise<{ seq: number; hash: Uint8Array } | undefined> {
  const { seq: end, start_seq: start } = await trx
    .selectFrom('audit_head')
    .select(['seq', 'start_seq'])
    .executeTakeFirstOrThrow();
  const kept = await trx
    .selectFrom('audit')
    .select('seq')
    .where('seq', '>', start)
    .where('at', '>=', before)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();
  const last = (kept?.seq ?? end + 1) - 1;
  if (last <= start) return undefined;
  return trx.selectFrom('audit').select(['seq', 'hash']).where('seq', '=', last).executeTakeFirst();
}

/** Their records may be deleted. This one vouches for them instead. */
async function whoIsThere(trx: Trx): Promise<{ operators: string[]; tokens: string[] }> {
  const operators = await trx.selectFrom('operator').select('id').orderBy('id').execute();
  const tokens = await trx.selectFrom('admin_token').select('id').orderBy('id').execute();
  return {
    operators: operators.map(({ id }) => formatId('opr', id)),
    tokens: tokens.map(({ id }) => formatId('tok', id)),
  };
}

async function deleteBeforeStart(db: Database): Promise<void> {
  for (;;) {
    const old = await db.query
      .selectFrom('audit')
      .select('seq')
      .where('seq', '<=', (e) => e.selectFrom('audit_head').select('start_seq'))
      .orderBy('seq')
      .limit(DELETED_AT_ONCE)
      .execute();
    const last = old.at(-1);
    if (!last) return;
    await db.query.deleteFrom('audit').where('seq', '<=', last.seq).execute();
  }
}
