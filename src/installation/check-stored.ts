import { formatId } from '../lib/ids.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { withQueues } from '../waitlist/queue/readable.ts';
import type { Finding } from '../waitlist/upkeep/health.ts';
import { readablePlan } from '../waitlist/waves/waves.ts';
import { listEndpoints } from '../webhooks/endpoints.ts';

const SHOWN_MAX = 20;
const PAGE = 500;

/** What cannot be decrypted, of the few things that much depends on. Nothing if all of it can be. */
export async function checkStored(context: Context): Promise<Finding[]> {
  const damaged = [
    ...(await findQueues(context)),
    ...(await findWaves(context)),
    ...(await findEndpoints(context)),
  ];
  if (damaged.length === 0) return [];
  const more = damaged.length > SHOWN_MAX ? `, and ${damaged.length - SHOWN_MAX} more` : '';
  const detail = `damaged, so that it cannot be decrypted: ${damaged.slice(0, SHOWN_MAX).join(', ')}${more}. Everything else works. A backup may still have it`;
  return [{ what: 'stored data', ok: false, detail }];
}

async function findQueues({ registry, db }: Context): Promise<string[]> {
  const ids: number[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: Awaited<ReturnType<typeof registry.queuesAfter>> = await registry.queuesAfter(after, PAGE);
    ids.push(...page.damaged);
    after = page.last;
  }
  if (ids.length === 0) return [];
  const rows = await db.query
    .selectFrom('queue as q')
    .innerJoin('waitlist as w', 'w.id', 'q.waitlist_id')
    .select(['w.public_id', 'q.environment'])
    .where((e) => db.in(e.ref('q.id'), ids))
    .orderBy('q.id')
    .execute();
  return rows.map(({ public_id, environment }) => `the keys of ${public_id} in ${environment}`);
}

async function findWaves(context: Context): Promise<string[]> {
  const rows = await context.db.query
    .selectFrom('wave')
    .select(['queue_id', 'id', 'plan'])
    .where('state', 'in', ['active', 'paused'])
    .execute();
  const found = await withQueues(context, rows);
  return found
    .filter(({ queue, row }) => !readablePlan(context, queue, row))
    .map(({ queue, row }) => `wave ${formatId('wav', row.id)} of ${queue.waitlist.id}`);
}

async function findEndpoints(context: Context): Promise<string[]> {
  const endpoints = await listEndpoints(context);
  return endpoints
    .filter(({ url }) => url === null)
    .map(({ id, waitlistId }) => `webhook endpoint ${id} of ${waitlistId}`);
}
