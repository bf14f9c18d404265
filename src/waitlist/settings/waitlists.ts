import type { Kysely, Selectable } from 'kysely';
import { UniqueViolation } from '../../db/database.ts';
import { STATUSES, type Status, type Tables, type WaitlistTable } from '../../db/tables.ts';
import { DoorlistError, Problems } from '../../lib/errors.ts';
import { checkSettings, readRow, rowOf, valuesOf, withDefaults } from '../../lib/setting.ts';
import { changeSettings } from '../queue/change-settings.ts';
import type { Context } from '../queue/context.ts';
import { isWaitlistId } from '../queue/queue.ts';
import { WAITLIST_SETTINGS, type WaitlistSettings } from '../queue/waitlist-settings.ts';
import { insertQueue } from './environments.ts';

const PAGE = 1_000;

export interface WaitlistSummary extends WaitlistSettings {
  internalId: number;
  id: string;
  closedAt: number | null;
  createdAt: number;
}

export type StatusCounts = Record<Status, number>;
export const NO_COUNTS = Object.fromEntries(STATUSES.map((status) => [status, 0])) as StatusCounts;

interface WaitlistInput extends Partial<WaitlistSettings> {
  id: string;
  name: string;
}

/** Creates a waitlist in every environment. */
export async function createWaitlist(context: Context, input: WaitlistInput): Promise<WaitlistSummary> {
  const { id, ...settings } = input;
  const problems = new Problems();
  if (!isWaitlistId(id)) {
    problems.add(
      'id',
      'must be wl_ followed by 1 to 62 characters of a-z, 0-9, _ and -, starting with a letter or digit',
    );
  }
  checkSettings(WAITLIST_SETTINGS, settings, problems);
  const { keyring } = context;
  const now = context.clock();
  try {
    return await changeSettings(context, async (trx, master) => {
      const row = await trx
        .insertInto('waitlist')
        .values({
          ...rowOf(WAITLIST_SETTINGS, withDefaults(WAITLIST_SETTINGS, settings)),
          public_id: id,
          closed_at: null,
          created_at: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      const created = summaryOf(row);
      const environments = await trx.selectFrom('environment').select('name').execute();
      const { metadataKeys } = created;
      for (const { name: environment } of environments)
        await insertQueue(trx, { keyring, master }, { waitlistId: row.id, environment, metadataKeys, now });
      await context.audit?.(trx, {
        action: 'waitlist.created',
        object: { kind: 'waitlist', id, name: created.name },
        after: settingsOf(created),
      });
      return created;
    });
  } catch (error) {
    if (error instanceof UniqueViolation) throw new DoorlistError('conflict', `id: ${id} already exists`);
    throw error;
  }
}

export function settingsOf(waitlist: WaitlistSummary): WaitlistSettings {
  return valuesOf(WAITLIST_SETTINGS, waitlist);
}

function summaryOf(row: Selectable<WaitlistTable>): WaitlistSummary {
  return {
    internalId: row.id,
    id: row.public_id,
    ...readRow(WAITLIST_SETTINGS, row),
    closedAt: row.closed_at,
    createdAt: row.created_at,
  };
}

export async function readWaitlist(trx: Kysely<Tables>, id: string): Promise<WaitlistSummary | undefined> {
  if (!isWaitlistId(id)) return undefined; // PostgreSQL rejects NUL in text.
  const row = await trx.selectFrom('waitlist').selectAll().where('public_id', '=', id).executeTakeFirst();
  return row && summaryOf(row);
}

/** Returns a page of waitlists sorted by id: those after `after`. */
export async function listWaitlists(
  { db }: Context,
  which: { after?: string | undefined; limit?: number } = {},
): Promise<WaitlistSummary[]> {
  const { after, limit = PAGE } = which;
  let query = db.query
    .selectFrom('waitlist')
    .selectAll()
    .where('deleted_at', 'is', null)
    .orderBy('public_id')
    .limit(limit);
  if (after !== undefined) query = query.where('public_id', '>', after);
  return (await query.execute()).map(summaryOf);
}

export async function listAllWaitlists(context: Context): Promise<WaitlistSummary[]> {
  const all: WaitlistSummary[] = [];
  for (;;) {
    const page = await listWaitlists(context, { after: all.at(-1)?.id });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

/** The entries of these waitlists in one environment, from the counters, in the same order. */
export async function countEntries(
  { db }: Context,
  environment: string,
  waitlists: readonly WaitlistSummary[],
): Promise<StatusCounts[]> {
  const rows = await db.query
    .selectFrom('queue')
    .innerJoin('queue_state', 'queue_state.queue_id', 'queue.id')
    .select(['queue.waitlist_id', ...STATUSES.map((status) => `queue_state.${status}` as const)])
    .where('environment', '=', environment)
    .where((e) =>
      db.in(
        e.ref('queue.waitlist_id'),
        waitlists.map(({ internalId }) => internalId),
      ),
    )
    .execute();
  const byId = new Map(rows.map(({ waitlist_id, ...counts }) => [waitlist_id, counts]));
  return waitlists.map(({ internalId }) => byId.get(internalId) ?? NO_COUNTS);
}
