import { sharedNow } from '../../db/shared-clock.ts';
import { formatId } from '../../lib/ids.ts';
import {
  advanceJob,
  createJob,
  finishJob,
  type HeldJob,
  type JobKind,
  type JobLease,
  readProgress,
} from '../jobs/jobs.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { endInvites, liveInvites } from './end-invites.ts';

/** Invites per transaction: few enough that signups do not wait long. */
const CHUNK = 500;
const KIND = 'revoke';

/** Which open invites. Empty: all of them. */
export interface WhichInvites {
  /** Of this wave. */
  waveId?: Uint8Array | undefined;
  /** Created then or later. */
  since?: number | undefined;
}

/** Revokes open invites in steps. If interrupted, call it again to continue. */
export async function revokeMany(
  context: Context,
  queue: Queue,
  which: WhichInvites = {},
  onProgress: (revoked: number) => void = () => {},
): Promise<number> {
  let revoked = 0;
  for (;;) {
    const ended = await changeQueue(context, queue, async (change) => {
      const invites = await revokeSome(context, change, which);
      const object = { kind: 'waitlist', id: queue.waitlist.id } as const;
      if (invites > 0)
        await context.audit?.(change.trx, { action: 'invite.revoked', object, after: { invites } });
      return invites;
    });
    revoked += ended;
    onProgress(revoked);
    if (ended < CHUNK) return revoked;
  }
}

export async function countOpen(context: Context, queue: Queue, which: WhichInvites): Promise<number> {
  const { query } = context.db;
  const { open } = await query
    .selectFrom(select(query, queue, which, await sharedNow(context)).as('open'))
    .select((e) => e.fn.countAll<number>().as('open'))
    .executeTakeFirstOrThrow();
  return Number(open);
}

interface Input {
  /** In hexadecimal. */
  waveId: string | null;
  since: number | null;
  /** Whoever is invited later stays invited. */
  until: number;
}

/** Starts to revoke open invites. A server does it. */
export async function startRevoking(
  context: Context,
  queue: Queue,
  which: WhichInvites,
): Promise<{ id: Buffer }> {
  const total = await countOpen(context, queue, which);
  return changeQueue(context, queue, async (change) => {
    const { waveId, since = null } = which;
    const input: Input = {
      waveId: waveId ? Buffer.from(waveId).toString('hex') : null,
      since,
      until: change.now,
    };
    const lease = createJob(context, change, { kind: KIND, input, progress: 0, total, runner: 'server' });
    await context.audit?.(change.trx, {
      action: 'invite.revoked',
      object: { kind: 'waitlist', id: queue.waitlist.id },
      after: { invites: total, job: formatId('job', lease.id) },
    });
    return lease;
  });
}

export const revokeJob: JobKind = {
  kind: KIND,
  run: async (context, queue, { lease, input }: HeldJob<Input, number>) => {
    for (let working = true; working; )
      working = await changeQueue(context, queue, (change) => step(context, change, lease, input));
  },
};

/** Returns whether there is more to do. */
async function step(
  context: Context,
  change: QueueChange,
  lease: JobLease,
  { waveId, since, until }: Input,
): Promise<boolean> {
  const before = await readProgress<number>(change.trx, change.queue, lease);
  const which = {
    waveId: waveId === null ? undefined : Buffer.from(waveId, 'hex'),
    since: since ?? undefined,
  };
  const ended = await revokeSome(context, change, { ...which, until });
  const revoked = before + ended;
  const counts = { done: revoked, result: { revoked } };
  if (ended === CHUNK) advanceJob(change, lease, revoked, counts);
  else finishJob(change, lease, revoked, counts);
  return ended === CHUNK;
}

async function revokeSome(
  context: Context,
  change: QueueChange,
  which: WhichInvites & { until?: number },
): Promise<number> {
  const { trx, queue, now } = change;
  const open = await select(trx, queue, which, now).limit(CHUNK).execute();
  await endInvites(context, change, open, 'revoked');
  return open.length;
}

function select(
  executor: Parameters<typeof liveInvites>[0],
  queue: Queue,
  { waveId, since, until }: WhichInvites & { until?: number },
  now: number,
) {
  let query = liveInvites(executor, queue, now);
  if (waveId !== undefined) query = query.where('wave_id', '=', waveId);
  if (since !== undefined) query = query.where('created_at', '>=', since);
  if (until !== undefined) query = query.where('created_at', '<=', until);
  return query;
}
